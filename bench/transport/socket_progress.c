/* socket_progress.c - the event loop: what is ready, and what moves.
 *
 * Events are edge triggered: a stream stays marked as ready until a call on it falls short. socket_progress()
 * returns as soon as some link's completed() has grown, so that the next pieces can be posted, and otherwise
 * only when nothing more can move; whoever sees no growth may sleep on the epoll descriptor. */
#include "bench/transport/socket.h"

#include "bench/core/clock.h"

#include <errno.h>
#include <sys/epoll.h>

static void note(struct endpoint *endpoint, enum watched *what)
{
	switch (*what) {
	case WATCHED_LISTENER:
		socket_accept((struct listener *)what);
		break;
	case WATCHED_HANDSHAKE:
		socket_shake_one(endpoint, (struct handshake *)what);
		break;
	case WATCHED_STREAM:
		((struct stream *)what)->ready = true;
		break;
	}
}

/* The number of events, negative with a sentence. */
static int events(struct endpoint *endpoint, int wait_ms)
{
	struct epoll_event event[SOCKET_EVENTS];
	int count = epoll_wait(endpoint->epoll, event, SOCKET_EVENTS, wait_ms);

	if (count < 0 && errno != EINTR)
		fail(ST_SYSTEM, "cannot wait for connections: epoll_wait failed with errno %d", errno);
	for (int i = 0; i < count; i++)
		note(endpoint, event[i].data.ptr);
	return count < 0 && errno == EINTR ? 0 : count;
}

enum status socket_shake(struct endpoint *endpoint, int64_t until_ns)
{
	int64_t now_ns = clock_ns();
	int wait_ms = until_ns > now_ns ? (int)((until_ns - now_ns) / 1000000) + 1 : 0;
	int count = events(endpoint, wait_ms);

	socket_expire(endpoint, clock_ns());
	return count < 0 ? ST_SYSTEM : ST_OK;
}

/* One call on each ready stream of a link that has something to do. */
static enum status move_link(struct link *link, bool *moved_p)
{
	for (int i = 0; i < link->streams && link->completed < link->end; i++) {
		struct stream *stream = &link->stream[(link->turn + i) % link->streams];
		enum status status;
		bool moved;

		if (!stream->ready)
			continue;
		status = link->sends ? socket_send_some(stream, &moved) : socket_receive_some(stream, &moved);
		if (status != ST_OK)
			return status;
		*moved_p |= moved;
	}
	link->turn = (link->turn + 1) % link->streams;
	return ST_OK;
}

enum status socket_progress(struct endpoint *endpoint)
{
	bool moved = true, grew = false;

	if (endpoint->broken != ST_OK)
		return endpoint->broken;
	for (int count = 1; !grew && (moved || count > 0);) {
		count = events(endpoint, 0);
		if (count < 0)
			return endpoint->broken = ST_SYSTEM;
		moved = false;
		for (int i = 0; i < endpoint->link_count; i++) {
			struct link *link = endpoint->links[i];
			uint64_t before = link->completed;
			enum status status = move_link(link, &moved);

			if (status != ST_OK)
				return endpoint->broken = status;
			grew |= link->completed != before;
		}
	}
	if (endpoint->handshakes != NULL)
		socket_expire(endpoint, clock_ns());
	return ST_OK;
}
