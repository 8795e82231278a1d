/* socket_pace.c - how much a rail may hold. What a slow rail holds, in its socket or on its way, could have
 * gone over another, and at the end of an operation everybody waits for it. So each of several rails holds
 * what it lately delivered in HOLD_US, the same time for all, and not the megabytes that TCP would queue. A
 * rail for which that would be more than MOST_BYTES is left to the kernel. */
#include "bench/transport/socket.h"

#include <linux/tcp.h> /* tcpi_delivery_rate, which the C library's header lacks */
#include <sys/socket.h>

enum {
	HOLD_US = 60000, /* longer than a core may be somebody else's */
	LEAST_BYTES = 32 * 1024,
	MOST_BYTES = 2 * 1024 * 1024,
};

/* Bytes of payload that the stream delivers in that time, going by what was acknowledged since it was last
 * asked and for how long there was something to acknowledge; 0 unknown. */
static uint64_t delivers(struct stream *stream, uint64_t us)
{
	struct tcp_info info;
	socklen_t bytes = sizeof(info);
	uint64_t acked, busy_us;

	if (getsockopt(stream->fd, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0 ||
	        bytes < offsetof(struct tcp_info, tcpi_busy_time) + sizeof(info.tcpi_busy_time))
		return 0;
	acked = info.tcpi_bytes_acked - stream->acked;
	busy_us = info.tcpi_busy_time - stream->busy_us;
	stream->acked = info.tcpi_bytes_acked;
	stream->busy_us = info.tcpi_busy_time;
	return busy_us > 0 ? acked * us / busy_us : 0;
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
	return value < low ? low : value > high ? high : value;
}

void socket_pace(struct stream *stream)
{
	uint64_t held = delivers(stream, HOLD_US);

	if (held == 0)
		return;
	stream->held = stream->held > 0 ? (3 * stream->held + held) / 4 : held;
	if (stream->held < MOST_BYTES || stream->limited) {
		/* the kernel doubles it, for its own use */
		int limit = (int)clamp(stream->held, LEAST_BYTES, MOST_BYTES);

		stream->limited = setsockopt(stream->fd, SOL_SOCKET, SO_SNDBUF, &limit, sizeof(limit)) == 0;
	}
}
