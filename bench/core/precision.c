/* precision.c - see precision.h. */
#include "bench/core/precision.h"

#include "bench/core/clock.h"

#include <math.h>
#include <string.h>

/* A decision costs the ranks a few messages: batches of this length keep it below a hundredth of the time. */
static const double batch_ns = 50e6;

/* Fewer samples than that enclose the median with less than 95 %. */
enum { SAMPLES_LEAST = 6 };

int precision_iters(const struct effort *e)
{
	const struct stats *s = &e->so_far;
	double half_ns = (s->ci_high - s->ci_low) / 2;
	if (s->count >= SAMPLES_LEAST && half_ns <= e->precision * s->p50)
		return 0;
	double each_ns = fmax(e->spent_ns / (double)s->count, 1);
	double left_ns = e->budget_s > 0 ? e->budget_s * 1e9 - e->spent_ns : INFINITY;
	double fit = fmin(left_ns / each_ns, (double)PRECISION_SAMPLES - (double)s->count);
	double wanted = fmax(batch_ns / each_ns, e->least_iters);
	return fit < 1 ? 0 : (int)fmin(wanted, fit);
}

int precision_next(struct run *run, size_t samples, size_t fresh, int64_t started_ns)
{
	int iters = 0;
	int64_t *slowest_ns = run->slowest_ns + (samples - fresh);
	memcpy(slowest_ns, run->sample_ns + (samples - fresh), fresh * sizeof *slowest_ns);
	world_reduce(run->world, REDUCE_MAX, slowest_ns, fresh);
	if (run->world->rank == 0) {
		struct effort e = {
		        .precision = run->plan->precision,
		        .budget_s = run->plan->budget_s,
		        .least_iters = run->plan->iters,
		};
		for (size_t i = 0; i < samples; i++)
			run->sorted_ns[i] = (double)run->slowest_ns[i];
		stats_of(run->sorted_ns, samples, &e.so_far);
		e.spent_ns = (double)(clock_ns() - started_ns);
		iters = precision_iters(&e);
	}
	world_broadcast(run->world, &iters, sizeof iters);
	return iters;
}
