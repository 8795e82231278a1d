/* measure.c - the timed loop of one row on one rank. */
#include "bench/core/measure.h"

#include "bench/core/clock.h"
#include "bench/core/grow.h"
#include "bench/core/precision.h"

#include <stdlib.h>

enum { POLL_NS = 200000000 };

/* A backend whose operations queue up is asked after each only where the time of each is wanted for itself:
 * waiting changes what is measured. Else it has no samples, only the mean. */
void measure_open(struct run *run)
{
	const struct plan *plan = run->plan;
	bool lined_up = plan->sync_each || plan->blocking == 3;
	run->waits_each = !run->backend->queues || plan->blocking || plan->per_iter || plan->precision > 0;
	run->keeps_samples =
	        (plan->csv_dir[0] || plan->per_iter || plan->precision > 0) && (run->waits_each || lined_up);
}

void measure_close(struct run *run)
{
	free(run->sample_ns);
	free(run->slowest_ns);
	free(run->sorted_ns);
}

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
	uint64_t first = (uint64_t)iteration * (uint64_t)plan->agg_iters;
	for (int a = 0; a < plan->agg_iters; a++) {
		enum status s = run->backend->start(c->bound, case_shift_bytes(c, first + (uint64_t)a));
		if (s == ST_OK && run->waits_each)
			s = complete(run, c);
		if (s == ST_OK && plan->blocking == 1)
			s = world_barrier(run->world);
		if (s != ST_OK)
			return s;
	}
	return ST_OK;
}

struct batch {
	int iters;
	int64_t *sample_ns;          /* NULL: none wanted */
	int64_t total_ns, launch_ns; /* of all iterations; launch: until the calls that start them returned */
};

/* Iterations with the ranks lined up before each, outside its time (-z 3, --sync). */
static enum status loop_lined_up(struct run *run, const struct test_case *c, struct batch *b)
{
	b->total_ns = b->launch_ns = 0;
	for (int i = 0; i < b->iters; i++) {
		enum status s = run->plan->sync_each ? line_up(run) : world_barrier(run->world);
		if (s != ST_OK)
			return s;
		world_progress(run->world, "in the timed loop");
		int64_t start_ns = clock_ns();
		s = iterate(run, c, i);
		int64_t launched_ns = clock_ns(), done_ns = launched_ns;
		if (s == ST_OK && !run->waits_each) {
			s = complete(run, c);
			done_ns = clock_ns();
		}
		if (s != ST_OK)
			return s;
		b->launch_ns += launched_ns - start_ns;
		b->total_ns += done_ns - start_ns;
		if (b->sample_ns)
			b->sample_ns[i] = done_ns - start_ns;
	}
	return ST_OK;
}

/* Iterations back to back, nccl-tests' way. */
static enum status loop_back_to_back(struct run *run, const struct test_case *c, struct batch *b)
{
	int64_t start_ns = clock_ns(), before_ns = start_ns;
	for (int i = 0; i < b->iters; i++) {
		world_progress(run->world, "in the timed loop");
		enum status s = iterate(run, c, i);
		if (s != ST_OK)
			return s;
		if (b->sample_ns) {
			int64_t now_ns = clock_ns();
			b->sample_ns[i] = now_ns - before_ns;
			before_ns = now_ns;
		}
	}
	b->launch_ns = clock_ns() - start_ns;
	if (!run->waits_each) {
		enum status s = complete(run, c);
		if (s != ST_OK)
			return s;
	}
	b->total_ns = clock_ns() - start_ns;
	return ST_OK;
}

/* The control channel wakes ranks up at different times; the data path lines them up again. */
static enum status run_batch(struct run *run, const struct test_case *c, struct batch *b)
{
	bool lined_up = run->plan->sync_each || run->plan->blocking == 3;
	enum status s = run->backend->sync ? run->backend->sync(run->communicator) : ST_OK;
	if (s == ST_OK)
		s = (lined_up ? loop_lined_up : loop_back_to_back)(run, c, b);
	return world_agree(run->world, release_peers(run, s));
}

static enum status make_room(struct run *run, size_t samples)
{
	if (samples <= run->sample_room)
		return ST_OK;
	size_t room = samples * 2;
	bool ok = true;
	run->sample_ns = grown(run->sample_ns, room * sizeof *run->sample_ns, &ok);
	run->slowest_ns = grown(run->slowest_ns, room * sizeof *run->slowest_ns, &ok);
	run->sorted_ns = grown(run->sorted_ns, room * sizeof *run->sorted_ns, &ok);
	if (!ok)
		return fail(ST_NOMEM, "no memory for %zu samples", room);
	run->sample_room = room;
	return ST_OK;
}

enum status measure_prepare(struct run *run)
{
	return run->keeps_samples ? make_room(run, (size_t)run->plan->iters) : ST_OK;
}

static void keep_batch(const struct run *run, const struct batch *b, struct timing *t)
{
	const double operations = (double)t->iterations * run->plan->agg_iters,
	             more = (double)b->iters * run->plan->agg_iters;
	t->mean_ns = (t->mean_ns * operations + (double)b->total_ns) / (operations + more);
	t->launch_ns = (t->launch_ns * operations + (double)b->launch_ns) / (operations + more);
	t->iterations += (uint64_t)b->iters;
	for (int i = 0; b->sample_ns && i < b->iters; i++)
		b->sample_ns[i] /= run->plan->agg_iters;
	t->samples += b->sample_ns ? (size_t)b->iters : 0;
}

/* Batches of iterations: one of -n, or with --precision as many as it takes. */
enum status measure_row(struct run *run, const struct test_case *c, struct timing *t)
{
	const int64_t started_ns = clock_ns();
	struct batch b = {.iters = run->plan->iters};
	t->mean_ns = t->launch_ns = 0;
	t->iterations = t->samples = 0;
	for (;;) {
		b.sample_ns = run->keeps_samples ? run->sample_ns + t->samples : NULL;
		enum status s = run_batch(run, c, &b);
		if (s != ST_OK)
			return s;
		keep_batch(run, &b, t);
		if (run->plan->precision <= 0)
			return ST_OK;
		b.iters = precision_next(run, t->samples, (size_t)b.iters, started_ns);
		if (!b.iters)
			return ST_OK;
		s = world_agree(run->world, make_room(run, t->samples + (size_t)b.iters));
		if (s != ST_OK)
			return s;
	}
}
