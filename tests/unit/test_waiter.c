/* test_waiter.c - sleeping and waking: no wake-up is lost, however the two threads interleave. A lost one
 * shows as a sleep that lasts its whole time. */
#include "bench/transport/waiter.h"

#include "bench/core/clock.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#undef fail /* ours */

enum { TURNS = 20000 };
static const int64_t for_ever_ns = 5000000000;

/* Two players pass a number back and forth and sleep while it is not their turn. */
struct player {
	struct waiter *waiter;
	struct doorbell door;
	struct bell other;
	_Atomic unsigned *number;
	unsigned parity;
	unsigned timeouts;
};

static void *play(void *arg)
{
	struct player *p = arg;
	for (unsigned turn = p->parity; turn < TURNS; turn += 2) {
		while (atomic_load(p->number) != turn) {
			waiter_arm(p->waiter);
			if (atomic_load(p->number) == turn)
				waiter_disarm(p->waiter);
			else if (!waiter_sleep(p->waiter, for_ever_ns))
				p->timeouts++;
		}
		atomic_store_explicit(p->number, turn + 1, memory_order_release);
		bell_ring(&p->other);
	}
	return NULL;
}

/* descriptors: which of the players (bit 0, bit 1) also watch a descriptor, so that their bell is a pipe. */
static void match(unsigned descriptors)
{
	struct player *players = aligned_alloc(64, 2 * sizeof *players);
	_Atomic unsigned number = 0;
	int quiet[2];
	pthread_t thread;
	assert_int_equal(pipe2(quiet, O_CLOEXEC), 0);
	for (unsigned i = 0; i < 2; i++) {
		players[i] = (struct player){.number = &number, .parity = i};
		assert_int_equal(waiter_open(0, &players[i].waiter), ST_OK);
		waiter_hang(players[i].waiter, &players[i].door);
		if (descriptors >> i & 1)
			assert_int_equal(waiter_watch(players[i].waiter, quiet[0]), ST_OK);
	}
	for (unsigned i = 0; i < 2; i++)
		players[i].other = (struct bell){&players[!i].door, waiter_pipe_fd(players[!i].waiter)};
	assert_int_equal(pthread_create(&thread, NULL, play, &players[1]), 0);
	play(&players[0]);
	pthread_join(thread, NULL);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(players[i].timeouts, 0);
		waiter_close(players[i].waiter);
		close(quiet[i]);
	}
	assert_int_equal(number, TURNS);
	free(players);
}

static void doorbells_wake(void **state)
{
	(void)state;
	match(0);
}

static void bells_wake_those_who_sleep_on_descriptors(void **state)
{
	(void)state;
	match(3);
	match(1);
}

static void *write_later(void *arg)
{
	clock_sleep_ns(2000000);
	assert_int_equal(write(*(int *)arg, "", 1), 1);
	return NULL;
}

static void descriptors_wake(void **state)
{
	(void)state;
	struct waiter *w;
	struct doorbell door = {0};
	int ends[2];
	pthread_t thread;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(waiter_open(0, &w), ST_OK);
	waiter_hang(w, &door);
	assert_int_equal(waiter_watch(w, ends[0]), ST_OK);
	waiter_arm(w);
	assert_false(waiter_sleep(w, 1000000));
	assert_int_equal(pthread_create(&thread, NULL, write_later, &ends[1]), 0);
	waiter_arm(w);
	assert_true(waiter_sleep(w, for_ever_ns));
	waiter_arm(w); /* still readable */
	assert_true(waiter_sleep(w, for_ever_ns));
	pthread_join(thread, NULL);
	waiter_close(w);
	close(ends[0]);
	close(ends[1]);
}

static void sleep_ends_by_itself(void **state)
{
	(void)state;
	struct waiter *w;
	assert_int_equal(waiter_open(0, &w), ST_OK);
	int64_t start_ns = clock_ns();
	waiter_arm(w);
	assert_false(waiter_sleep(w, 3000000));
	assert_in_range(clock_ns() - start_ns, 3000000, for_ever_ns);
	waiter_close(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(doorbells_wake),
	        cmocka_unit_test(bells_wake_those_who_sleep_on_descriptors),
	        cmocka_unit_test(descriptors_wake),
	        cmocka_unit_test(sleep_ends_by_itself),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
