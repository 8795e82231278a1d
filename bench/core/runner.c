/* runner.c - carries out one plan: the loop over rows, and what the sinks are told around it. */
#include "bench/core/runner.h"

#include "bench/core/case.h"
#include "bench/core/combine.h"
#include "bench/core/footprint.h"
#include "bench/core/pairs.h"
#include "bench/core/sweep.h"
#include "bench/core/types.h"
#include "bench/registry.h"

#include <stdio.h>
#include <string.h>

/* ---- the loop nest ---- */

/* -w operations at each size, doubling. */
static enum status warm_up(struct run *run, struct test_case *c)
{
	uint64_t bytes = run->min_bytes;
	enum status s = ST_OK;
	if (!run->plan->warmup_iters)
		return ST_OK;
	do {
		case_size(run, bytes, c);
		s = case_warm_up(run, c);
		bytes = bytes ? bytes * 2 : 1;
	} while (s == ST_OK && bytes <= run->max_bytes);
	return s;
}

static enum status run_row(struct run *run, struct test_case *c)
{
	struct outcome o;
	enum status s = case_run(run, c, &o);
	return s == ST_OK ? combine_row(run, c, &o) : s;
}

/* All sizes, both placements each. */
static enum status run_sizes(struct run *run, struct test_case *c)
{
	struct plan sizes = *run->plan;
	sizes.min_bytes = run->min_bytes;
	sizes.max_bytes = run->max_bytes;
	uint64_t bytes = sizes.min_bytes;
	enum status s;
	do {
		case_size(run, bytes, c);
		c->in_place = false;
		s = run_row(run, c);
		c->in_place = true;
		if (s == ST_OK)
			s = run_row(run, c);
		c->in_place = false;
	} while (s == ST_OK && sweep_next(&sizes, &bytes));
	return s;
}

/* One type, operation and root: warm-up, then the cycles. */
static enum status run_cycles(struct run *run, struct test_case *c)
{
	int cycles = run->plan->run_cycles;
	world_barrier(run->world);
	enum status s = warm_up(run, c);
	for (c->cycle = 0; s == ST_OK && (!cycles || c->cycle < cycles); c->cycle++)
		s = run_sizes(run, c);
	return s;
}

/* Roots that every group has. */
static enum status run_roots(struct run *run, struct test_case *c)
{
	int roots = run->world->group_ranks;
	for (int i = 0; i < combine_groups(run); i++)
		roots = combine_group_ranks(run, i) < roots ? combine_group_ranks(run, i) : roots;
	c->root = ALL_RANKS;
	if (!run->collective->rooted)
		return run_cycles(run, c);
	c->root = run->plan->root == PLAN_ALL ? 0 : run->plan->root;
	int last = run->plan->root == PLAN_ALL ? roots - 1 : c->root;
	enum status s = ST_OK;
	for (; c->root <= last && s == ST_OK; c->root++)
		s = run_cycles(run, c);
	return s;
}

/* "all" leaves out what the backend does not know; a type or op named by the user is an error then. */
static enum status run_type(struct run *run, enum dtype dtype, enum redop op)
{
	struct test_case c = {
	        .dtype = dtype,
	        .redop = run->collective->reduces ? op : OP_NONE,
	        .redop_printed = op,
	        .elem_bytes = dtype_bytes(dtype),
	};
	bool optional = run->plan->dtype == PLAN_ALL || run->plan->redop == PLAN_ALL;
	enum status s = run->backend->supports(run->communicator, run->collective, c.dtype, c.redop);
	if (s == ST_UNSUPPORTED && optional) {
		fail_forget();
		return ST_OK;
	}
	s = world_agree(run->world, s);
	return s == ST_OK ? run_roots(run, &c) : s;
}

static enum status run_types(struct run *run)
{
	const struct plan *plan = run->plan;
	bool has_op = run->collective->reduces || run->collective->prints_redop;
	int first = plan->dtype == PLAN_ALL ? 0 : plan->dtype,
	    last = plan->dtype == PLAN_ALL ? DTYPES - 1 : plan->dtype;
	int first_op = !has_op ? OP_NONE : plan->redop == PLAN_ALL ? 0 : plan->redop;
	int last_op = !has_op ? OP_NONE : plan->redop == PLAN_ALL ? REDOPS - 1 : plan->redop;
	enum status s = ST_OK;
	for (int dtype = first; dtype <= last && s == ST_OK; dtype++)
		for (int op = first_op; op <= last_op && s == ST_OK; op++)
			s = run_type(run, (enum dtype)dtype, (enum redop)op);
	return s;
}

/* A collective that cannot run on a group of some size is left out, and said so: nccl-tests' way. */
static enum status run_or_skip(struct run *run)
{
	for (int i = 0; i < combine_groups(run); i++)
		if (run->collective->runs_on(combine_group_ranks(run, i)) != ST_OK) {
			if (run->world->rank == 0)
				puts(fail_sentence());
			fail_forget();
			return ST_OK;
		}
	return run->plan->pairs ? pairs_run(run) : run_types(run);
}

/* ---- sinks ---- */

static enum status begin_sinks(struct run *run)
{
	enum status s = ST_OK;
	if (run->world->rank)
		return ST_OK;
	run->facts->backend = run->backend->name;
	run->facts->transport = run->plan->transport;
	run->facts->memory = run->memory->name;
	for (int i = 0; sinks[i] && s == ST_OK; i++)
		if (!sinks[i]->wanted || sinks[i]->wanted(run->plan))
			s = sinks[i]->begin(run->world, run->plan, run->facts);
	return s;
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

/* Rank 0's judgement is everybody's. */
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

enum status runner_run(struct world *w, const struct plan *plan, int *exit_code_p)
{
	struct run run = {.world = w, .plan = plan};
	enum status s = run_open(&run);
	bool begun = s == ST_OK && w->rank == 0;
	if (s == ST_OK)
		s = world_agree(w, begin_sinks(&run));
	if (s == ST_OK)
		s = run_or_skip(&run);
	if (s == ST_OK && plan->memory_report)
		s = footprint_report(&run);
	enum status told = end_sinks(&run, s, begun, exit_code_p);
	run_close(&run);
	return s > told ? s : told;
}
