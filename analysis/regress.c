/* regress.c - three tests of each series with the variance that its own model leaves; then one threshold for
 * all of them. */
#include "analysis/regress.h"
#include "analysis/moderate.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

enum test { TEST_NEWEST, TEST_DRIFT, TEST_STEP, TESTS };

/* Most of the false alarms that are allowed go to the question asked most: is this run slower? They add up to
 * TESTS. */
static const double weight[TESTS] = {2.6, 0.2, 0.2};
enum { DRIFT_LEAST = 8, SEGMENT_LEAST = 3 };

/* What a test finds in one series, before anything is known of the others. */
struct found {
	double effect; /* log share */
	double ratio,
	        freedom; /* variance between runs, in units of `scale`; 0 freedom: the test does not apply */
	double scale;    /* what the samples let expect of it; 1 when unknown */
	double leverage; /* variance of the effect, in units of the variance between runs */
	double looks;    /* how many places were searched */
	size_t since;    /* index of the point */
	double p, error; /* one-sided: slower */
	double residual; /* sum of squares that the model leaves */
};

struct work {
	const struct series *series;
	size_t count;
	const struct regress_limits *limits;
	struct found *found[TESTS]; /* [series] */
	double *ratio, *freedom, *scratch;
};

/* ---- location: mean or median, whichever the samples make steadier ---- */

static bool prefers_median(const struct series *s)
{
	double mean = 0, median = 0;
	for (size_t i = 0; i < s->points; i++) {
		if (isnan(s->point[i].median) || s->point[i].mean_error <= 0 || s->point[i].median_error <= 0)
			return s->point[i].mean_error <= 0 && !isnan(s->point[i].median);
		mean += pow(s->point[i].mean_error, 2);
		median += pow(s->point[i].median_error, 2);
	}
	return median < mean;
}

static double scale_of(const double *error, size_t points)
{
	double sum = 0;
	for (size_t i = 0; i < points; i++) {
		if (!(error[i] > 0))
			return 1;
		sum += error[i] * error[i];
	}
	return sum / (double)points;
}

static double mean_of(const double *x, size_t count)
{
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += x[i];
	return sum / (double)count;
}

static double squares_about(const double *x, size_t count, double mean)
{
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += (x[i] - mean) * (x[i] - mean);
	return sum;
}

/* ---- the three tests ---- */

static struct found test_newest(const double *x, const double *error, size_t n)
{
	size_t before = n - 1;
	double level = mean_of(x, before), squares = squares_about(x, before, level);
	double scale = scale_of(error, before), own = error[before] * error[before] / scale;
	/* A newest run whose own samples scatter much more is believed less. */
	double newest = own > 2.4 && scale < 1 ? own : 1;
	return (struct found){.effect = x[before] - level,
	        .freedom = (double)before - 1,
	        .ratio = squares / ((double)before - 1) / scale,
	        .scale = scale,
	        .leverage = newest + 1 / (double)before,
	        .looks = 1,
	        .since = before,
	        .residual = squares};
}

static struct found test_drift(const double *x, const double *error, size_t n)
{
	if (n < DRIFT_LEAST)
		return (struct found){0};
	double middle = ((double)n - 1) / 2, mean = mean_of(x, n), across = 0, along = 0, squares = 0;
	for (size_t i = 0; i < n; i++) {
		across += ((double)i - middle) * (x[i] - mean);
		along += ((double)i - middle) * ((double)i - middle);
	}
	double slope = across / along, length = (double)n - 1;
	for (size_t i = 0; i < n; i++)
		squares += pow(x[i] - mean - slope * ((double)i - middle), 2);
	double scale = scale_of(error, n);
	return (struct found){.effect = slope * length,
	        .freedom = (double)n - 2,
	        .ratio = squares / ((double)n - 2) / scale,
	        .scale = scale,
	        .leverage = length * length / along,
	        .looks = 1,
	        .residual = squares};
}

/* The split that leaves the least, with at least three runs on either side. */
static struct found test_step(const double *x, const double *error, size_t n)
{
	if (n < 2 * SEGMENT_LEAST)
		return (struct found){0};
	struct found best = {.residual = INFINITY};
	for (size_t k = SEGMENT_LEAST; k + SEGMENT_LEAST <= n; k++) {
		double before = mean_of(x, k), after = mean_of(x + k, n - k);
		double squares = squares_about(x, k, before) + squares_about(x + k, n - k, after);
		if (squares < best.residual)
			best = (struct found){.effect = after - before,
			        .leverage = 1 / (double)k + 1 / (double)(n - k),
			        .since = k,
			        .residual = squares};
	}
	best.scale = scale_of(error, n);
	best.freedom = (double)n - 2;
	best.ratio = best.residual / best.freedom / best.scale;
	best.looks = (double)(n - 2 * SEGMENT_LEAST + 1);
	return best;
}

static void test_series(struct work *w, size_t i)
{
	static struct found (*const tests[TESTS])(const double *, const double *, size_t) = {
	        [TEST_NEWEST] = test_newest, [TEST_DRIFT] = test_drift, [TEST_STEP] = test_step};
	const struct series *s = &w->series[i];
	double x[REGRESS_RUNS], error[REGRESS_RUNS];
	bool median = prefers_median(s);
	for (size_t k = 0; k < s->points; k++) {
		x[k] = median ? s->point[k].median : s->point[k].mean;
		error[k] = median ? s->point[k].median_error : s->point[k].mean_error;
	}
	for (enum test t = 0; t < TESTS; t++)
		w->found[t][i] =
		        s->points >= REGRESS_LEAST ? tests[t](x, error, s->points) : (struct found){0};
}

/* ---- all series together ---- */

static bool is_scaled(const struct found *f)
{
	return f->freedom > 0 && f->scale != 1;
}

static void finish_test(struct work *w, enum test t)
{
	size_t known = 0;
	double all_freedom = 0;
	for (size_t i = 0; i < w->count; i++) {
		const struct found *f = &w->found[t][i];
		if (!is_scaled(f))
			continue;
		w->ratio[known] = f->ratio;
		w->freedom[known++] = f->freedom;
		all_freedom += f->freedom;
	}
	struct moderation m = moderate(w->ratio, w->freedom, known, w->scratch);
	for (size_t i = 0; i < w->count; i++) {
		struct found *f = &w->found[t][i];
		double freedom = f->freedom, ratio = f->ratio;
		if (f->freedom <= 0)
			continue;
		if (is_scaled(f))
			ratio = moderated(&m, f->ratio, f->freedom, all_freedom, &freedom);
		f->error = sqrt(ratio * f->scale * f->leverage);
		double statistic = f->error > 0 ? f->effect / f->error : f->effect > 0 ? INFINITY : 0;
		f->p = fmin(gsl_cdf_tdist_Q(statistic, freedom) * f->looks, 1);
	}
}

static double discoveries(struct work *w)
{
	size_t count = 0;
	double *p = w->scratch;
	for (size_t i = 0; i < w->count; i++)
		for (enum test t = 0; t < TESTS; t++)
			if (w->found[t][i].freedom > 0)
				p[count++] = fmin(w->found[t][i].p / weight[t], 1);
	return discovery_threshold(p, count, w->limits->false_alarm);
}

static bool is_found(const struct work *w, enum test t, size_t i, double threshold)
{
	const struct found *f = &w->found[t][i];
	return f->freedom > 0 && threshold > 0 && f->p / weight[t] <= threshold &&
	       f->effect >= log1p(w->limits->effect);
}

static void report(const struct work *w, size_t i, double threshold, struct regression *out)
{
	static const enum change change[TESTS] = {
	        [TEST_NEWEST] = CHANGE_NEWEST, [TEST_DRIFT] = CHANGE_DRIFT, [TEST_STEP] = CHANGE_STEP};
	const struct series *s = &w->series[i];
	const struct found *newest = &w->found[TEST_NEWEST][i];
	*out = (struct regression){
	        .change = CHANGE_TOO_FEW, .effect = NAN, .p = NAN, .low = NAN, .high = NAN};
	if (newest->freedom <= 0)
		return;
	const struct found *shown = newest;
	out->change = CHANGE_NONE;
	/* Of several descriptions of one change the one that leaves the least unexplained. */
	double least = INFINITY;
	for (enum test t = 0; t < TESTS; t++)
		if (is_found(w, t, i, threshold) && w->found[t][i].residual < least) {
			least = w->found[t][i].residual;
			shown = &w->found[t][i];
			out->change = change[t];
		}
	if (out->change == CHANGE_NONE && newest->effect <= -log1p(w->limits->effect) &&
	        newest->effect <
	                -gsl_cdf_ugaussian_Qinv(w->limits->false_alarm / (double)w->count) * newest->error)
		out->change = CHANGE_FASTER;
	out->effect = expm1(shown->effect);
	out->p = shown->p;
	out->since_run = s->point[shown->since].run;
	out->low = expm1(shown->effect - 1.96 * shown->error);
	out->high = expm1(shown->effect + 1.96 * shown->error);
}

static enum status allocate(struct work *w)
{
	bool ok = true;
	for (enum test t = 0; t < TESTS; t++) {
		w->found[t] = calloc(w->count + 1, sizeof *w->found[t]);
		ok = ok && w->found[t];
	}
	w->ratio = malloc((w->count + 1) * sizeof *w->ratio);
	w->freedom = malloc((w->count + 1) * sizeof *w->freedom);
	w->scratch = malloc((w->count + 1) * TESTS * sizeof *w->scratch);
	ok = ok && w->ratio && w->freedom && w->scratch;
	return ok ? ST_OK : fail(ST_NOMEM, "out of memory for %zu series", w->count);
}

enum status regress_judge(const struct series *series, size_t count, const struct regress_limits *limits,
        struct regression *out)
{
	struct work w = {.series = series, .count = count, .limits = limits};
	enum status s = allocate(&w);
	for (size_t i = 0; !s && i < count; i++)
		test_series(&w, i);
	for (enum test t = 0; !s && t < TESTS; t++)
		finish_test(&w, t);
	double threshold = s ? 0 : discoveries(&w);
	for (size_t i = 0; !s && i < count; i++)
		report(&w, i, threshold, &out[i]);
	for (enum test t = 0; t < TESTS; t++)
		free(w.found[t]);
	free(w.ratio);
	free(w.freedom);
	free(w.scratch);
	return s;
}
