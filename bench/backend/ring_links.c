/* ring_links.c - see ring_links.h. */
#include "bench/backend/ring_links.h"

#include "bench/registry.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHY_BYTES = 256 };

/* --- opening: transport by transport until every pair is served --- */

struct opening {
	struct links *links;
	const struct plan *plan;
	unsigned char
	        *reach; /* [ranks][ranks] of the transport at hand: row rank says which peers it can use */
	char why[WHY_BYTES]; /* why the first pair of this rank that is not served is not, for each transport
	                      */
	enum status failed;  /* the worst of the transports that could not be opened, and its sentence */
	char sentence[WHY_BYTES];
};

struct hello {
	struct address address;
	bool opened;
};

static void note_failure(struct opening *o, enum status s)
{
	if (s > o->failed) {
		o->failed = s;
		snprintf(o->sentence, sizeof o->sentence, "%s", fail_sentence());
	}
	fail_forget();
}

static enum status open_end(struct opening *o, struct ring_end *end, struct hello *mine)
{
	struct world *w = o->links->world;
	struct hello *all = calloc((size_t)w->ranks, sizeof *all);
	end->addresses = calloc((size_t)w->ranks, sizeof *end->addresses);
	enum status s = world_agree(
	        w, all && end->addresses ? ST_OK : fail(ST_NOMEM, "no memory for %d addresses", w->ranks));
	if (s == ST_OK)
		s = world_allgather(w, mine, sizeof *mine, all);
	for (int i = 0; s == ST_OK && i < w->ranks; i++) {
		end->addresses[i] = all[i].address;
		o->reach[i] = all[i].opened;
	}
	free(all);
	return s;
}

/* Row of this rank, then everybody's. */
static enum status gather_reach(struct opening *o, struct ring_end *end)
{
	struct world *w = o->links->world;
	unsigned char *row = calloc((size_t)w->ranks, 1);
	char why[WHY_BYTES] = "";
	enum status s = world_agree(w, row ? ST_OK : fail(ST_NOMEM, "no memory for %d peers", w->ranks));
	for (int g = 0; s == ST_OK && g < w->group_ranks; g++) {
		int peer = w->group_members[g];
		const char *reason = "it could not be opened";
		if (peer == w->rank || o->links->choice[g] >= 0)
			continue;
		if (end->endpoint && o->reach[peer]) {
			row[peer] = end->transport->can_connect(w, w->rank, &end->addresses[w->rank], peer,
			        &end->addresses[peer], why, sizeof why);
			reason = why;
		}
		size_t used = strlen(o->why);
		if (!row[peer] && used < sizeof o->why)
			snprintf(o->why + used, sizeof o->why - used, "%s%s: %s", used ? "; " : "",
			        end->transport->name, reason);
	}
	if (s == ST_OK)
		s = world_allgather(w, row, (size_t)w->ranks, o->reach);
	free(row);
	return s;
}

/* A pair is served when both ends say so. Every rank looks at all groups, so that all come to the same end.
 */
static bool settle(struct opening *o, int end)
{
	const struct world *w = o->links->world;
	size_t ranks = (size_t)w->ranks;
	for (int g = 0; g < w->group_ranks; g++) {
		size_t me = (size_t)w->rank, peer = (size_t)w->group_members[g];
		if (o->links->choice[g] < 0 && o->reach[me * ranks + peer] && o->reach[peer * ranks + me])
			o->links->choice[g] = end;
	}
	for (int g = 0; g < w->group_ranks; g++)
		if (o->links->choice[g] < 0 && w->group_members[g] != w->rank)
			return false;
	return true;
}

static enum status try_transport(struct opening *o, const struct transport *t, bool *served_p)
{
	struct links *l = o->links;
	struct ring_end *end = &l->ends[l->end_count];
	struct hello mine = {.opened = false};
	char why[WHY_BYTES] = "";
	*end = (struct ring_end){.transport = t};
	enum status s = t->probe(o->plan, why, sizeof why);
	if (s == ST_OK)
		s = t->open(l->world, o->plan, l->waiter, &end->endpoint, &mine.address);
	else
		s = fail(s, "%s: %s", t->name, why);
	mine.opened = s == ST_OK;
	if (!mine.opened)
		note_failure(o, s);
	s = open_end(o, end, &mine);
	l->end_count++;
	if (s == ST_OK)
		s = gather_reach(o, end);
	if (s != ST_OK)
		return s;
	int64_t served = settle(o, l->end_count - 1);
	s = world_reduce(l->world, REDUCE_MIN, &served, 1);
	*served_p = served;
	return s;
}

static enum status say_unserved(const struct opening *o)
{
	const struct world *w = o->links->world;
	if (o->failed != ST_OK)
		return fail(o->failed, "%s", o->sentence);
	for (int g = 0; g < w->group_ranks; g++)
		if (o->links->choice[g] < 0 && w->group_members[g] != w->rank)
			return fail(ST_UNSUPPORTED,
			        "rank %d on '%s' and rank %d on '%s' have no transport in common: %s",
			        w->rank, w->places[w->rank].host, w->group_members[g],
			        w->places[w->group_members[g]].host, o->why);
	return ST_OK;
}

static enum status open_ends(struct opening *o)
{
	const char *forced = o->plan->transport;
	bool served = o->links->world->ranks == 1;
	if (forced[0] && !transport_find(forced)) {
		const char *why = registry_absence("transport", forced);
		return fail(ST_USAGE, "--transport \"%s\": %s", forced,
		        why ? why : "there is none of that name, --list shows them");
	}
	for (int i = 0; transports[i] && !served; i++) {
		if (forced[0] && strcmp(forced, transports[i]->name))
			continue;
		enum status s = try_transport(o, transports[i], &served);
		if (s != ST_OK)
			return s;
	}
	return served ? ST_OK : say_unserved(o);
}

/* Other groups may be served otherwise: only this one counts. */
static bool all_shared(const struct links *l)
{
	bool shared = true;
	for (int g = 0; g < l->n; g++)
		if (l->world->group_members[g] != l->world->rank)
			shared &= l->ends[l->choice[g]].transport->shared_memory;
	return shared;
}

static enum status agree_on_sharing(struct links *l)
{
	struct world *w = l->world;
	unsigned char mine = all_shared(l), *all = calloc((size_t)w->ranks, 1);
	enum status s = world_agree(w, all ? ST_OK : fail(ST_NOMEM, "no memory for %d ranks", w->ranks));
	if (s == ST_OK)
		s = world_allgather(w, &mine, 1, all);
	l->shared_memory = true;
	for (int g = 0; s == ST_OK && g < l->n; g++)
		l->shared_memory &= all[w->group_members[g]];
	free(all);
	return s;
}

enum status links_open(struct world *w, const struct plan *plan, struct waiter *waiter, struct links *out)
{
	size_t n = (size_t)w->group_ranks, ranks = (size_t)w->ranks;
	*out = (struct links){.world = w, .n = w->group_ranks, .waiter = waiter};
	out->choice = malloc(n * sizeof *out->choice);
	out->send = calloc(n, sizeof *out->send);
	out->recv = calloc(n, sizeof *out->recv);
	struct opening o = {.links = out, .plan = plan, .reach = calloc(ranks, ranks)};
	bool made = out->choice && out->send && out->recv && o.reach;
	for (size_t g = 0; made && g < n; g++)
		out->choice[g] = -1;
	enum status s = world_agree(
	        w, made ? ST_OK : fail(ST_NOMEM, "no memory for the links of %d ranks", w->ranks));
	if (s == ST_OK)
		s = world_agree(w, open_ends(&o));
	if (s == ST_OK)
		s = agree_on_sharing(out);
	free(o.reach);
	if (s != ST_OK)
		links_close(out);
	return s;
}

void links_close(struct links *l)
{
	for (int i = 0; i < l->end_count; i++) {
		if (l->ends[i].endpoint)
			l->ends[i].transport->close(l->ends[i].endpoint);
		free(l->ends[i].addresses);
	}
	free(l->choice);
	free(l->send);
	free(l->recv);
	*l = (struct links){0};
}

/* --- use --- */

static enum status connect_one(struct links *l, int peer, bool sends)
{
	struct ring_link *r = sends ? &l->send[peer] : &l->recv[peer];
	struct ring_end *end = &l->ends[l->choice[peer]];
	int rank = l->world->group_members[peer];
	if (r->link)
		return ST_OK;
	r->transport = end->transport;
	end->used = true;
	return (sends ? end->transport->connect_send : end->transport->connect_recv)(
	        end->endpoint, rank, &end->addresses[rank], &r->link);
}

enum status links_connect(struct links *l, const struct schedule *plan)
{
	enum status s = ST_OK;
	for (uint32_t i = 0; i < plan->send_count && s == ST_OK; i++)
		s = connect_one(l, plan->sends[i].peer, true);
	for (uint32_t i = 0; i < plan->recv_count && s == ST_OK; i++)
		s = connect_one(l, plan->recvs[i].peer, false);
	return s;
}

enum status links_register(struct links *l, const struct buffer *b)
{
	enum status s = ST_OK;
	for (int i = 0; i < l->end_count && s == ST_OK; i++)
		if (l->ends[i].endpoint)
			s = l->ends[i].transport->register_memory(l->ends[i].endpoint, b);
	return s;
}

void links_forget(struct links *l, const struct buffer *b)
{
	for (int i = 0; i < l->end_count; i++)
		if (l->ends[i].endpoint)
			l->ends[i].transport->forget_memory(l->ends[i].endpoint, b);
}

enum status links_progress(struct links *l)
{
	enum status s = ST_OK;
	for (int i = 0; i < l->end_count && s == ST_OK; i++)
		if (l->ends[i].used)
			s = l->ends[i].transport->progress(l->ends[i].endpoint);
	return s;
}

uint64_t links_moved_bytes(const struct links *l)
{
	uint64_t bytes = 0;
	for (int g = 0; g < l->n; g++) {
		bytes += l->send[g].link ? l->send[g].transport->completed(l->send[g].link) : 0;
		bytes += l->recv[g].link ? l->recv[g].transport->completed(l->recv[g].link) : 0;
	}
	return bytes;
}

void links_name(const struct links *l, const struct schedule *plan, char *text, size_t text_bytes)
{
	bool carries[LINK_TRANSPORTS] = {false};
	for (uint32_t i = 0; i < plan->send_count; i++)
		carries[l->choice[plan->sends[i].peer]] = true;
	for (uint32_t i = 0; i < plan->recv_count; i++)
		carries[l->choice[plan->recvs[i].peer]] = true;
	text[0] = 0;
	for (int i = 0; i < l->end_count; i++) {
		size_t used = strlen(text);
		if (carries[i])
			snprintf(text + used, text_bytes - used, "%s%s", used ? "+" : "",
			        l->ends[i].transport->name);
	}
}

enum status links_count_cores(struct world *w, int *cores_p)
{
	cpu_set_t mine, any, *all = calloc((size_t)w->ranks, sizeof *all);
	CPU_ZERO(&mine);
	CPU_ZERO(&any);
	sched_getaffinity(0, sizeof mine, &mine);
	enum status s = world_agree(w, all ? ST_OK : fail(ST_NOMEM, "no memory for %d ranks", w->ranks));
	if (s == ST_OK)
		s = world_allgather(w, &mine, sizeof mine, all);
	for (int i = 0; s == ST_OK && i < w->ranks; i++)
		if (w->places[i].machine == w->places[w->rank].machine)
			CPU_OR(&any, &any, &all[i]);
	*cores_p = CPU_COUNT(&any);
	free(all);
	return s;
}
