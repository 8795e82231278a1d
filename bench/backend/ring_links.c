/* ring_links.c - which transport connects each pair of ranks, and where a rank sleeps. */
#include "bench/backend/ring_links.h"

#include "bench/registry.h"
#include "bench/transport/waiter.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRANSPORTS_MOST = 8, SPIN_NS = 100000 };

struct opened {
	const struct transport *transport;
	struct endpoint *endpoint;
	struct address *address; /* [ranks] */
	int links;
};

struct ring_links {
	struct world *world;
	const struct plan *plan;
	int count;
	struct opened opened[TRANSPORTS_MOST];
	struct ring_link *to, *from; /* [ranks of the group] */
	struct waiter *waiter;
};

/* A rank may look again for a moment before it sleeps when every rank of the node has a core. Ranks may be
 * bound: what counts is all their cores together. */
static enum status make_waiter(struct ring_links *l)
{
	struct world *w = l->world;
	cpu_set_t mine, all;
	cpu_set_t *each = malloc((size_t)w->ranks * sizeof *each);
	CPU_ZERO(&mine);
	CPU_ZERO(&all);
	enum status s = each ? ST_OK : fail(ST_NOMEM, "no memory for the core sets of %d ranks", w->ranks);
	if (sched_getaffinity(0, sizeof mine, &mine))
		CPU_ZERO(&mine); /* more cores than the set holds: no spinning */
	s = world_agree(w, s);
	if (s == ST_OK)
		s = world_allgather(w, &mine, sizeof mine, each);
	for (int i = 0; s == ST_OK && i < w->ranks; i++)
		if (w->places[i].node == w->node)
			CPU_OR(&all, &all, &each[i]);
	free(each);
	return s == ST_OK ? waiter_open(CPU_COUNT(&all) >= w->local_ranks ? SPIN_NS : 0, &l->waiter) : s;
}

static enum status open_one(struct ring_links *l, const struct transport *t)
{
	struct opened *o = &l->opened[l->count];
	struct address mine = {0};
	*o = (struct opened){.transport = t, .address = calloc((size_t)l->world->ranks, sizeof mine)};
	enum status s = o->address
	                        ? t->open(l->world, l->plan, l->waiter, &o->endpoint, &mine)
	                        : fail(ST_NOMEM, "no memory for the addresses of %d ranks", l->world->ranks);
	l->count++;
	s = world_agree(l->world, s);
	return s == ST_OK ? world_allgather(l->world, &mine, sizeof mine, o->address) : s;
}

enum status ring_links_open(struct world *w, const struct plan *plan, struct ring_links **out)
{
	struct ring_links *l = calloc(1, sizeof *l);
	if (l) {
		*l = (struct ring_links){.world = w, .plan = plan};
		l->to = calloc((size_t)w->group_ranks, sizeof *l->to);
		l->from = calloc((size_t)w->group_ranks, sizeof *l->from);
	}
	*out = l;
	enum status s = world_agree(w, l && l->to && l->from ? ST_OK : fail(ST_NOMEM, "no memory for links"));
	if (s == ST_OK)
		s = make_waiter(l);
	for (int i = 0; transports[i] && l && l->count < TRANSPORTS_MOST && s == ST_OK; i++) {
		char why[128];
		if (plan->transport[0] && strcmp(plan->transport, transports[i]->name) != 0)
			continue;
		if (!plan->transport[0] && w->nodes == w->ranks && w->ranks > 1 &&
		        !strcmp(transports[i]->name, "shm"))
			continue; /* no two ranks share a node */
		if (transports[i]->probe(plan, why, sizeof why) == ST_OK)
			s = open_one(l, transports[i]);
		else if (plan->transport[0])
			s = fail(ST_UNSUPPORTED, "transport '%s' cannot be used here: %s", plan->transport,
			        why);
	}
	s = world_agree(w, s);
	if (s == ST_OK && !l->count)
		s = fail(ST_UNSUPPORTED, "the ring backend has no transport '%s'; see --list",
		        plan->transport);
	return s;
}

void ring_links_close(struct ring_links *l)
{
	if (!l)
		return;
	for (int i = 0; i < l->count; i++) {
		if (l->opened[i].endpoint)
			l->opened[i].transport->close(l->opened[i].endpoint);
		free(l->opened[i].address);
	}
	if (l->waiter)
		waiter_close(l->waiter);
	free(l->to);
	free(l->from);
	free(l);
}

enum status ring_links_get(struct ring_links *l, int peer, bool sends, struct ring_link **out)
{
	struct ring_link *link = *out = sends ? &l->to[peer] : &l->from[peer];
	const struct world *w = l->world;
	int rank = w->rank, other = w->group_members[peer];
	char why[128] = "no transport is there";
	if (link->link)
		return ST_OK;
	for (int i = 0; i < l->count; i++) {
		struct opened *o = &l->opened[i];
		const struct transport *t = o->transport;
		if (!t->can_connect(w, rank, &o->address[rank], other, &o->address[other], why, sizeof why))
			continue;
		link->transport = t;
		o->links++;
		return (sends ? t->connect_send : t->connect_recv)(
		        o->endpoint, other, &o->address[other], &link->link);
	}
	return fail(ST_UNSUPPORTED, "nothing connects rank %d on '%s' and rank %d on '%s'%s%s: %s", rank,
	        w->places[rank].host, other, w->places[other].host, l->plan->transport[0] ? " by " : "",
	        l->plan->transport, why);
}

enum status ring_links_register(struct ring_links *l, const struct buffer *b)
{
	for (int i = 0; i < l->count; i++) {
		enum status s = l->opened[i].transport->register_memory(l->opened[i].endpoint, b);
		if (s != ST_OK)
			return s;
	}
	return ST_OK;
}

void ring_links_forget(struct ring_links *l, const struct buffer *b)
{
	for (int i = 0; i < l->count; i++)
		l->opened[i].transport->forget_memory(l->opened[i].endpoint, b);
}

enum status ring_links_progress(struct ring_links *l)
{
	for (int i = 0; i < l->count; i++)
		if (l->opened[i].links) {
			enum status s = l->opened[i].transport->progress(l->opened[i].endpoint);
			if (s != ST_OK)
				return s;
		}
	return ST_OK;
}

struct waiter *ring_links_waiter(struct ring_links *l)
{
	return l->waiter;
}

void ring_links_seen(const struct ring_links *l, char *text, size_t text_bytes)
{
	text[0] = 0;
	for (int i = 0; i < l->count; i++) {
		bool carried = false;
		for (int peer = 0; peer < l->world->group_ranks; peer++)
			carried |=
			        (l->to[peer].transport == l->opened[i].transport && l->to[peer].posted) ||
			        (l->from[peer].transport == l->opened[i].transport && l->from[peer].posted);
		size_t used = strlen(text);
		if (carried)
			snprintf(text + used, text_bytes - used, "%s%s", used ? "+" : "",
			        l->opened[i].transport->name);
	}
}
