/* socket.c - the socket transport's table; an endpoint opens and closes. The parts are listed in socket.h. */
#include "bench/transport/socket.h"

#include "bench/registry.h"
#include "bench/transport/waiter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PATIENCE_S = 10, BACKLOG = 4096 };

static const uint32_t magic = 0x4c494152; /* "RAIL": an address of this transport */

static enum status probe(const struct plan *plan, char *why, size_t why_bytes)
{
	(void)plan;
	(void)why;
	(void)why_bytes;
	return ST_OK;
}

const struct listening *socket_listening(const struct address *address)
{
	const struct listening *listening = (const void *)address->opaque;

	return listening->magic == magic ? listening : NULL;
}

int socket_pairs(const struct world *world, int rank, const struct listening *mine, int peer,
        const struct listening *theirs, struct rail_pair pairs[RAILS])
{
	bool same_machine = world->places[rank].machine == world->places[peer].machine;

	if (mine == NULL || theirs == NULL)
		return 0;
	return rails_pair(
	        mine->rails, (int)mine->count, theirs->rails, (int)theirs->count, same_machine, pairs);
}

static bool can_connect(const struct world *world, int rank, const struct address *mine, int peer,
        const struct address *theirs, char *why, size_t why_bytes)
{
	struct rail_pair pairs[RAILS];
	const struct listening *here = socket_listening(mine), *there = socket_listening(theirs);

	if (socket_pairs(world, rank, here, peer, there, pairs) > 0)
		return true;
	snprintf(why, why_bytes, "no interface is on a network of the other's, see --ifname");
	return false;
}

socklen_t rail_sockaddr(const struct rail *rail, uint16_t port, struct sockaddr_storage *out)
{
	memset(out, 0, sizeof(*out));
	if (rail->ipv6) {
		struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)out;

		in6->sin6_family = AF_INET6;
		in6->sin6_port = port;
		memcpy(&in6->sin6_addr, rail->address, 16);
		return sizeof(*in6);
	}

	struct sockaddr_in *in = (struct sockaddr_in *)out;

	in->sin_family = AF_INET;
	in->sin_port = port;
	memcpy(&in->sin_addr, rail->address, 4);
	return sizeof(*in);
}

static uint16_t bound_port(int fd)
{
	struct sockaddr_storage bound;
	socklen_t bytes = sizeof(bound);

	if (getsockname(fd, (struct sockaddr *)&bound, &bytes) != 0)
		return 0;
	return bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&bound)->sin6_port
	                                   : ((struct sockaddr_in *)&bound)->sin_port;
}

/* On the interface's address alone, at whatever port is free. */
static enum status listen_on(struct endpoint *endpoint, int at)
{
	struct rail *rail = &endpoint->listening.rails[at];
	struct listener *listener = &endpoint->listeners[at];
	struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = listener};
	struct sockaddr_storage address;
	socklen_t bytes = rail_sockaddr(rail, 0, &address);

	*listener = (struct listener){.watched = WATCHED_LISTENER, .endpoint = endpoint, .rail = at};
	listener->fd = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (listener->fd < 0 || bind(listener->fd, (struct sockaddr *)&address, bytes) != 0 ||
	        listen(listener->fd, BACKLOG) != 0 ||
	        epoll_ctl(endpoint->epoll, EPOLL_CTL_ADD, listener->fd, &event) != 0)
		return explain_listen(endpoint, rail, errno);
	rail->port = bound_port(listener->fd);
	return ST_OK;
}

/* With several hosts the data interfaces, and loopback beside them for ranks that share a host; on one host
 * loopback, unless the user names an interface. */
static enum status choose_rails(struct endpoint *endpoint, const struct plan *plan)
{
	const struct world *world = endpoint->world;
	struct listening *listening = &endpoint->listening;
	struct interfaces all, chosen, loopback;
	enum status status = interfaces_read(&all);

	if (status != ST_OK)
		return status;
	if (world->nodes > 1 || plan->ifname[0] != '\0') {
		status = interfaces_choose(&all, plan->ifname, &chosen);
		if (status != ST_OK)
			return status;
		if (world->rank == 0 && plan->ifname[0] == '\0')
			interfaces_remark(&all, &chosen);
		listening->count = (uint32_t)rails_of(&chosen, listening->rails);
	}
	if (listening->count == 0 || (world->local_ranks > 1 && plan->ifname[0] == '\0')) {
		status = interfaces_choose(&all, "=lo", &loopback);
		if (status != ST_OK)
			return status;
		loopback.at[0].addresses = 1;
		if (listening->count == RAILS)
			listening->count--;
		listening->count += (uint32_t)rails_of(&loopback, listening->rails + listening->count);
	}
	listening->magic = magic;
	return ST_OK;
}

static void close_endpoint(struct endpoint *endpoint)
{
	socket_drop_handshakes(endpoint);
	while (endpoint->link_count > 0)
		link_disconnect(endpoint->links[0]);
	for (uint32_t i = 0; i < endpoint->listening.count; i++)
		if (endpoint->listeners[i].fd > 0)
			close(endpoint->listeners[i].fd);
	if (endpoint->epoll >= 0)
		close(endpoint->epoll);
	if (endpoint->strangers > 0)
		fprintf(stderr, "rank %d dropped %u connections of strangers\n", endpoint->world->rank,
		        endpoint->strangers);
	free(endpoint->links);
	free(endpoint->dialled);
	free(endpoint->answered);
	free(endpoint->stage);
	free(endpoint);
}

static const struct memory_kind *host_memory(void)
{
	for (size_t i = 0; memory_kinds[i] != NULL; i++)
		if (strcmp(memory_kinds[i]->name, "host") == 0)
			return memory_kinds[i];
	return NULL;
}

static struct endpoint *make_endpoint(struct world *world, const struct plan *plan)
{
	struct endpoint *endpoint = calloc(1, sizeof(*endpoint));
	size_t ranks = (size_t)world->ranks;

	if (endpoint == NULL)
		return NULL;
	endpoint->world = world;
	endpoint->deadline_s = plan->timeout_s > 0 ? plan->timeout_s : WORLD_DEADLINE_S;
	endpoint->patience_s =
	        endpoint->deadline_s < PATIENCE_S / 0.8 ? endpoint->deadline_s * 0.8 : PATIENCE_S;
	endpoint->streams_per_rail = plan->streams > 0 ? plan->streams : 1;
	endpoint->memory = host_memory();
	endpoint->epoll = epoll_create1(EPOLL_CLOEXEC);
	endpoint->dialled = calloc(ranks, sizeof(*endpoint->dialled));
	endpoint->answered = calloc(ranks, sizeof(*endpoint->answered));
	endpoint->stage = aligned_alloc(64, SOCKET_STAGE_BYTES);
	if (endpoint->epoll < 0 || endpoint->dialled == NULL || endpoint->answered == NULL ||
	        endpoint->stage == NULL) {
		close_endpoint(endpoint);
		return NULL;
	}
	return endpoint;
}

static enum status open_endpoint(struct world *world, const struct plan *plan, struct waiter *waiter,
        struct endpoint **out, struct address *mine)
{
	struct endpoint *endpoint = make_endpoint(world, plan);
	enum status status;

	if (endpoint == NULL)
		return fail(ST_NOMEM, "out of memory for the connections of rank %d", world->rank);
	status = choose_rails(endpoint, plan);
	for (uint32_t i = 0; i < endpoint->listening.count && status == ST_OK; i++)
		status = listen_on(endpoint, (int)i);
	if (status == ST_OK)
		status = waiter_watch(waiter, endpoint->epoll);
	if (status != ST_OK) {
		close_endpoint(endpoint);
		return status;
	}
	memset(mine, 0, sizeof(*mine));
	memcpy(mine->opaque, &endpoint->listening, sizeof(endpoint->listening));
	*out = endpoint;
	return ST_OK;
}

static enum status register_memory(struct endpoint *endpoint, const struct buffer *buffer)
{
	endpoint->memory = buffer->kind;
	return ST_OK;
}

static void forget_memory(struct endpoint *endpoint, const struct buffer *buffer)
{
	(void)endpoint;
	(void)buffer;
}

extern const struct transport transport_socket;
const struct transport transport_socket = {
        .name = "socket",
        .help = "TCP over the data interfaces, several rails and streams (--ifname, --streams)",
        .probe = probe,
        .open = open_endpoint,
        .can_connect = can_connect,
        .register_memory = register_memory,
        .forget_memory = forget_memory,
        .connect_send = link_connect_send,
        .connect_recv = link_connect_recv,
        .send = link_send,
        .recv = link_recv,
        .progress = socket_progress,
        .completed = link_completed,
        .disconnect = link_disconnect,
        .close = close_endpoint,
};
