/* test_line_fit.c - known lines come back, outliers do not move them, intervals hold the truth. */
#include "analysis/line_fit.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { SIZES = 20 };

static const double true_alpha_ns = 5000, true_bytes_per_s = 2e9;

static void exact_points(struct line_point p[SIZES])
{
	for (int i = 0; i < SIZES; i++) {
		p[i].bytes = ldexp(8, i);
		p[i].ns = true_alpha_ns + p[i].bytes / true_bytes_per_s * 1e9;
	}
}

static void assert_near(double got, double expected, double share)
{
	if (!(fabs(got / expected - 1) <= share))
		fail_msg("got %g, expected %g within %g", got, expected, share);
}

static void exact_line_comes_back(void **state)
{
	(void)state;
	struct line_point p[SIZES];
	struct line_fit fit;
	exact_points(p);
	assert_true(line_fit_of(p, SIZES, &fit));
	assert_near(fit.alpha_ns.value, true_alpha_ns, 1e-6);
	assert_near(fit.bytes_per_s.value, true_bytes_per_s, 1e-6);
	assert_near(line_fit_ns(&fit, 1e6), 5000 + 5e5, 1e-6);
}

static void outliers_do_not_move_it(void **state)
{
	(void)state;
	struct line_point p[SIZES];
	struct line_fit fit;
	exact_points(p);
	for (int i = 0; i < SIZES; i++)
		p[i].ns *= 1 + 0.01 * (i % 3 - 1);
	p[4].ns *= 5;
	p[17].ns *= 3;
	assert_true(line_fit_of(p, SIZES, &fit));
	assert_near(fit.alpha_ns.value, true_alpha_ns, 0.03);
	assert_near(fit.bytes_per_s.value, true_bytes_per_s, 0.03);
}

static void intervals_hold_the_truth(void **state)
{
	(void)state;
	enum { TRIALS = 1000 };
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	int alpha_held = 0, rate_held = 0;
	for (int trial = 0; trial < TRIALS; trial++) {
		struct line_point p[SIZES];
		struct line_fit fit;
		exact_points(p);
		for (int i = 0; i < SIZES; i++)
			p[i].ns *= 1 + gsl_ran_gaussian(rng, 0.05);
		assert_true(line_fit_of(p, SIZES, &fit));
		alpha_held += fit.alpha_ns.low <= true_alpha_ns && true_alpha_ns <= fit.alpha_ns.high;
		rate_held +=
		        fit.bytes_per_s.low <= true_bytes_per_s && true_bytes_per_s <= fit.bytes_per_s.high;
	}
	gsl_rng_free(rng);
	assert_in_range(alpha_held, TRIALS * 92 / 100, TRIALS * 98 / 100);
	assert_in_range(rate_held, TRIALS * 92 / 100, TRIALS * 98 / 100);
}

static void terms_never_fall_below_zero(void **state)
{
	(void)state;
	struct line_fit fit;
	const struct line_point no_latency[] = {{1e6, 1e6}, {2e6, 2.1e6}, {4e6, 4.4e6}, {8e6, 9e6}};
	assert_true(line_fit_of(no_latency, 4, &fit));
	assert_true(fit.alpha_ns.value == 0);
	assert_near(fit.bytes_per_s.value, 1e9, 0.15);
	const struct line_point flat[] = {{8, 1000}, {16, 990}, {32, 985}, {64, 970}};
	assert_true(line_fit_of(flat, 4, &fit));
	assert_true(isinf(fit.bytes_per_s.value));
	assert_near(fit.alpha_ns.value, 986, 0.01);
}

static void two_points_have_no_interval(void **state)
{
	(void)state;
	struct line_fit fit;
	const struct line_point two[] = {{1000, 2000}, {3000, 4000}};
	assert_true(line_fit_of(two, 2, &fit));
	assert_near(fit.alpha_ns.value, 1000, 1e-9);
	assert_near(fit.bytes_per_s.value, 1e9, 1e-9);
	assert_true(isnan(fit.bytes_per_s.low));
}

static void no_line_is_said(void **state)
{
	(void)state;
	struct line_fit fit;
	const struct line_point same[] = {{8, 1}, {8, 2}, {8, 3}};
	const struct line_point wild[] = {{8, 1}, {16, NAN}};
	assert_false(line_fit_of(same, 3, &fit));
	assert_false(line_fit_of(same, 1, &fit));
	assert_false(line_fit_of(wild, 2, &fit));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(exact_line_comes_back),
	        cmocka_unit_test(outliers_do_not_move_it),
	        cmocka_unit_test(intervals_hold_the_truth),
	        cmocka_unit_test(terms_never_fall_below_zero),
	        cmocka_unit_test(two_points_have_no_interval),
	        cmocka_unit_test(no_line_is_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
