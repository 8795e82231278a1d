/* Order statistics against values worked out by hand and binomial tables. */
#include "bench/core/stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct stats of_range(size_t count) /* count, count - 1, .. 1: unsorted */
{
	double values[2000];
	for (size_t i = 0; i < count; i++)
		values[i] = (double)(count - i);
	struct stats s;
	stats_of(values, count, &s);
	return s;
}

static void percentiles_are_nearest_rank(void **state)
{
	(void)state;
	struct stats s = of_range(20);
	assert_true(s.count == 20 && s.min == 1 && s.max == 20 && s.mean == 10.5);
	assert_true(s.p50 == 10 && s.p95 == 19 && s.p99 == 20);
	s = of_range(5);
	assert_true(s.p50 == 3);
	assert_float_equal(s.stdev, 1.4142135, 1e-6);
}

/* Ranks of the 95 % interval of a median as tables of the sign test give them. */
static void median_interval_matches_sign_test_tables(void **state)
{
	(void)state;
	static const struct {
		size_t count;
		double low, high;
	} table[] = {{5, 1, 5}, {6, 1, 6}, {8, 1, 8}, {9, 2, 8}, {10, 2, 9}, {15, 4, 12}, {20, 6, 15},
	        {25, 8, 18}, {30, 10, 21}, {40, 14, 27}, {50, 18, 33}, {100, 40, 61}};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct stats s = of_range(table[i].count);
		assert_true(s.ci_low == table[i].low);
		assert_true(s.ci_high == table[i].high);
	}
}

static void approximation_joins_the_exact_ranks(void **state)
{
	(void)state;
	struct stats exact = of_range(1000), near = of_range(1001);
	assert_true(exact.ci_low >= near.ci_low - 1 && exact.ci_low <= near.ci_low + 1);
	assert_true(exact.ci_high >= near.ci_high - 2 && exact.ci_high <= near.ci_high + 1);
}

static void nothing_and_one(void **state)
{
	(void)state;
	struct stats s;
	stats_of(NULL, 0, &s);
	assert_true(s.count == 0 && s.p50 == 0);
	s = of_range(1);
	assert_true(s.p50 == 1 && s.ci_low == 1 && s.ci_high == 1 && s.stdev == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(percentiles_are_nearest_rank),
	        cmocka_unit_test(median_interval_matches_sign_test_tables),
	        cmocka_unit_test(approximation_joins_the_exact_ranks),
	        cmocka_unit_test(nothing_and_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
