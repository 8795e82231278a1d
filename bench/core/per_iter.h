/* per_iter.h - what -I prints about the iterations of a row, in nccl-tests' definitions. */
#ifndef BENCH_CORE_PER_ITER_H
#define BENCH_CORE_PER_ITER_H

#include "bench/core/sink.h"

struct per_iter { /* microseconds; cv_percent: 100 x stdev / avg */
	double min, max, avg, p50, p95, p99, stdev, cv_percent;
};

/* Over the slowest rank's times, the first `skip` left out. p50 is the upper middle one, as in nccl-tests. */
enum status per_iter_of(const struct samples *, int skip, struct per_iter *out);

#endif
