/* moderate.c - Smyth's moderation: the logarithms of the variances scatter by their freedom alone, or by
 * more, which tells how alike the true ones are. */
#include "analysis/moderate.h"

#include <gsl/gsl_sf_psi.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <string.h>

/* The x whose trigamma is y; Newton on the reciprocal, which is nearly straight. */
static double trigamma_inverse(double y)
{
	if (y > 1e7)
		return 1 / sqrt(y);
	if (y < 1e-6)
		return 1 / y;
	double x = 0.5 + 1 / y;
	for (int i = 0; i < 50; i++) {
		double t = gsl_sf_psi_1(x), step = t * (1 - t / y) / gsl_sf_psi_n(2, x);
		x += step;
		if (-step / x < 1e-8)
			break;
	}
	return x;
}

struct moderation moderate(const double *variance, const double *freedom, size_t count, double *scratch)
{
	struct moderation m = {0, 0};
	if (count < 3)
		return m;
	memcpy(scratch, variance, count * sizeof *scratch);
	double least = 1e-5 * gsl_stats_median(scratch, 1, count);
	if (!(least > 0))
		return m;
	double expected = 0; /* scatter from freedom alone */
	for (size_t i = 0; i < count; i++) {
		double half = freedom[i] / 2;
		scratch[i] = log(fmax(variance[i], least)) - gsl_sf_psi(half) + log(half);
		expected += gsl_sf_psi_1(half) / (double)count;
	}
	double mean = gsl_stats_mean(scratch, 1, count);
	double beyond = gsl_stats_variance_m(scratch, 1, count, mean) - expected;
	if (beyond > 0) {
		double half = trigamma_inverse(beyond);
		m.prior_freedom = 2 * half;
		m.prior = exp(mean + gsl_sf_psi(half) - log(half));
	} else {
		m.prior_freedom = INFINITY;
		m.prior = exp(mean);
	}
	return m;
}

double moderated(
        const struct moderation *m, double variance, double freedom, double most_freedom, double *freedom_p)
{
	*freedom_p = fmin(freedom + m->prior_freedom, most_freedom);
	if (m->prior_freedom <= 0)
		return variance;
	if (isinf(m->prior_freedom))
		return m->prior;
	return (freedom * variance + m->prior_freedom * m->prior) / (freedom + m->prior_freedom);
}

double discovery_threshold(double *p, size_t count, double q)
{
	gsl_sort(p, 1, count);
	for (size_t k = count; k > 0; k--)
		if (p[k - 1] <= q * (double)k / (double)count)
			return p[k - 1];
	return 0;
}
