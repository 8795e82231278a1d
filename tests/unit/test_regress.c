/* test_regress.c - operating characteristics on made-up histories with known truth, seeded: how often nothing
 * is called a change, a loss is found, a drift is found in time; with Gaussian noise, with disturbances, with
 * days that differ. And the parts. */
#include "analysis/moderate.h"
#include "analysis/regress.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

enum { KEYS = 24, BEFORE = 40, SAMPLES = 20 };

/* TRIALS=20 in the environment makes twenty times as many and pins the rates down. */
static int trials(int base)
{
	const char *factor = getenv("TRIALS");
	return base * (factor ? atoi(factor) : 1);
}

/* So many may be seen when `rate` is true, but for one time in a thousand. */
static int at_most(double rate, int of)
{
	return (int)ceil(rate * of + 3.1 * sqrt(rate * of));
}

static gsl_rng *rng;
static const struct regress_limits limits = {0.01, 0.001};

struct truth {
	double noise;     /* of a sample */
	double days;      /* spread between runs */
	double disturbed; /* share of samples that take up to three times as long */
	double loss;      /* of the newest run, on the keys below `lost` */
	int lost;
	double drift; /* a run, on the keys below `lost` */
	int step_at;  /* the loss begins at this run already; 0: only the newest has it */
};

static struct run_point measure(const struct truth *t, size_t run, double level)
{
	double x[SAMPLES], day = 1 + gsl_ran_gaussian_ziggurat(rng, t->days);
	for (int i = 0; i < SAMPLES; i++) {
		x[i] = level * day * (1 + gsl_ran_gaussian_ziggurat(rng, t->noise));
		if (t->disturbed > 0 && gsl_rng_uniform(rng) < t->disturbed)
			x[i] *= 1 + 2 * gsl_rng_uniform(rng);
	}
	double mean = gsl_stats_mean(x, 1, SAMPLES), sd = gsl_stats_sd_m(x, 1, SAMPLES, mean);
	gsl_sort(x, 1, SAMPLES);
	/* The interval of the median: 6th to 15th of 20, 95.9 %. */
	double median = (x[9] + x[10]) / 2, error = (x[14] - x[5]) / (2 * 1.96);
	return (struct run_point){.run = run,
	        .mean = log(mean),
	        .mean_error = sd / sqrt(SAMPLES) / mean,
	        .median = log(median),
	        .median_error = error / median};
}

static void make_history(const struct truth *t, int runs, struct series series[KEYS])
{
	for (int k = 0; k < KEYS; k++) {
		series[k].points = (size_t)runs;
		for (int r = 0; r < runs; r++) {
			double level = 1e5 * (k + 1);
			bool lossy = t->step_at ? r >= t->step_at : r == runs - 1;
			if (k < t->lost)
				level *= (lossy ? 1 + t->loss : 1) * pow(1 + t->drift, r);
			series[k].point[r] = measure(t, (size_t)r, level);
		}
	}
}

static int count_alarms(const struct series series[KEYS], int from, int to, struct regression out[KEYS])
{
	int alarms = 0;
	assert_int_equal(regress_judge(series, KEYS, &limits, out), ST_OK);
	for (int k = from; k < to; k++)
		alarms += out[k].change >= CHANGE_NEWEST;
	return alarms;
}

static int runs_with_false_alarm(const struct truth *t, int n)
{
	static struct series series[KEYS];
	struct regression out[KEYS];
	int alarmed = 0;
	for (int i = 0; i < n; i++) {
		make_history(t, BEFORE + 1, series);
		alarmed += count_alarms(series, 0, KEYS, out) > 0;
	}
	return alarmed;
}

static void nothing_is_called_nothing(void **state)
{
	(void)state;
	int n = trials(1000);
	int alarmed = runs_with_false_alarm(&(struct truth){.noise = 0.02}, n);
	print_message("A/A: %d false alarms in %d runs of %d keys\n", alarmed, n, KEYS);
	assert_in_range(alarmed, 0, at_most(0.001, n));
}

static void disturbed_samples_are_nothing(void **state)
{
	(void)state;
	int n = trials(200);
	int alarmed = runs_with_false_alarm(&(struct truth){.noise = 0.02, .disturbed = 0.1}, n);
	print_message("A/A, 10 %% of samples disturbed: %d false alarms in %d runs\n", alarmed, n);
	assert_in_range(alarmed, 0, at_most(0.003, n));
}

static void days_that_differ_are_nothing(void **state)
{
	(void)state;
	int n = trials(200);
	static const double days[] = {0.003, 0.006, 0.02};
	for (int i = 0; i < 3; i++) {
		int alarmed = runs_with_false_alarm(&(struct truth){.noise = 0.02, .days = days[i]}, n);
		print_message("A/A, days differ by %.1f %%: %d false alarms in %d runs\n", 100 * days[i],
		        alarmed, n);
		assert_in_range(alarmed, 0, at_most(0.003, n));
	}
}

static void loss_is_found(void **state)
{
	(void)state;
	int n = trials(300);
	static struct series series[KEYS];
	struct regression out[KEYS];
	const struct truth t = {.noise = 0.02, .loss = 0.03, .lost = 1};
	int found = 0, wrong = 0;
	for (int i = 0; i < n; i++) {
		make_history(&t, BEFORE + 1, series);
		found += count_alarms(series, 0, 1, out);
		wrong += count_alarms(series, 1, KEYS, out) > 0;
	}
	print_message("3 %% lost on one of %d keys: found in %d of %d runs, other keys blamed in %d\n", KEYS,
	        found, n, wrong);
	assert_in_range(n - found, 0, at_most(0.01, n));
	assert_in_range(wrong, 0, at_most(0.002, n));
}

static void drift_is_found_in_time(void **state)
{
	(void)state;
	int n = trials(60);
	static struct series series[KEYS];
	struct regression out[KEYS];
	const struct truth t = {.noise = 0.02, .drift = 0.002, .lost = 3};
	int found = 0, as_drift = 0;
	for (int i = 0; i < n; i++) {
		make_history(&t, 20, series);
		found += count_alarms(series, 0, 3, out) == 3;
		for (int k = 0; k < 3; k++)
			as_drift += out[k].change == CHANGE_DRIFT;
	}
	print_message("0.2 %% a run on three keys: all found after 20 runs in %d of %d histories, called "
	              "drift %d times of %d\n",
	        found, n, as_drift, 3 * n);
	assert_in_range(n - found, 0, at_most(0.01, n));
	assert_in_range(as_drift, 3 * n * 9 / 10, 3 * n);
}

static void step_is_dated(void **state)
{
	(void)state;
	int n = trials(60);
	static struct series series[KEYS];
	struct regression out[KEYS];
	const struct truth t = {.noise = 0.02, .loss = 0.03, .lost = 1, .step_at = 12};
	int found = 0, dated = 0;
	for (int i = 0; i < n; i++) {
		make_history(&t, BEFORE + 1, series);
		found += count_alarms(series, 0, 1, out);
		dated += out[0].change == CHANGE_STEP && out[0].since_run == 12;
	}
	print_message("3 %% lost since the 12th of %d runs: found %d, dated right %d of %d\n", BEFORE + 1,
	        found, dated, n);
	assert_in_range(n - found, 0, at_most(0.01, n));
	assert_in_range(dated, n * 9 / 10, n);
}

static void least_effect_keeps_trifles_out(void **state)
{
	(void)state;
	static struct series series[KEYS];
	struct regression out[KEYS];
	const struct truth t = {.noise = 0.0005, .loss = 0.005, .lost = KEYS};
	make_history(&t, BEFORE + 1, series);
	assert_int_equal(count_alarms(series, 0, KEYS, out), 0);
}

static void faster_is_no_alarm(void **state)
{
	(void)state;
	static struct series series[KEYS];
	struct regression out[KEYS];
	const struct truth t = {.noise = 0.02, .loss = -0.05, .lost = 2};
	make_history(&t, BEFORE + 1, series);
	assert_int_equal(count_alarms(series, 0, KEYS, out), 0);
	assert_int_equal(out[0].change, CHANGE_FASTER);
}

static void too_few_runs_are_said(void **state)
{
	(void)state;
	static struct series series[KEYS];
	struct regression out[KEYS];
	make_history(&(struct truth){.noise = 0.02, .loss = 0.5, .lost = KEYS}, REGRESS_LEAST - 1, series);
	assert_int_equal(count_alarms(series, 0, KEYS, out), 0);
	assert_int_equal(out[0].change, CHANGE_TOO_FEW);
	series[0].points = 0;
	assert_int_equal(count_alarms(series, 0, KEYS, out), 0);
}

static void moderation_learns_how_alike_variances_are(void **state)
{
	(void)state;
	enum { MANY = 2000 };
	double variance[MANY], freedom[MANY], scratch[MANY];
	for (int i = 0; i < MANY; i++) {
		freedom[i] = 10;
		variance[i] = 4 * gsl_ran_chisq(rng, 10) / 10;
	}
	struct moderation m = moderate(variance, freedom, MANY, scratch);
	assert_true(m.prior_freedom > 100);
	assert_true(fabs(m.prior - 4) < 0.2);
	/* True variances that are 4 x 8 / chi-squared of 8 scatter as a prior worth 8 degrees of freedom. */
	for (int i = 0; i < MANY; i++)
		variance[i] = 4 * 8 / gsl_ran_chisq(rng, 8) * gsl_ran_chisq(rng, 10) / 10;
	m = moderate(variance, freedom, MANY, scratch);
	assert_true(m.prior_freedom > 6 && m.prior_freedom < 11);
	assert_true(fabs(m.prior - 4) < 0.4);
}

/* The textbook example: of fifteen p-values the four smallest are discoveries at 5 %. */
static void discoveries_are_controlled(void **state)
{
	(void)state;
	double p[] = {0.0459, 0.0001, 0.0004, 0.0298, 0.0019, 0.0095, 0.0201, 0.0278, 0.0344, 0.3240, 0.4262,
	        0.5719, 0.6528, 0.7590, 1.0000};
	assert_true(discovery_threshold(p, 15, 0.05) == 0.0095);
	double none[] = {0.9, 0.2, 0.5};
	assert_true(discovery_threshold(none, 3, 0.05) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(nothing_is_called_nothing),
	        cmocka_unit_test(disturbed_samples_are_nothing),
	        cmocka_unit_test(days_that_differ_are_nothing),
	        cmocka_unit_test(loss_is_found),
	        cmocka_unit_test(drift_is_found_in_time),
	        cmocka_unit_test(step_is_dated),
	        cmocka_unit_test(least_effect_keeps_trifles_out),
	        cmocka_unit_test(faster_is_no_alarm),
	        cmocka_unit_test(too_few_runs_are_said),
	        cmocka_unit_test(moderation_learns_how_alike_variances_are),
	        cmocka_unit_test(discoveries_are_controlled),
	};
	rng = gsl_rng_alloc(gsl_rng_mt19937);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	gsl_rng_free(rng);
	return failed;
}
