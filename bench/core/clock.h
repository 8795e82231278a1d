/* clock.h - the one clock that measurements use. */
#ifndef BENCH_CORE_CLOCK_H
#define BENCH_CORE_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC in nanoseconds; only differences mean anything, and only within one host. */
int64_t clock_ns(void);

/* The smallest difference between two readings that this machine shows, nanoseconds (measured once). */
int64_t clock_granularity_ns(void);

/* Sleeps; never spins. */
void clock_sleep_ns(int64_t ns);

#endif
