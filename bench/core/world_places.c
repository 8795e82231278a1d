/* world_places.c - every process introduces itself; nodes, local ranks and groups follow by counting. */
#include "bench/core/world_places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct introduction { /* of one process; plain bytes */
	char host[64];
	uint64_t machine;
	int32_t pid, threads, colour, status;
};

static uint64_t hash(uint64_t h, const char *text)
{
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3; /* FNV-1a */
	return h;
}

/* Two containers of one machine may share a name but not both name and boot id with another machine. */
static void introduce(const struct world_setup *setup, struct introduction *me)
{
	char boot[64] = "";
	*me = (struct introduction){.pid = (int32_t)getpid(), .threads = setup->threads};
	if (gethostname(me->host, sizeof me->host - 1) != 0)
		strcpy(me->host, "localhost");
	me->host[strcspn(me->host, ".")] = 0;
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	if (f) {
		if (!fgets(boot, sizeof boot, f))
			boot[0] = 0;
		fclose(f);
	}
	me->machine = hash(hash(0xcbf29ce484222325, me->host), boot);
	fail_keep(true);
	me->status = world_split_parse(setup->split, setup->split_mask, setup->process, &me->colour);
	fail_keep(false);
}

/* The worst of what the processes say of themselves, the same on each; the first that holds it prints its
 * sentence. */
static enum status judge(const struct world_setup *setup, const struct introduction *all)
{
	int holder = 0;
	for (int p = 1; p < setup->processes; p++)
		if (all[p].status > all[holder].status)
			holder = p;
	enum status worst = (enum status)all[holder].status;
	if (worst != ST_OK && holder == setup->process)
		fail_tell(NULL);
	for (int p = 1; p < setup->processes && worst == ST_OK; p++)
		if (all[p].threads != all[0].threads)
			worst = setup->process ? ST_MISMATCH
			                       : fail(ST_MISMATCH,
			                                 "process %d on %s starts %d rank threads and "
			                                 "process 0 %d; start all with "
			                                 "the same options",
			                                 p, all[p].host, all[p].threads, all[0].threads);
	return worst;
}

static enum status settle(const struct world_setup *setup, const struct introduction *all, struct places *out)
{
	out->ranks = setup->processes * setup->threads;
	out->at = calloc((size_t)out->ranks, sizeof *out->at);
	out->members = calloc((size_t)out->ranks, sizeof *out->members);
	if (!out->at || !out->members)
		return fail(ST_NOMEM, "no memory for the places of %d ranks", out->ranks);
	for (int r = 0; r < out->ranks; r++) {
		struct place *at = &out->at[r];
		const struct introduction *from = &all[r / setup->threads];
		memcpy(at->host, from->host, sizeof at->host);
		at->machine = from->machine;
		at->process = r / setup->threads;
		at->pid = from->pid;
		at->group = from->colour;
	}
	places_number(out);
	for (int r = 0; r < out->ranks; r++)
		out->at[r].device = setup->device_base < 0 ? out->at[r].local_rank
		                                           : setup->device_base + r % setup->threads;
	return ST_OK;
}

enum status places_exchange(const struct world_setup *setup, struct places *out)
{
	struct introduction me, *all = calloc((size_t)setup->processes, sizeof *all);
	if (!all)
		return fail(ST_NOMEM, "no memory for the introductions of %d processes", setup->processes);
	introduce(setup, &me);
	enum status s = setup->bootstrap->allgather(&me, sizeof me, all);
	if (s == ST_OK)
		s = judge(setup, all);
	if (s == ST_OK)
		s = settle(setup, all, out);
	free(all);
	return s;
}

void places_free(struct places *p)
{
	free(p->members);
	free(p->at);
}

/* The node and local rank of rank r, by the nearest lower rank on the same machine. */
static void number_node(struct places *p, int r)
{
	for (int q = r - 1; q >= 0; q--)
		if (p->at[q].machine == p->at[r].machine) {
			p->at[r].node = p->at[q].node;
			p->at[r].local_rank = p->at[q].local_rank + 1;
			return;
		}
	p->at[r].node = p->nodes++;
	p->at[r].local_rank = 0;
}

void places_number(struct places *p)
{
	int filled = 0;
	p->nodes = 0;
	for (int r = 0; r < p->ranks; r++)
		number_node(p, r);
	for (int r = 0; r < p->ranks; r++) {
		bool first = true;
		for (int q = 0; q < r && first; q++)
			first = p->at[q].group != p->at[r].group;
		for (int q = r; q < p->ranks && first; q++)
			if (p->at[q].group == p->at[r].group)
				p->members[filled++] = q;
	}
}

static int local_ranks(const struct places *p, int node)
{
	int n = 0;
	for (int r = 0; r < p->ranks; r++)
		n += p->at[r].node == node;
	return n;
}

void places_world(const struct places *p, int rank, struct world *out)
{
	const struct place *me = &p->at[rank];
	const int *member = p->members, *end = p->members + p->ranks;
	out->rank = rank;
	out->ranks = p->ranks;
	out->node = me->node;
	out->nodes = p->nodes;
	out->local_rank = me->local_rank;
	out->local_ranks = local_ranks(p, me->node);
	out->group = me->group;
	out->places = p->at;
	while (p->at[*member].group != me->group)
		member++;
	out->group_members = member;
	for (; member < end && p->at[*member].group == me->group; member++) {
		if (*member == rank)
			out->group_rank = (int)(member - out->group_members);
		out->group_ranks++;
	}
}
