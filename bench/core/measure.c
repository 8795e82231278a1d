/* measure.c - the timed loop of one row on one rank. */
#include "bench/core/measure.h"

#include "bench/core/clock.h"
#include "bench/core/stats.h"

#include <stdlib.h>

enum { POLL_NS = 200000000, SAMPLES_MOST = 1 << 20 };

/* Waits for all that was started. Bytes that move count as progress; a backend that cannot tell is given the
 * deadline for the whole. */
static enum status complete(struct run *run, const struct test_case *c)
{
	bool done = false;
	uint64_t moved = 0;
	for (;;) {
		enum status s = run->backend->poll(c->bound, POLL_NS, &done);
		if (s != ST_OK || done)
			return s;
		if (!run->backend->moved_bytes)
			continue;
		uint64_t now = run->backend->moved_bytes(run->communicator);
		if (now != moved)
			world_progress(run->world, NULL);
		moved = now;
	}
}

/* A rank that fails inside a collective leaves its peers waiting there: end what is in flight, else the run.
 */
static enum status release_peers(struct run *run, enum status s)
{
	if (s != ST_OK && !run->backend->cancel)
		world_abort(run->world, s);
	if (s != ST_OK)
		run->backend->cancel(run->communicator);
	return s;
}

enum status measure_once(struct run *run, const struct test_case *c, uint64_t place)
{
	enum status s = run->backend->start(c->bound, case_shift_bytes(c, place));
	return release_peers(run, s == ST_OK ? complete(run, c) : s);
}

static enum status line_up(struct run *run)
{
	return run->backend->sync ? run->backend->sync(run->communicator) : world_barrier(run->world);
}

/* One iteration: -m operations back to back. */
static enum status iterate(struct run *run, const struct test_case *c, int iteration)
{
	const struct plan *plan = run->plan;
	bool wait_each = !run->backend->queues || plan->blocking;
	world_progress(run->world, "in the timed loop");
	for (int a = 0; a < plan->agg_iters; a++) {
		enum status s = run->backend->start(c->bound,
		        case_shift_bytes(c, (uint64_t)iteration * (uint64_t)plan->agg_iters + (uint64_t)a));
		if (s == ST_OK && wait_each)
			s = complete(run, c);
		if (s == ST_OK && plan->blocking == 1)
			s = world_barrier(run->world);
		if (s != ST_OK)
			return s;
	}
	return ST_OK;
}

struct batch {
	int64_t total_ns, launch_ns; /* of all iterations; launch: until the calls that start them returned */
};

/* Iterations with the ranks lined up before each, outside its time (-z 3, --sync). */
static enum status loop_lined_up(
        struct run *run, const struct test_case *c, int64_t *sample_ns, struct batch *out)
{
	*out = (struct batch){0};
	for (int i = 0; i < run->plan->iters; i++) {
		enum status s = run->plan->sync_each ? line_up(run) : world_barrier(run->world);
		if (s != ST_OK)
			return s;
		int64_t start_ns = clock_ns();
		s = iterate(run, c, i);
		out->launch_ns += clock_ns() - start_ns;
		if (s == ST_OK && run->backend->queues)
			s = complete(run, c);
		if (s != ST_OK)
			return s;
		int64_t elapsed_ns = clock_ns() - start_ns;
		out->total_ns += elapsed_ns;
		if (sample_ns)
			sample_ns[i] = elapsed_ns;
	}
	return ST_OK;
}

/* Iterations back to back, nccl-tests' way. */
static enum status loop_back_to_back(
        struct run *run, const struct test_case *c, int64_t *sample_ns, struct batch *out)
{
	int64_t start_ns = clock_ns(), before_ns = start_ns;
	for (int i = 0; i < run->plan->iters; i++) {
		enum status s = iterate(run, c, i);
		if (s != ST_OK)
			return s;
		if (sample_ns) {
			int64_t now_ns = clock_ns();
			sample_ns[i] = now_ns - before_ns;
			before_ns = now_ns;
		}
	}
	out->launch_ns = clock_ns() - start_ns;
	if (run->backend->queues) {
		enum status s = complete(run, c);
		if (s != ST_OK)
			return s;
	}
	out->total_ns = clock_ns() - start_ns;
	return ST_OK;
}

static enum status loop(struct run *run, const struct test_case *c, int64_t *sample_ns, struct batch *out)
{
	bool lined_up = run->plan->sync_each || run->plan->blocking == 3;
	return (lined_up ? loop_lined_up : loop_back_to_back)(run, c, sample_ns, out);
}

/* Is the interval of the median, over the slowest ranks, narrow enough? Decided on rank 0 for all. */
static enum status precise_enough(struct run *run, size_t samples, int64_t started_ns, bool *enough_p)
{
	int64_t *slowest = malloc(samples * sizeof *slowest);
	double *values = malloc(samples * sizeof *values);
	enum status s = world_agree(
	        run->world, slowest && values ? ST_OK : fail(ST_NOMEM, "no memory for %zu samples", samples));
	if (s == ST_OK) {
		for (size_t i = 0; i < samples; i++)
			slowest[i] = run->sample_ns[i];
		s = world_reduce(run->world, REDUCE_MAX, slowest, samples);
	}
	if (s == ST_OK) {
		struct stats stats;
		for (size_t i = 0; i < samples; i++)
			values[i] = (double)slowest[i];
		stats_of(values, samples, &stats);
		double half_ns = (stats.ci_high - stats.ci_low) / 2,
		       spent_s = (double)(clock_ns() - started_ns) / 1e9;
		*enough_p = (samples >= 6 && half_ns <= run->plan->precision * stats.p50) ||
		            (run->plan->budget_s > 0 && spent_s >= run->plan->budget_s) ||
		            samples + (size_t)run->plan->iters > SAMPLES_MOST;
		s = world_broadcast(run->world, enough_p, sizeof *enough_p);
	}
	free(slowest);
	free(values);
	return s;
}

/* Room for another batch; between batches, never inside one. */
static enum status make_room(struct run *run, size_t samples)
{
	if (samples <= run->sample_room)
		return ST_OK;
	size_t room = samples * 2;
	int64_t *grown = realloc(run->sample_ns, room * sizeof *grown);
	if (!grown)
		return fail(ST_NOMEM, "no memory for %zu samples", room);
	run->sample_ns = grown;
	run->sample_room = room;
	return ST_OK;
}

enum status measure_row(struct run *run, const struct test_case *c, struct timing *out)
{
	const struct plan *plan = run->plan;
	double operations = 0, total_ns = 0, launch_ns = 0;
	bool enough = false;
	int64_t started_ns = clock_ns();
	out->samples = 0;
	while (!enough) {
		enum status s =
		        run->keeps_samples ? make_room(run, out->samples + (size_t)plan->iters) : ST_OK;
		s = world_agree(run->world, s);
		if (s != ST_OK)
			return s;
		/* The control channel wakes ranks up at different times; the data path lines them up again. */
		if (run->backend->sync)
			s = run->backend->sync(run->communicator);
		struct batch batch = {0};
		if (s == ST_OK)
			s = loop(run, c, run->keeps_samples ? run->sample_ns + out->samples : NULL, &batch);
		s = world_agree(run->world, release_peers(run, s));
		if (s != ST_OK)
			return s;
		total_ns += (double)batch.total_ns;
		launch_ns += (double)batch.launch_ns;
		operations += (double)plan->iters * plan->agg_iters;
		if (run->keeps_samples)
			for (int i = 0; i < plan->iters; i++)
				run->sample_ns[out->samples++] /= plan->agg_iters;
		enough = plan->precision <= 0;
		if (!enough)
			s = precise_enough(run, out->samples, started_ns, &enough);
		if (s != ST_OK)
			return s;
	}
	out->mean_ns = total_ns / operations;
	out->launch_ns = launch_ns / operations;
	return ST_OK;
}
