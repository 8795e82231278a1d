/* combine.c - what each rank measured becomes the rows of the plan. */
#include "bench/core/combine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BUSIEST = 4 };

struct report { /* what every rank tells about its row */
	double mean_ns, launch_ns;
	int64_t first_op_ns, cpu_ns, cycles, instructions;
	int64_t tx_bytes[3]; /* data, management, loopback; of the node, by one rank of it; -1 unknown, 0 by
	                        the others */
	struct {
		char name[16];
		uint64_t tx_bytes;
	} busiest[BUSIEST]; /* interfaces of the node */
	uint64_t wrong_elems, wrong_index;
	struct seen seen;
};

static int64_t difference(int64_t after, int64_t before)
{
	return after < 0 || before < 0 ? -1 : after - before;
}

static void report_interface(struct report *r, const struct interface_bytes *i, uint64_t tx_bytes)
{
	static const char classes[] = "dml";
	const char *class = strchr(classes, i->class);
	if (class)
		r->tx_bytes[class - classes] += (int64_t)tx_bytes;
	for (int at = 0; at < BUSIEST; at++) {
		if (tx_bytes <= r->busiest[at].tx_bytes)
			continue;
		memmove(&r->busiest[at + 1], &r->busiest[at],
		        sizeof r->busiest[0] * (size_t)(BUSIEST - 1 - at));
		memcpy(r->busiest[at].name, i->name, sizeof i->name);
		r->busiest[at].tx_bytes = tx_bytes;
		return;
	}
}

static struct report report_of(const struct world *w, const struct outcome *o)
{
	struct report r = {
	        .mean_ns = o->timing.mean_ns,
	        .launch_ns = o->timing.launch_ns,
	        .first_op_ns = o->timing.first_op_ns,
	        .cpu_ns = difference(o->after.cpu_ns, o->before.cpu_ns),
	        .cycles = difference(o->after.cycles, o->before.cycles),
	        .instructions = difference(o->after.instructions, o->before.instructions),
	        .wrong_elems = o->wrong.wrong_elems,
	        .wrong_index = o->wrong.first_index,
	        .seen = o->seen,
	};
	if (w->local_rank == 0 && !o->after.interfaces)
		r.tx_bytes[0] = r.tx_bytes[1] = r.tx_bytes[2] = -1;
	for (int i = 0; i < o->after.interfaces; i++)
		for (int b = 0; b < o->before.interfaces; b++)
			if (!strcmp(o->after.interface[i].name, o->before.interface[b].name))
				report_interface(&r, &o->after.interface[i],
				        o->after.interface[i].tx_bytes - o->before.interface[b].tx_bytes);
	return r;
}

/* Which ranks a row is over: those of one group, or all. */
enum { EVERY_GROUP = -1 };

static bool counts_in(const struct world *w, int rank, int group)
{
	return group == EVERY_GROUP || w->places[rank].group == group;
}

static double average_of(const struct run *run, const struct report *all, int group)
{
	double sum = 0, low = INFINITY, high = 0, first = 0;
	int ranks = 0;
	for (int i = 0; i < run->world->ranks; i++) {
		if (!counts_in(run->world, i, group))
			continue;
		first = ranks++ ? first : all[i].mean_ns;
		sum += all[i].mean_ns;
		low = fmin(low, all[i].mean_ns);
		high = fmax(high, all[i].mean_ns);
	}
	const double by_kind[] = {[AVERAGE_RANK0] = first,
	        [AVERAGE_MEAN] = sum / ranks,
	        [AVERAGE_MIN] = low,
	        [AVERAGE_MAX] = high};
	return by_kind[run->plan->average];
}

/* Sum over ranks; unknown when it is unknown to one. */
static void add(int64_t *sum, int64_t value)
{
	*sum = *sum < 0 || value < 0 ? -1 : *sum + value;
}

/* "shm+socket": each name once. */
static void join_seen(char *joined, size_t bytes, const char *more)
{
	char copy[sizeof(struct seen)];
	snprintf(copy, sizeof copy, "%s", more);
	for (char *save, *name = strtok_r(copy, "+", &save); name; name = strtok_r(NULL, "+", &save)) {
		size_t used = strlen(joined);
		char *at = strstr(joined, name);
		size_t end = at ? strlen(name) : 0;
		if (at && (at == joined || at[-1] == '+') && (!at[end] || at[end] == '+'))
			continue;
		snprintf(joined + used, bytes - used, "%s%s", used ? "+" : "", name);
	}
}

static int host_order(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void describe_hosts(const struct run *run, int group, struct record *r)
{
	const struct world *w = run->world;
	const char **hosts = calloc((size_t)w->ranks, sizeof *hosts);
	if (!hosts)
		return;
	int *nodes = calloc((size_t)w->nodes, sizeof *nodes), count = 0;
	for (int i = 0; nodes && i < w->ranks; i++)
		if (counts_in(w, i, group) && !nodes[w->places[i].node]++)
			hosts[count++] = w->places[i].host;
	r->nodes = count;
	qsort(hosts, (size_t)count, sizeof *hosts, host_order);
	for (int i = 0; i < count; i++) {
		size_t used = strlen(r->host_set);
		int wrote = snprintf(
		        r->host_set + used, sizeof r->host_set - used, "%s%s", i ? " " : "", hosts[i]);
		if (wrote < 0 || (size_t)wrote >= sizeof r->host_set - used) {
			snprintf(r->host_set, sizeof r->host_set, "%s .. %s (%d hosts)", hosts[0],
			        hosts[count - 1], count);
			break;
		}
	}
	free(nodes);
	free(hosts);
}

/* Bytes that must leave nodes in the timed loop, for one group. */
static double group_model_bytes(const struct run *run, const struct test_case *c, int group)
{
	const struct world *w = run->world;
	int *members = calloc((size_t)w->ranks, sizeof *members), n = 0;
	double bytes = 0;
	for (int i = 0; members && i < w->ranks; i++)
		if (w->places[i].group == group)
			members[n++] = i;
	for (int from = 0; from < n; from++)
		for (int to = 0; to < n; to++)
			if (w->places[members[from]].node != w->places[members[to]].node)
				bytes += run->collective->pair_bytes(
				        &c->shape, n, from, to, c->root, &run->traffic);
	free(members);
	return bytes;
}

static void fill_key(
        const struct run *run, const struct test_case *c, const struct outcome *o, struct record *r)
{
	const struct plan *plan = run->plan;
	record_clear(r);
	snprintf(r->run_id, sizeof r->run_id, "%s", run->world->run_id);
	snprintf(r->time, sizeof r->time, "%s", o->time);
	snprintf(r->cluster, sizeof r->cluster, "%s", plan->cluster);
	snprintf(r->tier, sizeof r->tier, "%s", plan->tier);
	snprintf(r->collective, sizeof r->collective, "%s", run->collective->name);
	snprintf(r->backend, sizeof r->backend, "%s", run->backend->name);
	snprintf(r->transport_asked, sizeof r->transport_asked, "%s", plan->transport);
	snprintf(r->algorithm, sizeof r->algorithm, "%s", o->seen.algorithm);
	snprintf(r->protocol, sizeof r->protocol, "%s", o->seen.protocol);
	snprintf(r->memory, sizeof r->memory, "%s", run->memory->name);
	snprintf(r->placement, sizeof r->placement, "%s", c->in_place ? "in-place" : "out-of-place");
	r->channels = o->seen.channels;
	r->dtype = c->dtype;
	r->redop = c->redop_printed;
	r->root = c->root;
	r->bytes = shape_size_bytes(&c->shape, c->elem_bytes);
	r->count_elems = c->shape.count;
	r->iters = plan->iters;
	r->agg_iters = plan->agg_iters;
	r->cycle = c->cycle;
}

static void add_report(const struct world *w, int rank, const struct report *from, struct record *r)
{
	r->first_op_ns = from->first_op_ns > r->first_op_ns ? from->first_op_ns : r->first_op_ns;
	add(&r->cpu_ns, from->cpu_ns);
	add(&r->cycles, from->cycles);
	add(&r->instructions, from->instructions);
	add(&r->tx_data_bytes, from->tx_bytes[0]);
	add(&r->tx_management_bytes, from->tx_bytes[1]);
	add(&r->tx_loopback_bytes, from->tx_bytes[2]);
	if (from->wrong_elems && !r->wrong_elems) {
		r->wrong_rank = rank;
		r->wrong_index = (int64_t)from->wrong_index;
	}
	r->wrong_elems += from->wrong_elems;
	join_seen(r->transport_seen, sizeof r->transport_seen, from->seen.transport);
	for (int i = 0; i < BUSIEST && from->busiest[i].tx_bytes; i++) {
		char text[112];
		snprintf(text, sizeof text, "%s%s/%s=%llu", r->interfaces[0] ? " " : "", w->places[rank].host,
		        from->busiest[i].name, (unsigned long long)from->busiest[i].tx_bytes);
		if (strlen(r->interfaces) + strlen(text) < sizeof r->interfaces)
			strcat(r->interfaces, text);
	}
}

static void fill_record(const struct run *run, const struct test_case *c, const struct outcome *o,
        const struct report *all, int group, struct record *r)
{
	const struct world *w = run->world;
	fill_key(run, c, o, r);
	describe_hosts(run, group, r);
	r->group = group == EVERY_GROUP ? w->places[0].group : group;
	r->cpu_ns = r->cycles = r->instructions = 0;
	r->tx_data_bytes = r->tx_management_bytes = r->tx_loopback_bytes = 0;
	for (int i = 0; i < w->ranks; i++)
		if (counts_in(w, i, group)) {
			add_report(w, i, &all[i], r);
			r->ranks++;
		}
	int n = group == EVERY_GROUP ? w->group_ranks : r->ranks;
	r->mean_ns = average_of(run, all, group);
	r->algbw_gbs =
	        r->mean_ns > 0 ? run->collective->algo_bytes(&c->shape, c->elem_bytes, n) / r->mean_ns : 0;
	r->busbw_gbs = r->algbw_gbs * run->collective->bus_factor(n);
	r->checked = o->checked ? CHECK_DONE : CHECK_NONE;
	if (group != EVERY_GROUP) {
		size_t iterations = o->timing.samples ? o->timing.samples : (size_t)run->plan->iters;
		r->model_bytes = (int64_t)(group_model_bytes(run, c, group) * (double)iterations *
		                           run->plan->agg_iters);
	}
}

/* Slowest and fastest rank of each operation, over the ranks of a group; -1 for the others' contribution. */
static enum status combine_samples(
        struct run *run, size_t count, int group, int64_t *slowest, int64_t *fastest)
{
	bool in = counts_in(run->world, run->world->rank, group);
	for (size_t i = 0; i < count; i++) {
		slowest[i] = in ? run->sample_ns[i] : INT64_MIN;
		fastest[i] = in ? run->sample_ns[i] : INT64_MAX;
	}
	enum status s = world_reduce(run->world, REDUCE_MAX, slowest, count);
	return s == ST_OK ? world_reduce(run->world, REDUCE_MIN, fastest, count) : s;
}

/* -I: the slowest rank of each process, microseconds. */
static enum status process_samples(struct run *run, size_t count, double **out)
{
	const struct world *w = run->world;
	int64_t *all = malloc((size_t)w->ranks * count * sizeof *all);
	double *max_us = calloc((size_t)w->processes * count, sizeof *max_us);
	enum status s = world_agree(
	        run->world, all && max_us ? ST_OK : fail(ST_NOMEM, "no memory for the samples of -I"));
	if (s == ST_OK)
		s = world_allgather(run->world, run->sample_ns, count * sizeof *all, all);
	for (int rank = 0; s == ST_OK && rank < w->ranks; rank++)
		for (size_t i = 0; i < count; i++) {
			double *at = &max_us[(size_t)w->places[rank].process * count + i];
			*at = fmax(*at, (double)all[(size_t)rank * count + i] / 1e3);
		}
	free(all);
	*out = max_us;
	return s;
}

static void sample_stats(const struct samples *from, double *scratch, struct stats *out)
{
	for (size_t i = 0; i < from->count; i++)
		scratch[i] = (double)from->elapsed_ns[i];
	stats_of(scratch, from->count, out);
}

/* nccl-tests: a rank whose check finds wrong elements counts once a placement in the last lines; the table
 * adds up elements. */
static enum status tell_sinks(struct run *run, const struct row *row, const struct report *all)
{
	struct summary *sum = &run->summary;
	for (int i = 0; i < run->world->ranks; i++)
		sum->wrong_checks += all[i].wrong_elems > 0;
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

static int group_list(const struct world *w, int *groups)
{
	int count = 0;
	for (int i = 0; i < w->ranks; i++) {
		int at = 0;
		while (at < count && groups[at] != w->places[i].group)
			at++;
		if (at == count)
			groups[count++] = w->places[i].group;
	}
	return count;
}

struct workspace {
	struct report *all;
	int *groups;
	int group_count;
	struct record *records;  /* [group_count + 1] */
	struct samples *samples; /* [group_count + 1] */
	int64_t *sample_ns;      /* [group_count + 1][2][count] */
	double *scratch;
	double *process_max_us;
};

static enum status workspace_make(const struct run *run, size_t count, struct workspace *ws)
{
	const struct world *w = run->world;
	*ws = (struct workspace){.groups = calloc((size_t)w->ranks, sizeof *ws->groups)};
	if (!ws->groups)
		return fail(ST_NOMEM, "no memory for a row of %d ranks", w->ranks);
	ws->group_count = group_list(w, ws->groups);
	size_t rows = (size_t)ws->group_count + 1;
	ws->all = calloc((size_t)w->ranks, sizeof *ws->all);
	ws->records = calloc(rows, sizeof *ws->records);
	ws->samples = calloc(rows, sizeof *ws->samples);
	ws->sample_ns = calloc(rows * 2 * count + 1, sizeof *ws->sample_ns);
	ws->scratch = calloc(count + 1, sizeof *ws->scratch);
	if (!ws->all || !ws->records || !ws->samples || !ws->sample_ns || !ws->scratch)
		return fail(ST_NOMEM, "no memory for a row of %d ranks and %zu samples", w->ranks, count);
	return ST_OK;
}

static void workspace_free(struct workspace *ws)
{
	free(ws->all);
	free(ws->groups);
	free(ws->records);
	free(ws->samples);
	free(ws->sample_ns);
	free(ws->scratch);
	free(ws->process_max_us);
}

static enum status gather_samples(struct run *run, size_t count, struct workspace *ws)
{
	enum status s = ST_OK;
	for (int i = 0; i <= ws->group_count && s == ST_OK && count; i++) {
		int64_t *slowest = ws->sample_ns + (size_t)i * 2 * count, *fastest = slowest + count;
		ws->samples[i] =
		        (struct samples){.count = count, .elapsed_ns = slowest, .fastest_ns = fastest};
		s = combine_samples(
		        run, count, i == ws->group_count ? EVERY_GROUP : ws->groups[i], slowest, fastest);
	}
	if (s == ST_OK && count && run->plan->per_iter)
		s = process_samples(run, count, &ws->process_max_us);
	ws->samples[ws->group_count].processes = run->world->processes;
	ws->samples[ws->group_count].process_max_us = ws->process_max_us;
	return s;
}

/* Rank 0: the first wrong element in a sentence; the row has it too. */
static void say_wrong(const struct record *r, const struct outcome *o, int rank)
{
	if (r->wrong_rank == rank)
		fprintf(stderr, "# first wrong element: rank %lld index %lld, got %g, expected %g\n",
		        (long long)r->wrong_rank, (long long)r->wrong_index, o->wrong.got, o->wrong.expected);
	else if (r->wrong_rank >= 0)
		fprintf(stderr, "# first wrong element: rank %lld index %lld\n", (long long)r->wrong_rank,
		        (long long)r->wrong_index);
}

enum status combine_row(struct run *run, const struct test_case *c, const struct outcome *o)
{
	struct world *w = run->world;
	struct report mine = report_of(w, o);
	struct workspace ws;
	size_t count = o->timing.samples;
	enum status s = world_agree(w, workspace_make(run, count, &ws));
	if (s == ST_OK)
		s = world_allgather(w, &mine, sizeof mine, ws.all);
	if (s == ST_OK)
		s = gather_samples(run, count, &ws);
	if (s == ST_OK && w->rank == 0) {
		struct record *combined = &ws.records[ws.group_count];
		for (int i = 0; i <= ws.group_count; i++) {
			fill_record(run, c, o, ws.all, i == ws.group_count ? EVERY_GROUP : ws.groups[i],
			        &ws.records[i]);
			if (count)
				sample_stats(&ws.samples[i], ws.scratch, &ws.records[i].time_ns);
		}
		struct row row = {
		        .in_place = c->in_place,
		        .combined = combined,
		        .groups = ws.records,
		        .group_count = ws.group_count,
		        .traffic = &run->traffic,
		        .samples = ws.samples,
		        .launch_ns = ws.all[0].launch_ns,
		};
		s = tell_sinks(run, &row, ws.all);
		say_wrong(combined, o, 0);
	}
	workspace_free(&ws);
	return world_agree(w, s);
}
