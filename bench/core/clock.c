/* clock.c - CLOCK_MONOTONIC. */
#include "bench/core/clock.h"

#include <errno.h>
#include <time.h>

int64_t clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t clock_granularity_ns(void)
{
	int64_t smallest = INT64_MAX;
	for (int i = 0; i < 100; i++) {
		int64_t start = clock_ns(), now;
		do
			now = clock_ns();
		while (now == start);
		if (now - start < smallest)
			smallest = now - start;
	}
	return smallest;
}

void clock_sleep_ns(int64_t ns)
{
	struct timespec left = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		;
}
