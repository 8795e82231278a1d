/* watchdog.h - ends a run in which nobody gets further, and says who held it up.
 *
 * The ranks of a node share a board: one line a rank with the steps it made, what it does now, and whether it
 * waits for others. A thread of each process reads the board; it needs nothing from ranks that are stuck in a
 * library or stopped by a signal. It knows its own node only. Private to world.c.
 */
#ifndef BENCH_CORE_WATCHDOG_H
#define BENCH_CORE_WATCHDOG_H

#include "bench/core/world.h"

struct watchdog;

struct watchdog_setup {
	const struct bootstrap *bootstrap;
	const struct place *places; /* [ranks] */
	int ranks, process;
	const char *run_id;
};

/* Collective over all processes. Ranks that cannot share a board, as in containers without a
 * common /dev/shm, each keep their own and are then watched by their own process alone. */
enum status watchdog_start(const struct watchdog_setup *, struct watchdog **out);
void watchdog_stop(struct watchdog *);

void watchdog_deadline(struct watchdog *, double seconds);

/* One more step of this rank; a new phase text, or NULL for the same; whether it now waits for others. */
void watchdog_step(struct watchdog *, int rank, const char *phase, bool waits);

/* Prints this thread's sentence, with the rank and its place, and ends all processes. Several ranks may come
 * here at once, and find the watchdog speaking already: one rank of a node speaks, and nodes take turns, so
 * that a cause is printed once. */
void watchdog_abort(struct watchdog *, int rank, enum status cause) __attribute__((noreturn));

#endif
