/* cpu.c - CPU time of the rank's thread; every system has it. */
#include "bench/counter/counter.h"

#include <time.h>

static enum status probe(char *why, size_t why_bytes)
{
	(void)why, (void)why_bytes;
	return ST_OK;
}

static enum status open_counts(const struct plan *plan)
{
	(void)plan;
	return ST_OK;
}

static enum status read_counts(struct counts *out)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	out->cpu_ns = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
	return ST_OK;
}

static void close_counts(void)
{
}

extern const struct counter counter_cpu;
const struct counter counter_cpu = {
        .name = "cpu",
        .help = "CPU time of each rank's thread",
        .probe = probe,
        .open = open_counts,
        .read = read_counts,
        .close = close_counts,
};
