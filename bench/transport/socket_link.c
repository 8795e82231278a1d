/* socket_link.c - a link: connected, posted to, disconnected. */
#include "bench/transport/socket.h"

#include "bench/core/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { QUEUE_START = 64 };

static enum status out_of_memory(const struct endpoint *endpoint)
{
	return fail(ST_NOMEM, "out of memory for the links of rank %d", endpoint->world->rank);
}

/* --- connecting --- */

static enum status adopt(struct link *link, const struct stream *proven)
{
	struct endpoint *endpoint = link->endpoint;

	for (int i = 0; i < link->streams; i++) {
		struct stream *stream = &link->stream[i];
		struct epoll_event event = {
		        .events = (link->sends ? EPOLLOUT : EPOLLIN) | EPOLLET, .data.ptr = stream};

		*stream = proven[i];
		stream->watched = WATCHED_STREAM;
		stream->link = link;
		stream->ready = true;
		link->paced |= link->sends && strcmp(stream->mine, link->stream[0].mine) != 0;
		if (!link->sends) {
			stream->ahead = malloc(SOCKET_SMALL_BYTES);
			if (stream->ahead == NULL)
				return out_of_memory(endpoint);
		}
		if (epoll_ctl(endpoint->epoll, EPOLL_CTL_MOD, stream->fd, &event) != 0)
			return fail(ST_SYSTEM, "cannot watch a connection: %s", strerror(errno));
	}
	return ST_OK;
}

static bool enlist(struct endpoint *endpoint, struct link *link)
{
	if (endpoint->link_count == endpoint->link_capacity) {
		int capacity = endpoint->link_capacity > 0 ? 2 * endpoint->link_capacity : 8;
		struct link **links = realloc(endpoint->links, (size_t)capacity * sizeof(struct link *));

		if (links == NULL)
			return false;
		endpoint->links = links;
		endpoint->link_capacity = capacity;
	}
	endpoint->links[endpoint->link_count++] = link;
	return true;
}

static enum status make(struct endpoint *endpoint, int peer, bool sends, const struct stream *proven,
        int streams, struct link **out)
{
	struct link *link = calloc(1, sizeof(*link));
	enum status status;

	if (link == NULL)
		return out_of_memory(endpoint);
	link->endpoint = endpoint;
	link->peer = peer;
	link->sends = sends;
	link->streams = streams;
	link->capacity = QUEUE_START;
	link->queue = malloc(QUEUE_START * sizeof(*link->queue));
	link->stream = calloc((size_t)streams, sizeof(*link->stream));
	if (link->queue == NULL || link->stream == NULL || !enlist(endpoint, link)) {
		free(link->queue);
		free(link->stream);
		free(link);
		return out_of_memory(endpoint);
	}
	status = adopt(link, proven);
	if (status != ST_OK)
		link_disconnect(link);
	else
		*out = link;
	return status;
}

/* Sleeps and serves everybody else's connections too until this link's are proven. */
static enum status await(struct endpoint *endpoint, int peer, bool sends, uint32_t number, struct link **out)
{
	int64_t until_ns = clock_ns() + (int64_t)(endpoint->patience_s * 1e9);
	struct stream proven[SOCKET_STREAMS];
	int streams;

	memset(proven, 0, sizeof(proven));
	while ((streams = socket_collect(endpoint, peer, sends, number, proven)) == 0) {
		enum status status = ST_OK;

		if (clock_ns() > until_ns)
			return explain_silence(endpoint, peer);
		status = socket_shake(endpoint, until_ns);
		if (status != ST_OK)
			return status;
	}
	return streams < 0 ? ST_PEER : make(endpoint, peer, sends, proven, streams, out);
}

enum status link_connect_send(
        struct endpoint *endpoint, int peer, const struct address *theirs, struct link **out)
{
	const struct world *world = endpoint->world;
	const struct listening *there = socket_listening(theirs);
	struct rail_pair pairs[RAILS];
	int rails = socket_pairs(world, world->rank, &endpoint->listening, peer, there, pairs);
	int streams = rails * endpoint->streams_per_rail;
	struct call call = {.peer = peer, .number = endpoint->dialled[peer]++};
	enum status status = ST_OK;

	call.count = streams < SOCKET_STREAMS ? streams : SOCKET_STREAMS;
	for (; call.index < call.count && status == ST_OK; call.index++) {
		const struct rail_pair *pair = &pairs[call.index % rails];

		call.mine = &endpoint->listening.rails[pair->mine];
		call.theirs = &there->rails[pair->theirs];
		call.routed = pair->routed;
		status = socket_dial(endpoint, &call);
	}
	return status != ST_OK ? status : await(endpoint, peer, true, call.number, out);
}

enum status link_connect_recv(
        struct endpoint *endpoint, int peer, const struct address *theirs, struct link **out)
{
	(void)theirs;
	return await(endpoint, peer, false, endpoint->answered[peer]++, out);
}

/* --- posting --- */

static bool grow(struct link *link)
{
	struct posted *queue = malloc(2 * link->capacity * sizeof(*queue));

	if (queue == NULL)
		return false;
	for (size_t i = 0; i < link->count; i++)
		queue[i] = link->queue[(link->first + i) & (link->capacity - 1)];
	free(link->queue);
	link->queue = queue;
	link->first = 0;
	link->capacity *= 2;
	return true;
}

static enum status post(struct link *link, const struct landing *landing)
{
	struct posted *posted;

	if (landing->bytes == 0)
		return ST_OK;
	if (link->count == link->capacity && !grow(link))
		return out_of_memory(link->endpoint);
	posted = &link->queue[(link->first + link->count++) & (link->capacity - 1)];
	*posted = (struct posted){.position = link->end, .landing = *landing};
	link->end += landing->bytes;
	return ST_OK;
}

enum status link_send(struct link *link, const void *src, size_t bytes)
{
	return post(link, &(struct landing){.local = src, .bytes = bytes});
}

enum status link_recv(struct link *link, const struct landing *landing)
{
	return post(link, landing);
}

struct posted *link_posted(const struct link *link, uint64_t position)
{
	for (size_t i = 0; i < link->count; i++) {
		struct posted *posted = &link->queue[(link->first + i) & (link->capacity - 1)];

		if (position < posted->position + posted->landing.bytes)
			return posted;
	}
	return NULL;
}

void link_pop(struct link *link)
{
	link->first = (link->first + 1) & (link->capacity - 1);
	link->count--;
}

uint64_t link_completed(const struct link *link)
{
	return link->completed;
}

/* The kernel goes on to deliver what it was given. */
void link_disconnect(struct link *link)
{
	struct endpoint *endpoint = link->endpoint;
	int at = 0;

	while (endpoint->links[at] != link)
		at++;
	endpoint->links[at] = endpoint->links[--endpoint->link_count];
	for (int i = 0; i < link->streams; i++) {
		if (link->stream[i].watched == WATCHED_STREAM)
			close(link->stream[i].fd);
		free(link->stream[i].ahead);
	}
	free(link->stream);
	free(link->queue);
	free(link);
}
