/* world.c - ranks, where they live, and how they agree: threads of a process combine first, then thread 0
 * speaks through the bootstrap. Waiting threads sleep. The watchdog is next door. */
#include "bench/core/world.h"

#include "bench/core/watchdog.h"
#include "bench/core/world_places.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

struct exchange { /* what one rank thread brings to a collective call */
	const void *mine;
	void *all;
	size_t bytes;
	enum reduction how;
	int64_t *values;
	size_t count;
};

struct world_shared { /* of one process */
	const struct bootstrap *bootstrap;
	int process, processes, threads;
	struct places places;
	char run_id[17];
	uint8_t token[WORLD_TOKEN_BYTES];
	struct watchdog *watchdog;
	pthread_barrier_t together;
	struct exchange **exchanges; /* [threads] */
	pthread_mutex_t gate;        /* held until all threads exist */
	enum status started;
	enum status (*body)(struct world *, void *);
	void *arg;
	struct seat *seats; /* [threads] */
};

struct seat { /* of one rank thread */
	struct world world;
	enum status result;
	enum status told; /* the worst status whose sentence has been printed */
	pthread_t thread;
};

/* Thread 0 carries out `speak` for all threads of the process, each of which brought an exchange. */
static enum status combine(
        struct world *w, struct exchange *mine, enum status (*speak)(struct world_shared *))
{
	struct world_shared *s = w->shared;
	watchdog_step(s->watchdog, w->rank, NULL, true);
	s->exchanges[w->thread] = mine;
	pthread_barrier_wait(&s->together);
	if (w->thread == 0) {
		enum status spoken = speak(s);
		if (spoken != ST_OK)
			world_abort(w, spoken);
	}
	pthread_barrier_wait(&s->together);
	watchdog_step(s->watchdog, w->rank, NULL, false);
	return ST_OK;
}

static enum status speak_barrier(struct world_shared *s)
{
	return s->bootstrap->barrier();
}

/* Every thread's piece goes straight to its place in thread 0's result. */
static enum status speak_allgather(struct world_shared *s)
{
	const struct exchange *first = s->exchanges[0];
	size_t bytes = first->bytes, ours = bytes * (size_t)s->threads;
	char *place = (char *)first->all + ours * (size_t)s->process;
	for (int t = 0; t < s->threads; t++)
		memmove(place + bytes * (size_t)t, s->exchanges[t]->mine, bytes);
	enum status spoken = s->bootstrap->allgather(place, ours, first->all);
	for (int t = 1; t < s->threads; t++)
		memcpy(s->exchanges[t]->all, first->all, ours * (size_t)s->processes);
	return spoken;
}

static enum status speak_broadcast(struct world_shared *s)
{
	const struct exchange *first = s->exchanges[0];
	enum status spoken = s->bootstrap->broadcast(first->all, first->bytes);
	for (int t = 1; t < s->threads; t++)
		memcpy(s->exchanges[t]->all, first->all, first->bytes);
	return spoken;
}

static int64_t reduced(enum reduction how, int64_t a, int64_t b)
{
	switch (how) {
	case REDUCE_MIN:
		return a < b ? a : b;
	case REDUCE_MAX:
		return a > b ? a : b;
	default:
		return a + b;
	}
}

static enum status speak_reduce(struct world_shared *s)
{
	const struct exchange *first = s->exchanges[0];
	for (int t = 1; t < s->threads; t++)
		for (size_t i = 0; i < first->count; i++)
			first->values[i] = reduced(first->how, first->values[i], s->exchanges[t]->values[i]);
	enum status spoken = s->bootstrap->reduce(first->how, first->values, first->count);
	for (int t = 1; t < s->threads; t++)
		memcpy(s->exchanges[t]->values, first->values, first->count * sizeof *first->values);
	return spoken;
}

enum status world_barrier(struct world *w)
{
	return combine(w, &(struct exchange){0}, speak_barrier);
}

enum status world_allgather(struct world *w, const void *mine, size_t bytes, void *all)
{
	return combine(w, &(struct exchange){.mine = mine, .bytes = bytes, .all = all}, speak_allgather);
}

enum status world_broadcast(struct world *w, void *data, size_t bytes)
{
	return combine(w, &(struct exchange){.all = data, .bytes = bytes}, speak_broadcast);
}

enum status world_reduce(struct world *w, enum reduction how, int64_t *values, size_t count)
{
	return combine(w, &(struct exchange){.how = how, .values = values, .count = count}, speak_reduce);
}

/* Prints what the rank itself knows, and where it happened unless it happened everywhere. */
static void tell(const struct world *w, enum status s, bool everywhere)
{
	char where[96];
	snprintf(where, sizeof where, "rank %d on %s", w->rank, w->places[w->rank].host);
	if (!*fail_sentence())
		fail(s, "failed without a word");
	fail_tell(everywhere ? NULL : where);
}

enum status world_agree(struct world *w, enum status mine)
{
	struct seat *seat = &w->shared->seats[w->thread];
	bool mute = !*fail_sentence();
	/* The least key is the worst status, of a rank that can say why, of the lowest rank. */
	int64_t key = ((int64_t)(ST_USAGE - mine) << 33) | ((int64_t)mute << 32) | w->rank;
	int64_t least = key, holders;
	world_reduce(w, REDUCE_MIN, &least, 1);
	enum status worst = (enum status)(ST_USAGE - (least >> 33));
	if (worst > ST_OK) {
		bool told = seat->told == worst && (least >> 32 & 1);
		holders = mine == worst;
		world_reduce(w, REDUCE_SUM, &holders, 1);
		if (key == least && !told)
			tell(w, worst, holders == w->ranks);
		seat->told = worst;
	}
	fail_forget();
	return worst;
}

void world_deadline(struct world *w, double seconds)
{
	watchdog_deadline(w->shared->watchdog, seconds);
}

void world_progress(struct world *w, const char *phase)
{
	watchdog_step(w->shared->watchdog, w->rank, phase, false);
}

void world_abort(struct world *w, enum status cause)
{
	if (!*fail_sentence())
		fail(cause, "aborted without a word");
	watchdog_abort(w->shared->watchdog, w->rank, cause);
}

static void *rank_thread(void *arg)
{
	struct seat *seat = arg;
	struct world_shared *s = seat->world.shared;
	fail_keep(true);
	pthread_mutex_lock(&s->gate);
	pthread_mutex_unlock(&s->gate);
	if (s->started == ST_OK) {
		watchdog_step(s->watchdog, seat->world.rank, "starting", false);
		seat->result = world_agree(&seat->world, s->body(&seat->world, s->arg));
	}
	return NULL;
}

/* Starts the other threads, lets all ranks know whether that worked everywhere, and takes seat 0. */
static enum status run_threads(struct world_shared *s)
{
	int running = 1, error = 0;
	pthread_mutex_lock(&s->gate);
	while (running < s->threads && !error) {
		error = pthread_create(&s->seats[running].thread, NULL, rank_thread, &s->seats[running]);
		running += !error;
	}
	int64_t worst = error ? fail(ST_SYSTEM, "rank thread %d of %d does not start: %s", running,
	                                s->threads, strerror(error))
	                      : ST_OK;
	enum status spoken = s->bootstrap->reduce(REDUCE_MAX, &worst, 1);
	s->started = spoken == ST_OK ? (enum status)worst : spoken;
	pthread_mutex_unlock(&s->gate);
	rank_thread(&s->seats[0]);
	fail_keep(false);
	for (int t = 1; t < running; t++)
		pthread_join(s->seats[t].thread, NULL);
	return s->started == ST_OK ? s->seats[0].result : s->started;
}

static enum status share_secrets(struct world_shared *s)
{
	struct {
		uint64_t id;
		uint8_t token[WORLD_TOKEN_BYTES];
	} random = {0};
	static const char digits[] = "0123456789abcdef";
	if (s->process == 0 && getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
		return fail(ST_SYSTEM, "the kernel gives no random bytes for the run's id");
	enum status spoken = s->bootstrap->broadcast(&random, sizeof random);
	for (int i = 0; i < 16; i++)
		s->run_id[i] = digits[random.id >> (60 - 4 * i) & 15];
	memcpy(s->token, random.token, sizeof s->token);
	return spoken;
}

static void seat_ranks(struct world_shared *s)
{
	for (int t = 0; t < s->threads; t++) {
		struct world *w = &s->seats[t].world;
		places_world(&s->places, s->process * s->threads + t, w);
		w->process = s->process;
		w->processes = s->processes;
		w->thread = t;
		w->threads = s->threads;
		w->run_id = s->run_id;
		w->token = s->token;
		w->shared = s;
	}
}

static enum status shared_open(struct world_shared *s, const struct world_setup *setup)
{
	s->bootstrap = setup->bootstrap;
	s->process = setup->process;
	s->processes = setup->processes;
	s->threads = setup->threads;
	s->exchanges = calloc((size_t)s->threads, sizeof *s->exchanges);
	s->seats = calloc((size_t)s->threads, sizeof *s->seats);
	if (!s->exchanges || !s->seats)
		return fail(ST_NOMEM, "no memory for %d rank threads", s->threads);
	pthread_barrier_init(&s->together, NULL, (unsigned)s->threads);
	pthread_mutex_init(&s->gate, NULL);
	return ST_OK;
}

static void shared_close(struct world_shared *s)
{
	if (s->watchdog)
		watchdog_stop(s->watchdog);
	pthread_mutex_destroy(&s->gate);
	pthread_barrier_destroy(&s->together);
	places_free(&s->places);
	free(s->seats);
	free(s->exchanges);
}

/* What must be known before a thread starts. ST_USAGE and ST_MISMATCH are found by all processes alike; after
 * anything else the others wait for this one, and only abort is of use. */
static enum status settle(struct world_shared *s, const struct world_setup *setup)
{
	enum status status = places_exchange(setup, &s->places);
	if (status != ST_OK)
		return status;
	status = share_secrets(s);
	if (status == ST_OK) {
		seat_ranks(s);
		struct watchdog_setup dog = {
		        .bootstrap = s->bootstrap,
		        .places = s->places.at,
		        .ranks = s->places.ranks,
		        .process = s->process,
		        .run_id = s->run_id,
		};
		status = watchdog_start(&dog, &s->watchdog);
	}
	return status;
}

enum status world_run(
        const struct world_setup *setup, enum status (*body)(struct world *, void *arg), void *arg)
{
	struct world_shared s = {.body = body, .arg = arg};
	enum status status = shared_open(&s, setup);
	if (status == ST_OK)
		status = settle(&s, setup);
	if (status != ST_OK && status != ST_USAGE && status != ST_MISMATCH)
		setup->bootstrap->abort(status_exit_code(status));
	if (status == ST_OK) {
		s.bootstrap->deadline(0);
		status = run_threads(&s);
		s.bootstrap->deadline(BOOTSTRAP_DEADLINE_S);
	}
	shared_close(&s);
	return status;
}
