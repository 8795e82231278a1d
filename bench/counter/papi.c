/* papi.c - cycles and instructions of the rank's thread, where the hardware counts them (virtual machines
 * often do not). */
#include "bench/counter/counter.h"

#include <papi.h>
#include <pthread.h>
#include <stdio.h>

static _Thread_local int event_set = PAPI_NULL;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool usable;

static void initialise(void)
{
	usable = PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT &&
	         PAPI_thread_init(pthread_self) == PAPI_OK && PAPI_query_event(PAPI_TOT_CYC) == PAPI_OK &&
	         PAPI_query_event(PAPI_TOT_INS) == PAPI_OK;
}

static enum status probe(char *why, size_t why_bytes)
{
	pthread_once(&once, initialise);
	if (usable)
		return ST_OK;
	snprintf(why, why_bytes, "this machine has no hardware counters for cycles and instructions");
	return ST_UNSUPPORTED;
}

/* Counts on from here; a thread that may not count (perf_event_paranoid) has unknown counts, not an error. */
static enum status open_counts(const struct plan *plan)
{
	(void)plan;
	int events[] = {PAPI_TOT_CYC, PAPI_TOT_INS}, set = PAPI_NULL;
	if (event_set != PAPI_NULL || PAPI_create_eventset(&set) != PAPI_OK)
		return ST_OK;
	if (PAPI_add_events(set, events, 2) == PAPI_OK && PAPI_start(set) == PAPI_OK) {
		event_set = set;
		return ST_OK;
	}
	PAPI_cleanup_eventset(set);
	PAPI_destroy_eventset(&set);
	return ST_OK;
}

static enum status read_counts(struct counts *out)
{
	long long values[2];
	if (event_set == PAPI_NULL || PAPI_read(event_set, values) != PAPI_OK)
		return ST_OK;
	out->cycles = values[0];
	out->instructions = values[1];
	return ST_OK;
}

static void close_counts(void)
{
	if (event_set == PAPI_NULL)
		return;
	long long values[2];
	PAPI_stop(event_set, values);
	PAPI_cleanup_eventset(event_set);
	PAPI_destroy_eventset(&event_set);
	event_set = PAPI_NULL;
}

extern const struct counter counter_papi;
const struct counter counter_papi = {
        .name = "papi",
        .help = "cycles and instructions of each rank's thread",
        .probe = probe,
        .open = open_counts,
        .read = read_counts,
        .close = close_counts,
};
