/* test_world.c - rank threads of a process: do all get the same answer, and is a cause printed once? */
#include "bench/core/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#undef fail /* ours is meant below */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern const struct bootstrap bootstrap_single;

enum { THREADS = 5 };

static enum status run(const char *split, enum status (*body)(struct world *, void *), void *arg)
{
	struct world_setup setup = {
	        .bootstrap = &bootstrap_single,
	        .processes = 1,
	        .threads = THREADS,
	        .device_base = -1,
	        .split = split,
	};
	return world_run(&setup, body, arg);
}

/* What was written to stderr while run() ran. */
static enum status run_heard(
        enum status (*body)(struct world *, void *), void *arg, char *heard, size_t bytes)
{
	FILE *file = tmpfile();
	assert_non_null(file);
	fflush(stderr);
	int saved = dup(STDERR_FILENO);
	dup2(fileno(file), STDERR_FILENO);
	enum status s = run(NULL, body, arg);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	heard[fread(heard, 1, bytes - 1, file)] = 0;
	fclose(file);
	return s;
}

static enum status collectives(struct world *w, void *arg)
{
	int *bad = arg;
	for (int round = 0; round < 50; round++) {
		int all[THREADS] = {0}, mine = w->rank * 10 + round, word = w->rank ? -1 : round;
		int64_t values[2] = {w->rank, -w->rank}, sum = 1;
		world_allgather(w, &mine, sizeof mine, all);
		for (int r = 0; r < THREADS; r++)
			bad[w->rank] += all[r] != r * 10 + round;
		world_broadcast(w, &word, sizeof word);
		world_reduce(w, REDUCE_MIN, values, 2);
		world_reduce(w, REDUCE_SUM, &sum, 1);
		bad[w->rank] +=
		        word != round || values[0] != 0 || values[1] != -(THREADS - 1) || sum != THREADS;
		world_barrier(w);
	}
	return ST_OK;
}

static void every_rank_gets_the_same(void **state)
{
	int bad[THREADS] = {0};
	(void)state;
	assert_int_equal(run(NULL, collectives, bad), ST_OK);
	for (int r = 0; r < THREADS; r++)
		assert_int_equal(bad[r], 0);
}

static enum status describe(struct world *w, void *arg)
{
	struct world *seen = arg;
	seen[w->rank] = *w;
	return w->places[w->rank].device == w->rank && strlen(w->run_id) == 16 && w->nodes == 1 ? ST_OK
	                                                                                        : ST_SYSTEM;
}

static void ranks_know_where_they_are(void **state)
{
	struct world seen[THREADS];
	(void)state;
	assert_int_equal(run(NULL, describe, seen), ST_OK);
	for (int r = 0; r < THREADS; r++) {
		assert_int_equal(seen[r].rank, r);
		assert_int_equal(seen[r].thread, r);
		assert_int_equal(seen[r].ranks, THREADS);
		assert_int_equal(seen[r].local_rank, r);
		assert_int_equal(seen[r].group_rank, r);
	}
}

static enum status two_fail(struct world *w, void *arg)
{
	enum status mine = ST_OK, *agreed = arg;
	if (w->rank == 1)
		mine = fail(ST_PEER, "the symptom");
	if (w->rank >= 3)
		mine = fail(ST_SYSTEM, "the cause in rank %d", w->rank);
	agreed[w->rank] = world_agree(w, mine);
	return world_agree(w, agreed[w->rank]); /* again, as a caller further up would */
}

static void the_worst_cause_is_printed_once(void **state)
{
	char heard[1024], *at;
	enum status agreed[THREADS];
	(void)state;
	assert_int_equal(run_heard(two_fail, agreed, heard, sizeof heard), ST_SYSTEM);
	for (int r = 0; r < THREADS; r++)
		assert_int_equal(agreed[r], ST_SYSTEM);
	at = strstr(heard, "rank 3 on ");
	assert_non_null(at);
	assert_non_null(strstr(at, ": the cause in rank 3\n"));
	assert_ptr_equal(strchr(heard, '\n') + 1, heard + strlen(heard)); /* one line */
}

static enum status all_fail(struct world *w, void *arg)
{
	(void)w;
	(void)arg;
	return fail(ST_UNSUPPORTED, "nobody can");
}

static void a_cause_of_all_names_no_rank(void **state)
{
	char heard[1024];
	(void)state;
	assert_int_equal(run_heard(all_fail, NULL, heard, sizeof heard), ST_UNSUPPORTED);
	assert_string_equal(heard, "busbar: nobody can\n");
}

static void a_wrong_split_starts_nothing(void **state)
{
	int bad[THREADS] = {0};
	(void)state;
	assert_int_equal(run("MOD 0", collectives, bad), ST_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_rank_gets_the_same),
	        cmocka_unit_test(ranks_know_where_they_are),
	        cmocka_unit_test(the_worst_cause_is_printed_once),
	        cmocka_unit_test(a_cause_of_all_names_no_rank),
	        cmocka_unit_test(a_wrong_split_starts_nothing),
	};
	return cmocka_run_group_tests_name("world", tests, NULL, NULL);
}
