/* line_fit.c - GSL's bisquare regression on 1 = alpha / t + bytes / (rate t), with neither term below zero.
 */
#include "analysis/line_fit.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>
#include <math.h>

/* The two unknowns: alpha in ns, and ns per byte. */
struct terms {
	double value[2], error[2]; /* one standard error */
	double spread;
};

static bool differ_in_size(const struct line_point *p, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (p[i].bytes != p[0].bytes)
			return true;
	return false;
}

static double column(const struct line_point *p, int term)
{
	return term ? p->bytes / p->ns : 1 / p->ns;
}

/* One unknown alone, by least squares on shares of the time. The error follows from the scatter. */
static bool fit_one(const struct line_point *p, size_t count, int term, struct terms *t)
{
	double numerator = 0, denominator = 0, squares = 0;
	for (size_t i = 0; i < count; i++) {
		numerator += column(&p[i], term);
		denominator += column(&p[i], term) * column(&p[i], term);
	}
	if (denominator <= 0)
		return false;
	double value = numerator / denominator;
	for (size_t i = 0; i < count; i++)
		squares += pow(1 - value * column(&p[i], term), 2);
	*t = (struct terms){0};
	t->value[term] = value;
	t->spread = count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
	t->error[term] = t->spread / sqrt(denominator);
	return true;
}

static bool fit_two(const struct line_point *p, size_t count, struct terms *t)
{
	gsl_matrix *x = gsl_matrix_alloc(count, 2), *cov = gsl_matrix_alloc(2, 2);
	gsl_vector *y = gsl_vector_alloc(count), *c = gsl_vector_alloc(2);
	gsl_multifit_robust_workspace *work =
	        gsl_multifit_robust_alloc(gsl_multifit_robust_bisquare, count, 2);
	bool ok = x && cov && y && c && work;
	/* Columns of equal size keep the normal equations well conditioned. */
	double scale[2] = {0, 0};
	for (size_t i = 0; i < count; i++)
		for (int j = 0; j < 2; j++)
			scale[j] = fmax(scale[j], column(&p[i], j));
	for (size_t i = 0; ok && i < count; i++) {
		for (size_t j = 0; j < 2; j++)
			gsl_matrix_set(x, i, j, column(&p[i], (int)j) / scale[j]);
		gsl_vector_set(y, i, 1);
	}
	if (ok) {
		int code = gsl_multifit_robust(x, y, c, cov, work);
		ok = code == GSL_SUCCESS || code == GSL_EMAXITER;
	}
	for (size_t j = 0; ok && j < 2; j++) {
		t->value[j] = gsl_vector_get(c, j) / scale[j];
		t->error[j] = sqrt(fmax(gsl_matrix_get(cov, j, j), 0)) / scale[j];
	}
	t->spread = ok ? gsl_multifit_robust_statistics(work).sigma : 0;
	gsl_multifit_robust_free(work);
	gsl_vector_free(c);
	gsl_vector_free(y);
	gsl_matrix_free(cov);
	gsl_matrix_free(x);
	return ok && isfinite(t->value[0]) && isfinite(t->value[1]);
}

/* Through both points; no freedom is left that would tell the error. */
static void fit_pair(const struct line_point *p, size_t count, struct terms *t)
{
	const struct line_point *a = &p[0], *b = &p[0];
	for (size_t i = 0; i < count; i++) {
		a = p[i].bytes < a->bytes ? &p[i] : a;
		b = p[i].bytes > b->bytes ? &p[i] : b;
	}
	double slope = (b->ns - a->ns) / (b->bytes - a->bytes);
	*t = (struct terms){.value = {a->ns - slope * a->bytes, slope}, .error = {NAN, NAN}};
}

static struct interval interval_of(double value, double error, size_t freedom)
{
	double half = freedom ? error * gsl_cdf_tdist_Pinv(0.975, (double)freedom) : NAN;
	return (struct interval){value, value - half, value + half};
}

static double inverse_rate(double ns_per_byte)
{
	return ns_per_byte > 0 ? 1e9 / ns_per_byte : isnan(ns_per_byte) ? NAN : INFINITY;
}

bool line_fit_of(const struct line_point *p, size_t count, struct line_fit *out)
{
	struct terms t = {0};
	gsl_error_handler_t *handler = gsl_set_error_handler_off();
	bool ok = count >= 2 && differ_in_size(p, count);
	for (size_t i = 0; i < count; i++)
		ok = ok && p[i].ns > 0 && p[i].bytes >= 0 && isfinite(p[i].ns) && isfinite(p[i].bytes);
	if (ok && (count < 4 || !fit_two(p, count, &t)))
		fit_pair(p, count, &t);
	/* A negative latency or a time that shrinks with the size is noise: that term is nothing. */
	if (ok && t.value[0] < 0)
		ok = fit_one(p, count, 1, &t);
	else if (ok && t.value[1] < 0)
		ok = fit_one(p, count, 0, &t);
	gsl_set_error_handler(handler);
	if (!ok)
		return false;
	size_t freedom = count > 2 ? count - 2 : 0;
	struct interval slope = interval_of(t.value[1], t.error[1], freedom);
	out->alpha_ns = interval_of(t.value[0], t.error[0], freedom);
	out->alpha_ns.low = fmax(out->alpha_ns.low, 0);
	out->bytes_per_s = (struct interval){
	        inverse_rate(slope.value), inverse_rate(slope.high), inverse_rate(slope.low)};
	out->spread = t.spread;
	out->points = count;
	return true;
}

double line_fit_ns(const struct line_fit *fit, double bytes)
{
	return fit->alpha_ns.value + bytes / fit->bytes_per_s.value * 1e9;
}
