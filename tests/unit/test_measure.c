/* The timed loop against a backend that only counts: what is started, when it is waited for, what is kept. */
#include "bench/core/measure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail /* ours is meant below */

#include <string.h>

extern const struct bootstrap bootstrap_single;

enum { ITERS = 6, STEPS = 4, SHIFT_BYTES = 100, MOST = 4096 };

/* ---- a double of a backend ---- */

static struct {
	int starts, polls, syncs, cancels, busy_polls;
	int started_before_poll; /* the most operations that were ever started and not waited for */
	int waiting;
	size_t shifts[MOST];
	int fail_at; /* this start fails; 0: none */
	uint64_t moved;
} seen;

static enum status start_counted(struct bound *b, size_t shift_bytes)
{
	(void)b;
	if (++seen.starts == seen.fail_at)
		return fail(ST_SYSTEM, "told to");
	if (seen.starts <= MOST)
		seen.shifts[seen.starts - 1] = shift_bytes;
	seen.waiting++;
	if (seen.waiting > seen.started_before_poll)
		seen.started_before_poll = seen.waiting;
	return ST_OK;
}

static enum status poll_counted(struct bound *b, int64_t wait_ns, bool *done_p)
{
	(void)b, (void)wait_ns;
	*done_p = seen.polls++ % (seen.busy_polls + 1) == seen.busy_polls;
	if (*done_p)
		seen.waiting = 0;
	return ST_OK;
}

static enum status sync_counted(struct communicator *c)
{
	(void)c;
	seen.syncs++;
	return ST_OK;
}

static enum status cancel_counted(struct communicator *c)
{
	(void)c;
	seen.cancels++;
	return ST_OK;
}

static uint64_t moved_counted(const struct communicator *c)
{
	(void)c;
	return seen.moved++;
}

/* ---- a run of it, in one rank ---- */

struct stage {
	struct plan plan;
	struct backend backend;
	struct timing timing;
	enum status result;
	bool keeps_samples;
	int64_t samples_ns[MOST];
};

static enum status in_rank(struct world *w, void *arg)
{
	struct stage *s = arg;
	struct run run = {.world = w, .plan = &s->plan, .backend = &s->backend};
	const struct test_case row = {.send_bytes = SHIFT_BYTES, .recv_bytes = 1, .steps = STEPS};
	measure_open(&run);
	s->keeps_samples = run.keeps_samples;
	enum status prepared = measure_prepare(&run);
	s->result = prepared == ST_OK ? measure_row(&run, &row, &s->timing) : prepared;
	for (size_t i = 0; i < s->timing.samples && i < MOST; i++)
		s->samples_ns[i] = run.sample_ns[i];
	measure_close(&run);
	return s->result;
}

static struct stage *stage(bool queues)
{
	static struct stage s;
	s = (struct stage){
	        .plan = {.iters = ITERS, .agg_iters = 1},
	        .backend = {.queues = queues,
	                .start = start_counted,
	                .poll = poll_counted,
	                .cancel = cancel_counted},
	};
	memset(&seen, 0, sizeof seen);
	return &s;
}

static void play(struct stage *s)
{
	const struct world_setup setup = {
	        .bootstrap = &bootstrap_single, .processes = 1, .threads = 1, .device_base = -1};
	world_run(&setup, in_rank, s);
}

static void blocking_operations_are_waited_for_one_by_one(void **state)
{
	(void)state;
	struct stage *s = stage(false);
	s->plan.agg_iters = 2;
	play(s);
	assert_int_equal(s->result, ST_OK);
	assert_int_equal(seen.starts, ITERS * 2);
	assert_int_equal(seen.polls, ITERS * 2);
	assert_int_equal(seen.started_before_poll, 1);
	assert_int_equal(s->timing.iterations, ITERS);
	assert_int_equal(s->timing.samples, 0);
	assert_true(s->timing.mean_ns > 0 && s->timing.launch_ns <= s->timing.mean_ns);
}

static void queued_operations_are_waited_for_once(void **state)
{
	(void)state;
	struct stage *s = stage(true);
	play(s);
	assert_int_equal(seen.starts, ITERS);
	assert_int_equal(seen.polls, 1);
	assert_int_equal(seen.started_before_poll, ITERS);
}

static void a_backend_may_take_many_polls(void **state)
{
	(void)state;
	struct stage *s = stage(false);
	s->backend.moved_bytes = moved_counted;
	seen.busy_polls = 3;
	play(s);
	assert_int_equal(seen.polls, ITERS * 4);
	assert_int_equal(s->result, ST_OK);
}

/* Clock readings behind calls that only queue say nothing: then there are no samples. */
static void samples_are_kept_where_they_mean_something(void **state)
{
	(void)state;
	struct stage *s = stage(false);
	strcpy(s->plan.csv_dir, "anywhere");
	play(s);
	assert_int_equal(s->timing.samples, ITERS);
	s = stage(true);
	strcpy(s->plan.csv_dir, "anywhere");
	play(s);
	assert_false(s->keeps_samples);
	assert_int_equal(s->timing.samples, 0);
	s = stage(true);
	s->plan.per_iter = 1;
	play(s);
	assert_int_equal(s->timing.samples, ITERS);
	assert_int_equal(seen.started_before_poll, 1);
	s = stage(true);
	strcpy(s->plan.csv_dir, "anywhere");
	s->plan.blocking = 2;
	play(s);
	assert_int_equal(s->timing.samples, ITERS);
	assert_int_equal(seen.started_before_poll, 1);
}

/* What -m joins is one sample of one operation's time, and samples add up to the mean. */
static void samples_are_of_one_operation(void **state)
{
	(void)state;
	struct stage *s = stage(false);
	s->plan.agg_iters = 3;
	s->plan.per_iter = 1;
	s->plan.blocking = 3;
	play(s);
	double sum_ns = 0;
	for (int i = 0; i < ITERS; i++)
		sum_ns += (double)s->samples_ns[i];
	assert_int_equal(s->timing.samples, ITERS);
	assert_true(sum_ns / ITERS <= s->timing.mean_ns && s->timing.mean_ns < sum_ns / ITERS + 1);
}

static void data_walk_through_the_buffers(void **state)
{
	(void)state;
	struct stage *s = stage(false);
	s->plan.agg_iters = 3;
	play(s);
	for (size_t i = 0; i < (size_t)ITERS * 3; i++)
		assert_int_equal(seen.shifts[i], i % STEPS * SHIFT_BYTES);
}

static void ranks_are_lined_up_as_often_as_asked(void **state)
{
	(void)state;
	struct stage *s = stage(false);
	s->backend.sync = sync_counted;
	play(s);
	assert_int_equal(seen.syncs, 1); /* after the control channel, before the loop */
	s = stage(false);
	s->backend.sync = sync_counted;
	s->plan.sync_each = true;
	play(s);
	assert_int_equal(seen.syncs, 1 + ITERS);
	s = stage(true);
	s->plan.sync_each = true; /* no sync of its own: the control channel's barrier does */
	strcpy(s->plan.csv_dir, "anywhere");
	play(s);
	assert_int_equal(s->timing.samples, ITERS);
	assert_int_equal(seen.polls, ITERS);
}

static void precision_adds_batches_until_the_budget_ends(void **state)
{
	(void)state;
	struct stage *s = stage(false);
	s->plan.precision = 1e-12;
	s->plan.budget_s = 1e-6;
	play(s);
	assert_int_equal(s->timing.samples, ITERS); /* spent after the first */
	s = stage(true);
	s->plan.precision = 1e9; /* anything will do, but for so few samples */
	s->plan.iters = 5;
	seen.busy_polls = 0;
	s->plan.budget_s = 1;
	play(s);
	assert_true(s->timing.samples > 5);
	assert_int_equal(s->timing.samples, s->timing.iterations);
	assert_int_equal(seen.started_before_poll, 1);
}

static void a_failure_releases_the_peers(void **state)
{
	(void)state;
	struct stage *s = stage(false);
	seen.fail_at = 3;
	play(s);
	assert_int_equal(s->result, ST_SYSTEM);
	assert_int_equal(seen.starts, 3);
	assert_int_equal(seen.cancels, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(blocking_operations_are_waited_for_one_by_one),
	        cmocka_unit_test(queued_operations_are_waited_for_once),
	        cmocka_unit_test(a_backend_may_take_many_polls),
	        cmocka_unit_test(samples_are_kept_where_they_mean_something),
	        cmocka_unit_test(samples_are_of_one_operation),
	        cmocka_unit_test(data_walk_through_the_buffers),
	        cmocka_unit_test(ranks_are_lined_up_as_often_as_asked),
	        cmocka_unit_test(precision_adds_batches_until_the_budget_ends),
	        cmocka_unit_test(a_failure_releases_the_peers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
