/* precision.h - --precision: how many iterations more, if any. */
#ifndef BENCH_CORE_PRECISION_H
#define BENCH_CORE_PRECISION_H

#include "bench/core/run.h"
#include "bench/core/stats.h"

enum { PRECISION_SAMPLES = 1 << 20 }; /* of a row at most */

struct effort {
	struct stats so_far; /* of the samples, the slowest rank's */
	double spent_ns;     /* on this row */
	double precision;    /* wanted: half the interval of the median / the median */
	double budget_s;     /* 0: none */
	int least_iters;     /* of a batch */
};

/* 0 when the median is known well enough, the budget is spent or the samples are too many. Pure. */
int precision_iters(const struct effort *);

/* The same for the row of a run whose last `fresh` of `samples` iterations no one has looked at yet. Decided
 * on rank 0 for all. Collective over all ranks. */
int precision_next(struct run *, size_t samples, size_t fresh, int64_t started_ns);

#endif
