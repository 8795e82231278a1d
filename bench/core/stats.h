/* stats.h - order statistics of samples; pure, shared by the runner and the analysis. Units are the caller's. */
#ifndef BENCH_CORE_STATS_H
#define BENCH_CORE_STATS_H

#include <stddef.h>

struct stats {
	size_t count;
	double min, p50, p95, p99, max, mean, stdev; /* percentiles by nearest rank, stdev of the population */
	double ci_low, ci_high; /* of the median, 95 %, from order statistics (binomial); min and max when count < 6 */
};

/* Sorts values in place. count 0 gives all zeros. */
void stats_of(double *values, size_t count, struct stats *out);

/* Nearest-rank percentile of sorted values, p in (0, 1]. */
double stats_percentile(const double *sorted, size_t count, double p);

#endif
