/* combine.c - see combine.h. */
#include "bench/core/combine.h"

#include "bench/core/grow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct group {
	int colour, ranks;
};

struct combined { /* kept from row to row */
	struct group *groups;
	int group_count;
	struct report *all;      /* [ranks] */
	struct record *records;  /* [group_count + 1]: the last is over all */
	struct samples *samples; /* likewise */
	size_t room;             /* samples of a row */
	int64_t *sample_ns;      /* [group_count + 1][slowest, fastest][count] */
	/* -I */
	int64_t *every_ns;      /* [ranks][count] */
	double *process_max_us; /* [processes][count] */
};

static void list_groups(const struct world *w, struct combined *b)
{
	for (int i = 0; i < w->ranks; i++) {
		int at = 0;
		while (at < b->group_count && b->groups[at].colour != w->places[i].group)
			at++;
		b->groups[at].colour = w->places[i].group;
		b->groups[at].ranks++;
		b->group_count += at == b->group_count;
	}
}

enum status combine_open(struct run *run)
{
	size_t ranks = (size_t)run->world->ranks;
	struct combined *b = run->combined = calloc(1, sizeof *b);
	if (!b || !(b->groups = calloc(ranks, sizeof *b->groups)))
		return fail(ST_NOMEM, "no memory for the rows of %zu ranks", ranks);
	list_groups(run->world, b);
	b->all = calloc(ranks, sizeof *b->all);
	b->records = calloc((size_t)b->group_count + 1, sizeof *b->records);
	b->samples = calloc((size_t)b->group_count + 1, sizeof *b->samples);
	if (!b->all || !b->records || !b->samples)
		return fail(ST_NOMEM, "no memory for the rows of %zu ranks", ranks);
	return ST_OK;
}

void combine_close(struct run *run)
{
	struct combined *b = run->combined;
	if (!b)
		return;
	free(b->groups);
	free(b->all);
	free(b->records);
	free(b->samples);
	free(b->sample_ns);
	free(b->every_ns);
	free(b->process_max_us);
	free(b);
}

int combine_groups(const struct run *run)
{
	return run->combined->group_count;
}

int combine_group_ranks(const struct run *run, int i)
{
	return run->combined->groups[i].ranks;
}

/* ---- samples ---- */

static enum status make_room(struct run *run, size_t count)
{
	struct combined *b = run->combined;
	size_t ranks = (size_t)run->world->ranks, processes = (size_t)run->world->processes;
	if (count <= b->room)
		return ST_OK;
	bool ok = true;
	b->sample_ns =
	        grown(b->sample_ns, ((size_t)b->group_count + 1) * 2 * count * sizeof *b->sample_ns, &ok);
	if (run->plan->per_iter) {
		b->every_ns = grown(b->every_ns, ranks * count * sizeof *b->every_ns, &ok);
		b->process_max_us =
		        grown(b->process_max_us, processes * count * sizeof *b->process_max_us, &ok);
	}
	if (!ok)
		return fail(ST_NOMEM, "no memory for %zu samples of %d groups", count, b->group_count);
	b->room = count;
	return ST_OK;
}

/* Slowest and fastest rank of each iteration, group by group, in one go: the fastest is the slowest of the
 * negated. A rank has nothing to say about groups that it is not in. */
static void gather_samples(struct run *run, size_t count)
{
	struct combined *b = run->combined;
	size_t groups = (size_t)b->group_count;
	for (size_t g = 0; g < groups; g++) {
		bool in = b->groups[g].colour == run->world->group;
		int64_t *slowest = b->sample_ns + g * 2 * count, *fastest = slowest + count;
		for (size_t i = 0; i < count; i++) {
			slowest[i] = in ? run->sample_ns[i] : -INT64_MAX;
			fastest[i] = in ? -run->sample_ns[i] : -INT64_MAX;
		}
	}
	world_reduce(run->world, REDUCE_MAX, b->sample_ns, groups * 2 * count);
	int64_t *every = b->sample_ns + groups * 2 * count;
	for (size_t at = 0; at < 2 * count; at++) {
		every[at] = b->sample_ns[at];
		for (size_t g = 1; g < groups; g++)
			if (b->sample_ns[g * 2 * count + at] > every[at])
				every[at] = b->sample_ns[g * 2 * count + at];
	}
	for (size_t g = 0; g <= groups; g++) {
		int64_t *slowest = b->sample_ns + g * 2 * count, *fastest = slowest + count;
		for (size_t i = 0; i < count; i++)
			fastest[i] = -fastest[i];
		b->samples[g] =
		        (struct samples){.count = count, .elapsed_ns = slowest, .fastest_ns = fastest};
	}
}

/* -I: the slowest rank of each process, microseconds. */
static void gather_processes(struct run *run, size_t count)
{
	const struct world *w = run->world;
	struct combined *b = run->combined;
	world_allgather(run->world, run->sample_ns, count * sizeof *b->every_ns, b->every_ns);
	memset(b->process_max_us, 0, (size_t)w->processes * count * sizeof *b->process_max_us);
	for (int rank = 0; rank < w->ranks; rank++)
		for (size_t i = 0; i < count; i++) {
			double *at = &b->process_max_us[(size_t)w->places[rank].process * count + i];
			*at = fmax(*at, (double)b->every_ns[(size_t)rank * count + i] / 1e3);
		}
	b->samples[b->group_count].processes = w->processes;
	b->samples[b->group_count].process_max_us = b->process_max_us;
}

static void sample_stats(const struct run *run, const struct samples *from, struct stats *out)
{
	for (size_t i = 0; i < from->count; i++)
		run->sorted_ns[i] = (double)from->elapsed_ns[i];
	stats_of(run->sorted_ns, from->count, out);
}

/* ---- rank 0 ---- */

/* The first wrong element of a plan, in a sentence; every row has its own in its columns. */
static void say_wrong(struct run *run, const struct record *r)
{
	const struct report *all = run->combined->all;
	if (!r->wrong_elems || run->summary.wrong_checks)
		return;
	fprintf(stderr,
	        "# wrong data: %s %s of %llu bytes, %s: rank %lld has %.9g at index %lld, expected %.9g\n",
	        r->backend, r->collective, (unsigned long long)r->bytes, r->placement,
	        (long long)r->wrong_rank, all[r->wrong_rank].wrong.got, (long long)r->wrong_index,
	        all[r->wrong_rank].wrong.expected);
}

/* nccl-tests: a rank whose check finds wrong elements counts once a placement in the last lines; the table
 * adds up elements. */
static enum status tell_sinks(struct run *run, const struct row *row)
{
	struct summary *sum = &run->summary;
	say_wrong(run, row->combined);
	for (int i = 0; i < run->world->ranks; i++)
		sum->wrong_checks += run->combined->all[i].wrong.wrong_elems > 0;
	run->busbw_sum_gbs += row->combined->busbw_gbs;
	run->rows++;
	sum->avg_busbw_gbs = run->busbw_sum_gbs / (double)run->rows;
	enum status s = ST_OK;
	for (int i = 0; sinks[i]; i++)
		if (!sinks[i]->wanted || sinks[i]->wanted(run->plan)) {
			enum status here = sinks[i]->row(run->plan, row);
			s = here > s ? here : s;
		}
	return s;
}

static enum status make_row(struct run *run, const struct test_case *c, const struct outcome *o)
{
	struct combined *b = run->combined;
	const struct reported from = {.run = run, .row = c, .mine = o, .all = b->all};
	for (int i = 0; i <= b->group_count; i++) {
		bool every = i == b->group_count;
		report_record(&from, every ? EVERY_GROUP : b->groups[i].colour, &b->records[i]);
		if (o->timing.samples)
			sample_stats(run, &b->samples[i], &b->records[i].time_ns);
	}
	const struct row row = {
	        .in_place = c->in_place,
	        .combined = &b->records[b->group_count],
	        .groups = b->records,
	        .group_count = b->group_count,
	        .traffic = &run->traffic,
	        .samples = b->samples,
	        .launch_ns = b->all[0].launch_ns,
	};
	return tell_sinks(run, &row);
}

enum status combine_row(struct run *run, const struct test_case *c, const struct outcome *o)
{
	struct world *w = run->world;
	struct combined *b = run->combined;
	struct report mine = report_of(w, o);
	size_t count = o->timing.samples;
	enum status worst = ST_OK;
	mine.status = make_room(run, count);
	world_allgather(w, &mine, sizeof mine, b->all);
	for (int i = 0; i < w->ranks; i++)
		worst = b->all[i].status > worst ? b->all[i].status : worst;
	if (worst != ST_OK)
		return world_agree(w, mine.status);
	if (count)
		gather_samples(run, count);
	if (count && run->plan->per_iter)
		gather_processes(run, count);
	return world_agree(w, w->rank == 0 ? make_row(run, c, o) : ST_OK);
}
