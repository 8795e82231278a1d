/* watchdog.c - the thread that reads the board, and whose turn it is to speak. The board is in
 * watchdog_board.c, what the sentences say in watchdog_blame.c. */
#include "bench/core/watchdog_board.h"

#include "bench/core/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	TICK_NS = 100000000,
	TURN_NS = 500000000, /* time for one to speak and to end the others: a launcher needs some 300 ms */
	TURNS = 4,           /* more nodes than that speak in the last turn */
};

struct watchdog {
	struct board board;
	const struct bootstrap *bootstrap;
	int process;
	_Atomic int64_t deadline_ns;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t stop;
	bool stopping;
	const char **phases; /* [ranks]: the text last copied to the board, compared by address */
};

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* How much later than another: nodes speak in the order of their numbers, and so do processes that share no
 * board. */
static int64_t turn_ns(const struct watchdog *d)
{
	return TURN_NS * (int64_t)least(d->board.shared ? d->board.node : d->process, TURNS);
}

/* First the node that knows the culprit speaks, then those that may have it, then the others. */
static int64_t patience_ns(const struct watchdog *d, enum grounds grounds)
{
	static const int turns[] = {[CERTAIN] = 0, [SUSPECT] = 1, [ELSEWHERE] = TURNS + 2};
	return TURN_NS * (int64_t)turns[grounds] + (grounds == CERTAIN ? 0 : turn_ns(d));
}

/* True for the first of a node's ranks; the others are ended by it, or in time end themselves. */
static bool may_speak(struct watchdog *d)
{
	return !atomic_exchange(&d->board.sheet->spoken, true);
}

static void end(struct watchdog *d, enum status cause)
{
	d->bootstrap->abort(status_exit_code(cause));
}

/* To people on stderr; on stdout nccl-tests' line, past a stdio that a stuck thread may hold. */
static void speak(const struct watchdog *d, const struct blame *blame)
{
	double seconds = (double)atomic_load(&d->deadline_ns) * 1e-9;
	const struct place *here = &d->board.places[d->board.ranks[0]];
	dprintf(STDOUT_FILENO, "\n%s: Test timeout (%gs) %s:%d\n", here->host, seconds, __FILE__, __LINE__);
	fail(ST_TIMEOUT, "%s", blame->sentence);
}

static bool tick(struct watchdog *d)
{
	struct timespec until;
	int64_t wake = clock_ns() + TICK_NS;
	until.tv_sec = wake / 1000000000;
	until.tv_nsec = wake % 1000000000;
	pthread_mutex_lock(&d->mutex);
	while (!d->stopping && pthread_cond_timedwait(&d->stop, &d->mutex, &until) == 0)
		;
	bool on = !d->stopping;
	pthread_mutex_unlock(&d->mutex);
	return on;
}

static void *watch(void *arg)
{
	struct watchdog *d = arg;
	uint64_t last = board_steps(&d->board, d->process);
	int64_t since = clock_ns();
	while (tick(d)) {
		uint64_t now = board_steps(&d->board, d->process);
		int64_t deadline_ns = atomic_load(&d->deadline_ns), quiet_ns = clock_ns() - since;
		if (now != last || deadline_ns == 0) {
			last = now;
			since = clock_ns();
			continue;
		}
		if (quiet_ns < deadline_ns)
			continue;
		struct blame blame;
		blame_find(&d->board, d->process, (double)deadline_ns * 1e-9, &blame);
		if (quiet_ns < deadline_ns + patience_ns(d, blame.grounds))
			continue;
		if (may_speak(d))
			speak(d, &blame);
		else
			clock_sleep_ns(TURN_NS * (int64_t)TURNS);
		end(d, ST_TIMEOUT);
	}
	return NULL;
}

static enum status thread_start(struct watchdog *d)
{
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&d->stop, &attributes);
	pthread_condattr_destroy(&attributes);
	pthread_mutex_init(&d->mutex, NULL);
	int error = pthread_create(&d->thread, NULL, watch, d);
	return error ? fail(ST_SYSTEM, "the watchdog's thread does not start: %s", strerror(error)) : ST_OK;
}

static void release(struct watchdog *d)
{
	board_close(&d->board);
	free(d->phases);
	free(d);
}

enum status watchdog_start(const struct watchdog_setup *setup, struct watchdog **out)
{
	struct watchdog *d = calloc(1, sizeof *d);
	if (!d)
		return fail(ST_NOMEM, "no memory for the watchdog");
	d->bootstrap = setup->bootstrap;
	d->process = setup->process;
	atomic_store(&d->deadline_ns, (int64_t)WORLD_DEADLINE_S * 1000000000);
	d->phases = calloc((size_t)setup->ranks, sizeof *d->phases);
	enum status s = board_open(setup, &d->board);
	if (s == ST_OK && !d->phases)
		s = fail(ST_NOMEM, "no memory for the watchdog");
	if (s == ST_OK)
		s = thread_start(d);
	if (s == ST_OK)
		*out = d;
	else
		release(d);
	return s;
}

void watchdog_stop(struct watchdog *d)
{
	pthread_mutex_lock(&d->mutex);
	d->stopping = true;
	pthread_cond_signal(&d->stop);
	pthread_mutex_unlock(&d->mutex);
	pthread_join(d->thread, NULL);
	pthread_cond_destroy(&d->stop);
	pthread_mutex_destroy(&d->mutex);
	release(d);
}

void watchdog_deadline(struct watchdog *d, double seconds)
{
	atomic_store(&d->deadline_ns, (int64_t)(seconds * 1e9));
}

void watchdog_step(struct watchdog *d, int rank, const char *phase, bool waits)
{
	struct line *line = &d->board.sheet->lines[d->board.places[rank].local_rank];
	if (phase && phase != d->phases[rank]) {
		uint64_t words[PHASE_WORDS] = {0};
		d->phases[rank] = phase;
		memcpy(words, phase, strnlen(phase, PHASE_BYTES - 1));
		for (int w = 0; w < PHASE_WORDS; w++)
			atomic_store_explicit(&line->phase[w], words[w], memory_order_relaxed);
	}
	atomic_store_explicit(&line->waits, waits, memory_order_relaxed);
	uint64_t steps = atomic_load_explicit(&line->steps, memory_order_relaxed);
	atomic_store_explicit(&line->steps, steps + 1, memory_order_relaxed);
}

void watchdog_abort(struct watchdog *d, int rank, enum status cause)
{
	char where[96];
	snprintf(where, sizeof where, "rank %d on %s", rank, d->board.places[rank].host);
	clock_sleep_ns(turn_ns(d));
	if (may_speak(d))
		fail_tell(where);
	else
		clock_sleep_ns(TURN_NS * (int64_t)TURNS);
	end(d, cause);
	abort();
}
