/* test_fit.c - breaks are found where the line changes, and nowhere else. */
#include "analysis/fit.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

enum { SIZES = 22 };

static gsl_rng *rng;

static void two_protocols(struct line_point p[SIZES], int change, double noise)
{
	for (int i = 0; i < SIZES; i++) {
		p[i].bytes = ldexp(8, i);
		p[i].ns = i < change ? 1000 + p[i].bytes / 1
		                     : 40000 + p[i].bytes / 10; /* eager at 1 GB/s, rendezvous at 10 */
		p[i].ns *= 1 + gsl_ran_gaussian(rng, noise);
	}
}

static void one_line_stays_whole(void **state)
{
	(void)state;
	enum { TRIALS = 300 };
	int broken = 0;
	for (int t = 0; t < TRIALS; t++) {
		struct line_point p[SIZES];
		struct fit f;
		two_protocols(p, SIZES, 0.03);
		assert_true(fit_of(p, SIZES, 0.03, &f));
		broken += f.pieces > 1;
	}
	if (broken > TRIALS / 20)
		fail_msg("%d of %d single lines were broken", broken, TRIALS);
}

static void a_switch_is_found(void **state)
{
	(void)state;
	int exact = 0, broken_once = 0;
	for (int t = 0; t < 100; t++) {
		struct line_point p[SIZES];
		struct fit f;
		two_protocols(p, 13, 0.03);
		assert_true(fit_of(p, SIZES, 0.03, &f));
		broken_once += f.pieces == 2;
		exact += f.piece[1].first == 13;
		assert_true(fabs(f.piece[0].line.alpha_ns.value - 1000) < 100);
		assert_true(fabs(f.piece[f.pieces - 1].line.bytes_per_s.value / 10e9 - 1) < 0.1);
	}
	assert_in_range(broken_once, 95, 100);
	assert_in_range(exact, 90, 100);
}

static void an_outlier_is_no_switch(void **state)
{
	(void)state;
	for (int t = 0; t < 100; t++) {
		struct line_point p[SIZES];
		struct fit f;
		two_protocols(p, SIZES, 0.02);
		p[8 + t % 6].ns *= 3;
		assert_true(fit_of(p, SIZES, 0.02, &f));
		assert_int_equal(f.pieces, 1);
	}
}

static void few_points_make_one_line(void **state)
{
	(void)state;
	const struct line_point p[] = {{8, 1000}, {1e6, 2e6}, {2e6, 4e6}};
	struct fit f;
	assert_true(fit_of(p, 3, 0.03, &f));
	assert_int_equal(f.pieces, 1);
	assert_int_equal(f.piece[0].count, 3);
	assert_false(fit_of(p, 1, 0.03, &f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(one_line_stays_whole),
	        cmocka_unit_test(a_switch_is_found),
	        cmocka_unit_test(an_outlier_is_no_switch),
	        cmocka_unit_test(few_points_make_one_line),
	};
	rng = gsl_rng_alloc(gsl_rng_mt19937);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	gsl_rng_free(rng);
	return failed;
}
