/* per_iter.c - see per_iter.h. */
#include "bench/core/per_iter.h"

#include "bench/core/stats.h"

#include <stdlib.h>

enum status per_iter_of(const struct samples *samples, int skip, struct per_iter *out)
{
	*out = (struct per_iter){0};
	if ((size_t)skip >= samples->count)
		return ST_OK;
	size_t count = samples->count - (size_t)skip;
	double *us = malloc(count * sizeof *us);
	if (!us)
		return fail(ST_NOMEM, "no memory for %zu iterations", count);
	for (size_t i = 0; i < count; i++)
		us[i] = (double)samples->elapsed_ns[(size_t)skip + i] / 1e3;
	struct stats s;
	stats_of(us, count, &s);
	*out = (struct per_iter){
	        .min = s.min,
	        .max = s.max,
	        .avg = s.mean,
	        .p50 = us[count / 2],
	        .p95 = s.p95,
	        .p99 = s.p99,
	        .stdev = s.stdev,
	        .cv_percent = s.mean > 0 ? 100 * s.stdev / s.mean : 0,
	};
	free(us);
	return ST_OK;
}
