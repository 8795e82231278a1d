/* guard.c - a thread that waits for the call to come back, or for its time to be over. */
#include "bench/bootstrap/guard.h"

#include "bench/core/clock.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

struct guard {
	struct timespec until; /* CLOCK_MONOTONIC */
	void (*instead)(int);
	int exit_code;
	bool back;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t came_back;
};

static void *stand(void *arg)
{
	struct guard *g = arg;
	int error = 0;
	pthread_mutex_lock(&g->mutex);
	while (!g->back && !error)
		error = pthread_cond_timedwait(&g->came_back, &g->mutex, &g->until);
	bool late = !g->back;
	pthread_mutex_unlock(&g->mutex);
	if (late)
		g->instead(g->exit_code);
	return NULL;
}

struct guard *guard_begin(double seconds, void (*instead)(int exit_code), int exit_code)
{
	pthread_condattr_t attributes;
	struct guard *g = calloc(1, sizeof *g);
	if (!g)
		return NULL;
	int64_t until = clock_ns() + (int64_t)(seconds * 1e9);
	g->until = (struct timespec){.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};
	g->instead = instead;
	g->exit_code = exit_code;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_mutex_init(&g->mutex, NULL);
	pthread_cond_init(&g->came_back, &attributes);
	pthread_condattr_destroy(&attributes);
	if (pthread_create(&g->thread, NULL, stand, g) == 0)
		return g;
	pthread_cond_destroy(&g->came_back);
	pthread_mutex_destroy(&g->mutex);
	free(g);
	return NULL;
}

void guard_end(struct guard *g)
{
	if (!g)
		return;
	pthread_mutex_lock(&g->mutex);
	g->back = true;
	pthread_cond_signal(&g->came_back);
	pthread_mutex_unlock(&g->mutex);
	pthread_join(g->thread, NULL);
	pthread_cond_destroy(&g->came_back);
	pthread_mutex_destroy(&g->mutex);
	free(g);
}
