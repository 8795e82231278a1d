/* watchdog.c - the board, and the thread that reads it. What the sentences say is in watchdog_blame.c. */
#include "bench/core/watchdog_board.h"

#include "bench/core/clock.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { TICK_NS = 100000000, TURN_NS = 250000000, TURNS = 4 };

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

static size_t board_bytes(const struct board *b)
{
	return (size_t)b->lines_count * sizeof(struct line);
}

static struct line *map(int fd, size_t bytes)
{
	void *p = mmap(
	        NULL, bytes, PROT_READ | PROT_WRITE, fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
	return p == MAP_FAILED ? NULL : p;
}

/* The lowest process of the node makes the board, the others find it by name, and then the name goes. */
static enum status board_open(struct board *b, const struct watchdog_setup *setup)
{
	char name[64];
	int fd = -1;
	enum status s = ST_OK, met;
	bool makes = setup->places[b->ranks[0]].process == setup->process;
	snprintf(name, sizeof name, "/busbar-%s-%d", setup->run_id, setup->places[b->ranks[0]].node);
	if (makes) {
		fd = shm_open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
		if (fd >= 0 && ftruncate(fd, (off_t)board_bytes(b)) != 0) {
			close(fd);
			fd = -1;
		}
	}
	met = setup->bootstrap->barrier();
	if (!makes && met == ST_OK)
		fd = shm_open(name, O_RDWR | O_CLOEXEC, 0600);
	b->lines = map(fd, board_bytes(b));
	b->shared = fd >= 0 && b->lines;
	if (!b->lines)
		s = fail(ST_NOMEM, "no memory for the progress board of %d ranks", b->lines_count);
	if (met == ST_OK)
		met = setup->bootstrap->barrier();
	if (fd >= 0)
		close(fd);
	if (makes)
		shm_unlink(name);
	return met > s ? met : s;
}

static enum status board_layout(struct board *b, const struct watchdog_setup *setup)
{
	int node = -1;
	b->places = setup->places;
	for (int r = 0; r < setup->ranks && node < 0; r++)
		if (setup->places[r].process == setup->process)
			node = setup->places[r].node;
	b->ranks = calloc((size_t)setup->ranks, sizeof *b->ranks);
	if (!b->ranks)
		return fail(ST_NOMEM, "no memory for the list of %d ranks", setup->ranks);
	for (int r = 0; r < setup->ranks; r++)
		if (setup->places[r].node == node)
			b->ranks[b->lines_count++] = r;
	return ST_OK;
}

static uint64_t steps_of_all(const struct watchdog *d)
{
	uint64_t sum = 0;
	for (int i = 0; i < d->board.lines_count; i++)
		if (board_sees(&d->board, i, d->process))
			sum += atomic_load_explicit(&d->board.lines[i].steps, memory_order_relaxed);
	return sum;
}

static int least(int a, int b)
{
	return a < b ? a : b;
}

/* How much later than the deadline this process speaks: first the node that knows the culprit, then those
 * that may have it, then the others; and on a node the lowest process that can still speak. */
static int64_t turn_ns(const struct watchdog *d, const struct blame *blame)
{
	int node = d->board.places[d->board.ranks[0]].node;
	int turns = least(blame->processes_before, TURNS);
	if (blame->grounds == SUSPECT)
		turns += 1 + least(node, TURNS);
	if (blame->grounds == ELSEWHERE)
		turns += 2 + TURNS + least(node, TURNS);
	return turns * (int64_t)TURN_NS;
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
	uint64_t last = steps_of_all(d);
	int64_t since = clock_ns();
	while (tick(d)) {
		uint64_t now = steps_of_all(d);
		int64_t deadline_ns = atomic_load(&d->deadline_ns), quiet = clock_ns() - since;
		if (now != last || deadline_ns == 0) {
			last = now;
			since = clock_ns();
			continue;
		}
		if (quiet < deadline_ns)
			continue;
		struct blame blame;
		blame_find(&d->board, d->process, (double)deadline_ns * 1e-9, &blame);
		if (quiet < deadline_ns + turn_ns(d, &blame))
			continue;
		fail(ST_TIMEOUT, "%s", blame.sentence);
		d->bootstrap->abort(status_exit_code(ST_TIMEOUT));
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

enum status watchdog_start(const struct watchdog_setup *setup, struct watchdog **out)
{
	struct watchdog *d = calloc(1, sizeof *d);
	if (!d)
		return fail(ST_NOMEM, "no memory for the watchdog");
	d->bootstrap = setup->bootstrap;
	d->process = setup->process;
	atomic_store(&d->deadline_ns, (int64_t)WORLD_DEADLINE_S * 1000000000);
	d->phases = calloc((size_t)setup->ranks, sizeof *d->phases);
	enum status s =
	        d->phases ? board_layout(&d->board, setup) : fail(ST_NOMEM, "no memory for the watchdog");
	if (s == ST_OK)
		s = board_open(&d->board, setup);
	if (s == ST_OK)
		s = thread_start(d);
	if (s == ST_OK) {
		*out = d;
		return ST_OK;
	}
	if (d->board.lines)
		munmap(d->board.lines, board_bytes(&d->board));
	free(d->board.ranks);
	free(d->phases);
	free(d);
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
	munmap(d->board.lines, board_bytes(&d->board));
	free(d->board.ranks);
	free(d->phases);
	free(d);
}

void watchdog_deadline(struct watchdog *d, double seconds)
{
	atomic_store(&d->deadline_ns, (int64_t)(seconds * 1e9));
}

void watchdog_step(struct watchdog *d, int rank, const char *phase, bool waits)
{
	struct line *line = &d->board.lines[d->board.places[rank].local_rank];
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

void watchdog_abort(const struct bootstrap *bootstrap, const struct place *at, int rank, enum status cause)
{
	static atomic_flag spoken = ATOMIC_FLAG_INIT;
	if (atomic_flag_test_and_set(&spoken))
		for (;;)
			pause();
	char where[96];
	snprintf(where, sizeof where, "rank %d on %s", rank, at->host);
	clock_sleep_ns(least(at->process, TURNS) * (int64_t)TURN_NS);
	fail_tell(where);
	bootstrap->abort(status_exit_code(cause));
	_exit(status_exit_code(cause));
}
