/* case.c - see case.h. The order is nccl-tests': data, one untimed operation, barrier, timed loop, barrier,
 * checks; and besides, the data that the timed loop left behind are looked at too. */
#include "bench/core/case.h"

#include "bench/core/check.h"
#include "bench/core/clock.h"
#include "bench/core/measure.h"
#include "bench/registry.h"

#include <time.h>

enum { TIMED_SEED = 99 }; /* nccl-tests' */

void case_size(const struct run *run, uint64_t bytes, struct test_case *c)
{
	c->bytes = bytes;
	c->shape = run->collective->shape(
	        (size_t)bytes / c->elem_bytes, c->elem_bytes, run->world->group_ranks, &run->traffic);
	c->send_bytes = c->shape.send * c->elem_bytes;
	c->recv_bytes = c->shape.recv * c->elem_bytes;
	size_t size_bytes = shape_size_bytes(&c->shape, c->elem_bytes);
	c->steps = size_bytes ? (size_t)run->max_bytes / size_bytes : 1;
}

/* ---- binding ---- */

static enum status bind_case(struct run *run, struct test_case *c)
{
	size_t rank = (size_t)run->world->group_rank, shift = (size_t)run->plan->unalign_elems;
	char *recv = (char *)run->recv.base + shift * c->elem_bytes;
	char *send = (char *)run->send.base + shift * c->elem_bytes;
	const struct operation op = {
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
	return run->backend->bind(run->communicator, &op, &c->bound);
}

static void unbind_case(struct run *run, struct test_case *c)
{
	if (c->bound)
		run->backend->unbind(c->bound);
	c->bound = NULL;
}

enum status case_warm_up(struct run *run, struct test_case *c)
{
	enum status s = world_agree(run->world, bind_case(run, c));
	for (int i = 0; i < run->plan->warmup_iters && s == ST_OK; i++) {
		world_progress(run->world, "warming up");
		s = measure_once(run, c, (uint64_t)i);
	}
	s = world_agree(run->world, s);
	unbind_case(run, c);
	return s;
}

/* ---- what is known about the data ---- */

static bool can_be_checked(const struct run *run, const struct test_case *c)
{
	return run->plan->check && (!c->in_place || run->collective->checked_in_place);
}

/* In place, a reduction works on its own result when a place of the buffers comes round again. */
static bool eats_its_input(const struct run *run, const struct test_case *c)
{
	return c->in_place && run->collective->reduces;
}

/* How many places of the buffers hold, after the timed loop, results that can be known. */
static size_t known_places(const struct run *run, const struct test_case *c)
{
	uint64_t operations = (uint64_t)run->plan->iters * (uint64_t)run->plan->agg_iters;
	if (!can_be_checked(run, c))
		return 0;
	if (eats_its_input(run, c) && (operations > c->steps || run->plan->precision > 0))
		return 0;
	return operations < c->steps ? (size_t)operations : c->steps;
}

/* The worst status of all ranks, and whether any of them has found something wrong. */
static enum status agree_on_data(
        struct run *run, enum status mine, const struct mismatch *found, bool *wrong_p)
{
	int64_t worst[] = {(int64_t)mine, found->wrong_elems > 0};
	enum status s = world_reduce(run->world, REDUCE_MAX, worst, 2);
	*wrong_p = worst[1] > 0;
	return s == ST_OK && worst[0] == ST_OK ? ST_OK : world_agree(run->world, mine);
}

/* ---- the steps of a row ---- */

static enum status read_counters(const struct run *run, struct counts *out)
{
	*out = (struct counts){.cpu_ns = -1, .cycles = -1, .instructions = -1};
	enum status s = ST_OK;
	for (int i = 0; counters[i] && s == ST_OK; i++)
		if (run->counting & 1u << i)
			s = counters[i]->read(out);
	return s;
}

static enum status prepare(struct run *run, struct test_case *c, size_t known)
{
	enum status s = bind_case(run, c);
	if (s == ST_OK && run->plan->check)
		s = check_fill(run, c, known ? known : 1, TIMED_SEED);
	return world_agree(run->world, s);
}

static enum status first_operation(struct run *run, const struct test_case *c, struct outcome *o)
{
	int64_t start_ns = clock_ns();
	enum status s = measure_once(run, c, 0);
	o->timing.first_op_ns = clock_ns() - start_ns;
	return world_agree(run->world, s);
}

/* The last thing before the clock starts: the barrier in it is the one that nccl-tests has here. */
static enum status settle(struct run *run, const struct test_case *c, size_t known, struct outcome *o)
{
	enum status s = ST_OK;
	if (known && eats_its_input(run, c))
		s = check_fill(run, c, known, TIMED_SEED);
	if (s == ST_OK)
		s = measure_prepare(run);
	if (s == ST_OK)
		s = read_counters(run, &o->before);
	return world_agree(run->world, s);
}

/* Looks at what the timed loop left behind. */
static enum status check_timed(
        struct run *run, const struct test_case *c, size_t known, struct outcome *o, bool *wrong_p)
{
	enum status s = read_counters(run, &o->after);
	for (size_t i = 0; i < known && s == ST_OK && !o->wrong.wrong_elems; i++)
		s = check_verify(run, c, i, TIMED_SEED, &o->wrong);
	return agree_on_data(run, s, &o->wrong, wrong_p);
}

/* -c checks, fresh data each; the first that fails ends them. */
static enum status check_fresh(struct run *run, const struct test_case *c, struct outcome *o, bool wrong)
{
	for (int i = 0; i < run->plan->check && !wrong; i++) {
		uint64_t seed = ++run->repetition;
		enum status s = world_agree(run->world, check_fill(run, c, 1, seed));
		if (s == ST_OK)
			s = world_agree(run->world, measure_once(run, c, 0));
		if (s == ST_OK)
			s = agree_on_data(run, check_verify(run, c, 0, seed, &o->wrong), &o->wrong, &wrong);
		if (s != ST_OK)
			return s;
	}
	return ST_OK;
}

static enum status run_bound(struct run *run, const struct test_case *c, size_t known, struct outcome *o)
{
	bool wrong = false;
	enum status s = first_operation(run, c, o);
	if (s == ST_OK)
		s = settle(run, c, known, o);
	if (s == ST_OK)
		s = measure_row(run, c, &o->timing);
	if (s == ST_OK)
		s = check_timed(run, c, known, o, &wrong);
	o->checked = can_be_checked(run, c);
	if (s == ST_OK && o->checked)
		s = check_fresh(run, c, o, wrong);
	run->backend->seen(c->bound, &o->seen);
	return s;
}

enum status case_run(struct run *run, struct test_case *c, struct outcome *out)
{
	time_t now = time(NULL);
	struct tm tm;
	size_t known = known_places(run, c);
	*out = (struct outcome){0};
	strftime(out->time, sizeof out->time, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
	enum status s = prepare(run, c, known);
	if (s == ST_OK)
		s = run_bound(run, c, known, out);
	unbind_case(run, c);
	return s;
}
