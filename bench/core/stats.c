/* stats.c - order statistics; the interval of the median from the binomial distribution, no assumption on the
 * shape. */
#include "bench/core/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double stats_percentile(const double *sorted, size_t count, double p)
{
	size_t rank = (size_t)ceil(p * (double)count);
	return sorted[rank > count ? count - 1 : rank > 0 ? rank - 1 : 0];
}

/* The largest k with P(X < k) <= 2.5 % for X binomial(count, 1/2): then the k-th smallest and the k-th
 * largest value enclose the median with at least 95 %. 0: too few samples for that. */
static size_t median_rank(size_t count)
{
	if (count > 1000) /* the normal approximation is right to less than one rank from here on */
		return (size_t)(((double)count - 1.959964 * sqrt((double)count)) / 2);
	double log_term = -(double)count * log(2), below = exp(log_term);
	size_t k = 0;
	while (below <= 0.025) {
		k++;
		log_term += log((double)(count - k + 1)) - log((double)k);
		below += exp(log_term);
	}
	return k;
}

void stats_of(double *values, size_t count, struct stats *out)
{
	memset(out, 0, sizeof *out);
	if (!count)
		return;
	qsort(values, count, sizeof *values, ascending);
	double sum = 0, squares = 0;
	for (size_t i = 0; i < count; i++)
		sum += values[i];
	double mean = sum / (double)count;
	for (size_t i = 0; i < count; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	size_t k = median_rank(count);
	*out = (struct stats){
	        .count = count,
	        .min = values[0],
	        .p50 = stats_percentile(values, count, 0.50),
	        .p95 = stats_percentile(values, count, 0.95),
	        .p99 = stats_percentile(values, count, 0.99),
	        .max = values[count - 1],
	        .mean = mean,
	        .stdev = sqrt(squares / (double)count),
	        .ci_low = values[k ? k - 1 : 0],
	        .ci_high = values[k ? count - k : count - 1],
	};
}
