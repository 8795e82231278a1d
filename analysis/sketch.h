/* sketch.h - count, extremes, mean, deviation and percentiles of a stream of numbers, in memory that
 * does not grow with their count. Percentiles are exact up to 64 values and within 0.05 % beyond. */
#ifndef ANALYSIS_SKETCH_H
#define ANALYSIS_SKETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SKETCH_EXACT = 64 };

struct sketch {
	uint64_t count;
	double min, max;
	double first, sum, squares; /* of the differences from the first value: no cancellation */
	double exact[SKETCH_EXACT]; /* in use up to that count */
	uint32_t *bin;              /* beyond it: counts by the leading bits of the number */
	uint32_t bin_first, bins;
};

/* Start from { 0 }. False: out of memory. Values must be finite and not below 0. */
bool sketch_add(struct sketch *, double value);
double sketch_mean(const struct sketch *);
double sketch_stdev(const struct sketch *); /* of the population */
/* Nearest rank, p in (0, 1]. */
double sketch_percentile(struct sketch *, double p);
void sketch_free(struct sketch *);

#endif
