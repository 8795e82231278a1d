/* report.c - see report.h. */
#include "bench/core/report.h"

#include "bench/core/host_set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- one rank ---- */

static int64_t difference(int64_t after, int64_t before)
{
	return after < 0 || before < 0 ? -1 : after - before;
}

static void add_interface(struct report *r, const struct interface_bytes *i, uint64_t tx_bytes)
{
	static const char classes[] = "dml";
	const char *class = strchr(classes, i->class);
	if (class)
		r->tx_bytes[class - classes] += (int64_t)tx_bytes;
	for (int at = 0; at < REPORT_INTERFACES; at++) {
		if (tx_bytes <= r->busiest[at].tx_bytes)
			continue;
		memmove(&r->busiest[at + 1], &r->busiest[at],
		        sizeof r->busiest[0] * (size_t)(REPORT_INTERFACES - 1 - at));
		memcpy(r->busiest[at].name, i->name, sizeof i->name);
		r->busiest[at].tx_bytes = tx_bytes;
		return;
	}
}

struct report report_of(const struct world *w, const struct outcome *o)
{
	struct report r = {
	        .mean_ns = o->timing.mean_ns,
	        .launch_ns = o->timing.launch_ns,
	        .first_op_ns = o->timing.first_op_ns,
	        .cpu_ns = difference(o->after.cpu_ns, o->before.cpu_ns),
	        .cycles = difference(o->after.cycles, o->before.cycles),
	        .instructions = difference(o->after.instructions, o->before.instructions),
	        .wrong = o->wrong,
	        .seen = o->seen,
	};
	if (w->local_rank == 0 && !o->after.interfaces)
		r.tx_bytes[0] = r.tx_bytes[1] = r.tx_bytes[2] = -1;
	for (int i = 0; i < o->after.interfaces; i++)
		for (int b = 0; b < o->before.interfaces; b++)
			if (!strcmp(o->after.interface[i].name, o->before.interface[b].name))
				add_interface(&r, &o->after.interface[i],
				        o->after.interface[i].tx_bytes - o->before.interface[b].tx_bytes);
	return r;
}

/* ---- all ranks ---- */

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
static void join_names(char *joined, size_t bytes, const char *more)
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

/* The rank that read the interfaces of a node on which the group has a rank; else -1. */
static int reader_of(const struct world *w, int node, int group)
{
	int reader = -1;
	bool used = false;
	for (int i = 0; i < w->ranks; i++)
		if (w->places[i].node == node) {
			reader = w->places[i].local_rank == 0 ? i : reader;
			used = used || counts_in(w, i, group);
		}
	return used ? reader : -1;
}

/* Interfaces carry what all groups of a node send: each row has the sum. */
static void add_interfaces(const struct world *w, const struct report *all, int group, struct record *r)
{
	for (int node = 0; node < w->nodes; node++) {
		int reader = reader_of(w, node, group);
		if (reader < 0)
			continue;
		add(&r->tx_data_bytes, all[reader].tx_bytes[0]);
		add(&r->tx_management_bytes, all[reader].tx_bytes[1]);
		add(&r->tx_loopback_bytes, all[reader].tx_bytes[2]);
	}
}

/* "node-0/ens1=123 node-0/eth0=4": of each node its busiest, as many as fit. */
static void list_interfaces(const struct world *w, const struct report *all, int group, struct record *r)
{
	size_t used = 0;
	for (int at = 0; at < REPORT_INTERFACES; at++) /* the busiest of every node before the next of any */
		for (int node = 0; node < w->nodes; node++) {
			char text[128];
			int rank = reader_of(w, node, group);
			if (rank < 0 || !all[rank].busiest[at].tx_bytes)
				continue;
			int bytes = snprintf(text, sizeof text, "%s%s/%s=%llu", used ? " " : "",
			        w->places[rank].host, all[rank].busiest[at].name,
			        (unsigned long long)all[rank].busiest[at].tx_bytes);
			if (used + (size_t)bytes < sizeof r->interfaces) {
				memcpy(r->interfaces + used, text, (size_t)bytes + 1);
				used += (size_t)bytes;
			}
		}
}

static void describe_hosts(const struct world *w, int group, struct record *r)
{
	const char **hosts = calloc((size_t)w->nodes, sizeof *hosts);
	if (!hosts)
		return;
	for (int i = 0; i < w->ranks; i++)
		if (counts_in(w, i, group))
			hosts[w->places[i].node] = w->places[i].host;
	for (int node = 0; node < w->nodes; node++)
		if (hosts[node])
			hosts[r->nodes++] = hosts[node];
	host_set_print(hosts, r->nodes, r->host_set, sizeof r->host_set);
	free(hosts);
}

/* Bytes that must leave nodes in one operation of a group. */
static double leaving_bytes(
        const struct run *run, const struct test_case *c, const struct shape *shape, int group)
{
	const struct world *w = run->world;
	int *members = calloc((size_t)w->ranks, sizeof *members), n = 0;
	double bytes = 0;
	for (int i = 0; members && i < w->ranks; i++)
		if (w->places[i].group == group)
			members[n++] = i;
	for (int from = 0; w->nodes > 1 && from < n; from++)
		for (int to = 0; to < n; to++)
			if (w->places[members[from]].node != w->places[members[to]].node)
				bytes += run->collective->pair_bytes(
				        shape, n, from, to, c->root, &run->traffic);
	free(members);
	return bytes;
}

/* ---- the record ---- */

static void fill_key(
        const struct run *run, const struct test_case *c, const struct outcome *o, struct record *r)
{
	const struct plan *plan = run->plan;
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
	r->iters = plan->iters;
	r->agg_iters = plan->agg_iters;
	r->cycle = c->cycle;
}

static void add_report(int rank, const struct report *from, struct record *r)
{
	r->first_op_ns = from->first_op_ns > r->first_op_ns ? from->first_op_ns : r->first_op_ns;
	add(&r->cpu_ns, from->cpu_ns);
	add(&r->cycles, from->cycles);
	add(&r->instructions, from->instructions);
	if (from->wrong.wrong_elems && !r->wrong_elems) {
		r->wrong_rank = rank;
		r->wrong_index = (int64_t)from->wrong.first_index;
	}
	r->wrong_elems += from->wrong.wrong_elems;
	join_names(r->transport_seen, sizeof r->transport_seen, from->seen.transport);
	r->ranks++;
}

static void fill_rates(const struct run *run, const struct shape *shape, int n, struct record *r)
{
	double bytes = run->collective->algo_bytes(shape, shape->elem_bytes, n);
	r->bytes = shape_size_bytes(shape, shape->elem_bytes);
	r->count_elems = shape->count;
	r->algbw_gbs = r->mean_ns > 0 ? bytes / r->mean_ns : 0;
	r->busbw_gbs = r->algbw_gbs * run->collective->bus_factor(n);
}

void report_record(const struct reported *from, int group, struct record *r)
{
	const struct run *run = from->run;
	const struct test_case *c = from->row;
	const struct world *w = run->world;
	record_clear(r);
	fill_key(run, c, from->mine, r);
	r->group = group == EVERY_GROUP ? w->places[0].group : group;
	r->cpu_ns = r->cycles = r->instructions = 0;
	r->tx_data_bytes = r->tx_management_bytes = r->tx_loopback_bytes = 0;
	for (int i = 0; i < w->ranks; i++)
		if (counts_in(w, i, group))
			add_report(i, &from->all[i], r);
	describe_hosts(w, group, r);
	add_interfaces(w, from->all, group, r);
	list_interfaces(w, from->all, group, r);
	r->mean_ns = average_of(run, from->all, group);
	r->checked = from->mine->checked ? CHECK_DONE : CHECK_NONE;
	int n = group == EVERY_GROUP ? w->group_ranks : r->ranks;
	struct shape shape =
	        run->collective->shape((size_t)c->bytes / c->elem_bytes, c->elem_bytes, n, &run->traffic);
	fill_rates(run, &shape, n, r);
	if (group != EVERY_GROUP)
		r->model_bytes = (int64_t)(leaving_bytes(run, c, &shape, group) *
		                           (double)from->mine->timing.iterations * run->plan->agg_iters);
}
