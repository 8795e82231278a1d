/* runner.c - carries out one plan: what it needs, the loop over rows, and the end. */
#include "bench/core/runner.h"

#include "bench/core/check.h"
#include "bench/core/clock.h"
#include "bench/core/combine.h"
#include "bench/core/footprint.h"
#include "bench/core/measure.h"
#include "bench/core/sweep.h"
#include "bench/core/types.h"
#include "bench/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TIMED_SEED = 99 };

static enum status read_counters(const struct run *run, struct counts *out)
{
	*out = (struct counts){.cpu_ns = -1, .cycles = -1, .instructions = -1};
	char why[128];
	for (int i = 0; counters[i]; i++)
		if (counters[i]->probe(why, sizeof why) == ST_OK &&
		        (run->world->local_rank == 0 || !counters[i]->per_node)) {
			enum status s = counters[i]->read(out);
			if (s != ST_OK)
				return s;
		}
	return ST_OK;
}

static void utc_now(char text[24])
{
	time_t now = time(NULL);
	struct tm tm;
	strftime(text, 24, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
}

/* How many places of the buffers hold a result that can be known after the timed loop. In place, a reduction
 * works on its own result when a place comes round again, so then nothing is known. */
static size_t known_places(const struct run *run, const struct test_case *c)
{
	uint64_t operations = (uint64_t)run->plan->iters * (uint64_t)run->plan->agg_iters;
	if (!run->plan->check || (c->in_place && !run->collective->checked_in_place))
		return 0;
	if (c->in_place && run->collective->reduces && (operations > c->steps || run->plan->precision > 0))
		return 0;
	return operations < c->steps ? (size_t)operations : c->steps;
}

/* The -c checks: fresh data each, the first that fails ends them. */
static enum status run_checks(struct run *run, const struct test_case *c, struct outcome *o)
{
	if (c->in_place && !run->collective->checked_in_place)
		return ST_OK;
	for (int i = 0; i < run->plan->check; i++) {
		uint64_t seed = ++run->repetition;
		enum status s = world_agree(run->world, check_fill(run, c, 1, seed));
		if (s == ST_OK)
			s = world_agree(run->world, measure_once(run, c, 0));
		if (s == ST_OK)
			s = world_agree(run->world, check_verify(run, c, 0, seed, &o->wrong));
		int64_t wrong = o->wrong.wrong_elems > 0;
		if (s == ST_OK)
			s = world_reduce(run->world, REDUCE_MAX, &wrong, 1);
		if (s != ST_OK)
			return s;
		o->checked = true;
		if (wrong)
			break;
	}
	return ST_OK;
}

static enum status first_operation(struct run *run, const struct test_case *c, struct outcome *o)
{
	int64_t start_ns = clock_ns();
	world_progress(run->world, "in the first operation");
	enum status s = world_agree(run->world, measure_once(run, c, 0));
	o->timing.first_op_ns = clock_ns() - start_ns;
	return s;
}

/* Everything of a row but its reporting. */
static enum status run_bound(struct run *run, const struct test_case *c, struct outcome *o)
{
	struct world *w = run->world;
	size_t known = known_places(run, c);
	enum status s = ST_OK;
	if (run->plan->check)
		s = world_agree(w, check_fill(run, c, known ? known : 1, TIMED_SEED));
	if (s == ST_OK)
		s = first_operation(run, c, o);
	if (s == ST_OK && known && c->in_place && run->collective->reduces)
		s = world_agree(w, check_fill(run, c, known, TIMED_SEED));
	if (s == ST_OK)
		s = world_agree(w, read_counters(run, &o->before));
	if (s == ST_OK)
		s = measure_row(run, c, &o->timing);
	if (s == ST_OK)
		s = world_agree(w, read_counters(run, &o->after));
	for (size_t i = 0; i < known && s == ST_OK; i++)
		s = check_verify(run, c, i, TIMED_SEED, &o->wrong);
	o->checked = known > 0;
	s = world_agree(w, s);
	if (s == ST_OK)
		s = run_checks(run, c, o);
	run->backend->seen(c->bound, &o->seen);
	return s;
}

static enum status bind_case(struct run *run, struct test_case *c)
{
	const struct plan *plan = run->plan;
	char *recv = (char *)run->recv.base + (size_t)plan->unalign_elems * c->elem_bytes;
	char *send = (char *)run->send.base + (size_t)plan->unalign_elems * c->elem_bytes;
	size_t rank = (size_t)run->world->group_rank;
	struct operation op = {
	        .collective = run->collective,
	        .traffic = &run->traffic,
	        .shape = c->shape,
	        .dtype = c->dtype,
	        .redop = c->redop,
	        .root = c->root,
	        .send = c->in_place ? recv + c->shape.send_stride * rank * c->elem_bytes : send,
	        .recv = c->in_place ? recv + c->shape.recv_stride * rank * c->elem_bytes : recv,
	        .send_buffer = c->in_place ? &run->recv : &run->send,
	        .recv_buffer = &run->recv,
	};
	world_progress(run->world, "preparing the operation");
	return world_agree(run->world, run->backend->bind(run->communicator, &op, &c->bound));
}

static void unbind_case(struct run *run, struct test_case *c)
{
	if (c->bound)
		run->backend->unbind(c->bound);
	c->bound = NULL;
}

/* The size-dependent part of a case. */
static enum status case_size(struct run *run, uint64_t bytes, struct test_case *c)
{
	c->shape = run->collective->shape(
	        (size_t)bytes / c->elem_bytes, c->elem_bytes, run->world->group_ranks, &run->traffic);
	c->send_bytes = c->shape.send * c->elem_bytes;
	c->recv_bytes = c->shape.recv * c->elem_bytes;
	size_t size_bytes = shape_size_bytes(&c->shape, c->elem_bytes);
	if (size_bytes > run->max_bytes)
		return fail(ST_BAD_SIZE,
		        "the traffic matrix needs buffers of '%zu' bytes; give at least that to -b and -e",
		        size_bytes);
	c->steps = size_bytes ? (size_t)run->max_bytes / size_bytes : 1;
	return ST_OK;
}

static enum status run_row(struct run *run, struct test_case *c)
{
	struct outcome o;
	memset(&o, 0, sizeof o);
	utc_now(o.time);
	enum status s = bind_case(run, c);
	if (s == ST_OK)
		s = run_bound(run, c, &o);
	unbind_case(run, c);
	return s == ST_OK ? combine_row(run, c, &o) : s;
}

/* -w operations at each size, doubling. */
static enum status warm_up(struct run *run, struct test_case *c)
{
	uint64_t bytes = run->min_bytes;
	if (!run->plan->warmup_iters)
		return ST_OK;
	do {
		enum status s = case_size(run, bytes, c);
		if (s == ST_OK)
			s = bind_case(run, c);
		for (int i = 0; i < run->plan->warmup_iters && s == ST_OK; i++) {
			world_progress(run->world, "warming up");
			s = measure_once(run, c, (uint64_t)i);
		}
		s = world_agree(run->world, s);
		unbind_case(run, c);
		if (s != ST_OK)
			return s;
		bytes = bytes ? bytes * 2 : 1;
	} while (bytes <= run->max_bytes);
	return ST_OK;
}

/* One (type, op, root): warm-up, then cycles of all sizes, both placements each. */
static enum status run_sweep(struct run *run, struct test_case *c)
{
	struct plan sizes = *run->plan;
	sizes.min_bytes = run->min_bytes;
	sizes.max_bytes = run->max_bytes;
	enum status s = world_barrier(run->world);
	if (s == ST_OK)
		s = warm_up(run, c);
	for (c->cycle = 0; s == ST_OK && (!run->plan->run_cycles || c->cycle < run->plan->run_cycles);
	        c->cycle++) {
		uint64_t bytes = sizes.min_bytes;
		do {
			s = case_size(run, bytes, c);
			for (int placement = 0; placement < 2 && s == ST_OK; placement++) {
				c->in_place = placement == 1;
				s = run_row(run, c);
			}
			c->in_place = false;
		} while (s == ST_OK && sweep_next(&sizes, &bytes));
	}
	return s;
}

static enum status run_roots(struct run *run, struct test_case *c)
{
	int n = run->world->group_ranks;
	if (!run->collective->rooted) {
		c->root = ALL_RANKS;
		return run_sweep(run, c);
	}
	int first = run->plan->root == PLAN_ALL ? 0 : run->plan->root,
	    last = run->plan->root == PLAN_ALL ? n - 1 : first;
	for (c->root = first; c->root <= last; c->root++) {
		enum status s = run_sweep(run, c);
		if (s != ST_OK)
			return s;
	}
	return ST_OK;
}

/* "all" leaves out what the backend does not know; a type or op named by the user is an error then. */
static enum status run_types(struct run *run)
{
	const struct plan *plan = run->plan;
	bool has_op = run->collective->reduces || run->collective->prints_redop;
	int dtype_first = plan->dtype == PLAN_ALL ? 0 : plan->dtype,
	    dtype_last = plan->dtype == PLAN_ALL ? DTYPES - 1 : plan->dtype;
	int op_first = !has_op ? OP_NONE : plan->redop == PLAN_ALL ? 0 : plan->redop;
	int op_last = !has_op ? OP_NONE : plan->redop == PLAN_ALL ? REDOPS - 1 : plan->redop;
	for (int dtype = dtype_first; dtype <= dtype_last; dtype++)
		for (int op = op_first; op <= op_last; op++) {
			struct test_case c = {
			        .dtype = (enum dtype)dtype,
			        .redop = run->collective->reduces ? (enum redop)op : OP_NONE,
			        .redop_printed = (enum redop)op,
			        .elem_bytes = dtype_bytes((enum dtype)dtype),
			};
			enum status s =
			        run->backend->supports(run->communicator, run->collective, c.dtype, c.redop);
			if (s == ST_UNSUPPORTED && (plan->dtype == PLAN_ALL || plan->redop == PLAN_ALL)) {
				fail_forget();
				continue;
			}
			s = world_agree(run->world, s);
			if (s == ST_OK)
				s = run_roots(run, &c);
			if (s != ST_OK)
				return s;
		}
	return ST_OK;
}

/* What fits: the ranks of a node share what is available, and each holds two buffers. Where -b does not fit
 * either, what fits is the one size: nccl-tests' way. */
static enum status fit_memory(struct run *run)
{
	int64_t most = INT64_MAX;
	if (!run->backend->needs_cuda)
		most = footprint_available_bytes() / 4 * 3 / 2 / run->world->local_ranks;
	enum status s = world_reduce(run->world, REDUCE_MIN, &most, 1);
	run->min_bytes = run->plan->min_bytes;
	run->max_bytes = run->plan->max_bytes;
	if (s != ST_OK || run->max_bytes <= (uint64_t)most)
		return s;
	run->max_bytes = (uint64_t)most & ~(uint64_t)4095;
	if (!run->max_bytes)
		return fail(
		        ST_NOMEM, "no memory for buffers: %lld bytes are left for a rank", (long long)most);
	if (run->min_bytes > run->max_bytes)
		run->min_bytes = run->max_bytes;
	if (run->facts)
		run->facts->reduced_max_bytes = run->max_bytes;
	return ST_OK;
}

static enum status alloc_buffers(struct run *run)
{
	size_t bytes = (size_t)run->max_bytes + (size_t)run->plan->unalign_elems * sizeof(double);
	int device = run->world->places[run->world->rank].device;
	world_progress(run->world, "allocating the buffers");
	enum status s = run->memory->alloc(device, bytes, &run->send);
	return s == ST_OK ? run->memory->alloc(device, bytes, &run->recv) : s;
}

/* With -p the threads of a process make theirs at the same time, else one after another. */
static enum status make_buffers(struct run *run)
{
	int turns = run->plan->parallel_init ? 1 : run->world->threads;
	enum status s = ST_OK;
	for (int turn = 0; turn < turns && s == ST_OK; turn++) {
		if (turns == 1 || turn == run->world->thread)
			s = alloc_buffers(run);
		s = world_agree(run->world, s);
	}
	return s;
}

static enum status read_traffic(struct run *run)
{
	const struct plan *plan = run->plan;
	run->traffic.spread = plan->alltoallv_spread;
	if (strcmp(run->collective->name, "alltoallv") || !plan->alltoallv_matrix[0])
		return ST_OK;
	enum status s = traffic_read(plan->alltoallv_matrix, plan->alltoallv_scale, &run->traffic);
	return s == ST_OK ? traffic_check(&run->traffic, run->world->group_ranks) : s;
}

static enum status open_all(struct run *run)
{
	struct choice choice;
	struct world *w = run->world;
	world_deadline(w, run->plan->timeout_s);
	run->keeps_samples = run->plan->csv_dir[0] || run->plan->per_iter || run->plan->precision > 0;
	run->collective = collective_find(run->plan->collective);
	enum status s = world_agree(w, registry_choose(run->plan, &choice));
	if (s != ST_OK)
		return s;
	run->backend = choice.backend;
	run->memory = choice.memory;
	s = world_agree(w, read_traffic(run));
	if (s == ST_OK)
		s = provenance_gather(w, run->memory, &run->facts);
	if (s == ST_OK)
		s = world_agree(w, fit_memory(run));
	for (int i = 0; counters[i] && s == ST_OK; i++) {
		char why[128];
		if (counters[i]->probe(why, sizeof why) == ST_OK)
			s = counters[i]->open(run->plan);
	}
	s = world_agree(w, s);
	world_progress(w, "opening the backend");
	if (s == ST_OK)
		s = footprint_mark(run, FOOTPRINT_START);
	if (s == ST_OK)
		s = world_agree(w, run->backend->open(w, run->plan, &run->communicator));
	if (s == ST_OK)
		s = footprint_mark(run, FOOTPRINT_OPEN);
	return s == ST_OK ? make_buffers(run) : s;
}

static enum status begin_sinks(struct run *run)
{
	if (run->world->rank)
		return ST_OK;
	run->facts->backend = run->backend->name;
	run->facts->transport = run->plan->transport;
	run->facts->memory = run->memory->name;
	for (int i = 0; sinks[i]; i++)
		if (!sinks[i]->wanted || sinks[i]->wanted(run->plan)) {
			enum status s = sinks[i]->begin(run->world, run->plan, run->facts);
			if (s != ST_OK)
				return s;
		}
	return ST_OK;
}

static int judge(struct run *run, enum status s)
{
	struct summary *sum = &run->summary;
	double least_gbs = run->plan->min_bandwidth_gbs;
	sum->bandwidth_low = least_gbs >= 0 && sum->avg_busbw_gbs < 0.9 * least_gbs;
	if (s != ST_OK)
		return status_exit_code(s);
	return sum->wrong_checks || sum->bandwidth_low ? 7 : 0;
}

static enum status end_sinks(struct run *run, enum status s, bool begun, int *exit_code_p)
{
	*exit_code_p = judge(run, s);
	run->summary.exit_code = *exit_code_p;
	run->summary.error = s == ST_OK ? "" : "the run ended early";
	for (int i = 0; begun && sinks[i]; i++)
		if (!sinks[i]->wanted || sinks[i]->wanted(run->plan)) {
			enum status here = sinks[i]->end(run->plan, &run->summary);
			if (here != ST_OK && *exit_code_p == 0)
				*exit_code_p = status_exit_code(here);
		}
	return world_broadcast(run->world, exit_code_p, sizeof *exit_code_p);
}

static void close_all(struct run *run)
{
	for (int i = 0; counters[i]; i++)
		counters[i]->close();
	if (run->communicator)
		run->backend->close(run->communicator);
	if (run->recv.base)
		run->memory->free(&run->recv);
	if (run->send.base)
		run->memory->free(&run->send);
	traffic_free(&run->traffic);
	provenance_free(run->facts);
	free(run->sample_ns);
}

/* A collective that cannot run on a group of this size is left out, and said so: nccl-tests' way. */
static enum status run_or_skip(struct run *run)
{
	int64_t unfit = run->collective->runs_on(run->world->group_ranks) != ST_OK;
	enum status s = world_reduce(run->world, REDUCE_MAX, &unfit, 1);
	if (s == ST_OK && !unfit)
		return run_types(run);
	if (run->world->rank == 0)
		puts(fail_sentence());
	fail_forget();
	return s;
}

enum status runner_run(struct world *w, const struct plan *plan, int *exit_code_p)
{
	struct run run = {.world = w, .plan = plan};
	bool begun = false;
	enum status s = open_all(&run);
	if (s == ST_OK) {
		begun = w->rank == 0;
		s = world_agree(w, begin_sinks(&run));
	}
	if (s == ST_OK)
		s = run_or_skip(&run);
	if (s == ST_OK && plan->memory_report)
		s = footprint_report(&run);
	enum status told = end_sinks(&run, s, begun, exit_code_p);
	close_all(&run);
	return s > told ? s : told;
}
