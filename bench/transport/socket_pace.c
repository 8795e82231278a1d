/* socket_pace.c - how much a rail may hold that it has not sent yet. What waits in a slow rail's socket could
 * have gone over another, and at the end of an operation everybody waits for it; what a fast rail lacks is
 * idle time. So each holds about HOLD_US of what it lately delivered. */
#include "bench/transport/socket.h"

#include <linux/tcp.h> /* tcpi_delivery_rate, which the C library's header lacks */
#include <sys/socket.h>

enum { HOLD_US = 2000, LEAST_BYTES = 16 * 1024, MOST_BYTES = 4 * 1024 * 1024, FIRST_BYTES = 64 * 1024 };

static void hold(const struct stream *stream, uint64_t bytes)
{
	int limit = (int)(bytes < LEAST_BYTES ? LEAST_BYTES : bytes > MOST_BYTES ? MOST_BYTES : bytes);

	setsockopt(stream->fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &limit, sizeof(limit));
}

void socket_pace_first(struct stream *stream)
{
	hold(stream, FIRST_BYTES);
}

void socket_pace(struct stream *stream)
{
	struct tcp_info info;
	socklen_t bytes = sizeof(info);

	if (getsockopt(stream->fd, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0 ||
	        bytes < offsetof(struct tcp_info, tcpi_delivery_rate) + sizeof(info.tcpi_delivery_rate))
		return;
	hold(stream, info.tcpi_delivery_rate * HOLD_US / 1000000);
}
