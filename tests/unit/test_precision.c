/* When --precision stops, and how much it asks for when it goes on. */
#include "bench/core/precision.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* 20 samples of 1 ms whose interval is 4 % wide each way. */
static struct effort loose(void)
{
	return (struct effort){
	        .so_far = {.count = 20, .p50 = 1e6, .ci_low = 0.96e6, .ci_high = 1.04e6},
	        .spent_ns = 20e6,
	        .precision = 0.02,
	        .least_iters = 20,
	};
}

static void goes_on_until_the_interval_is_narrow(void **state)
{
	(void)state;
	struct effort e = loose();
	assert_int_equal(precision_iters(&e), 50); /* as many as 50 ms hold */
	e.precision = 0.04;
	assert_int_equal(precision_iters(&e), 0);
	e = loose();
	e.so_far.ci_low = 0.98e6;
	e.so_far.ci_high = 1.02e6;
	assert_int_equal(precision_iters(&e), 0);
}

static void few_samples_prove_nothing(void **state)
{
	(void)state;
	struct effort e = loose();
	e.so_far.count = 5;
	e.so_far.ci_low = e.so_far.ci_high = e.so_far.p50;
	assert_true(precision_iters(&e) > 0);
	e.so_far.count = 6;
	assert_int_equal(precision_iters(&e), 0);
}

static void slow_operations_come_in_batches_of_n(void **state)
{
	(void)state;
	struct effort e = loose();
	e.spent_ns = 20e9;
	assert_int_equal(precision_iters(&e), 20);
}

static void the_budget_ends_it(void **state)
{
	(void)state;
	struct effort e = loose();
	e.budget_s = 0.020;
	assert_int_equal(precision_iters(&e), 0);
	e.budget_s = 0.027;
	assert_int_equal(precision_iters(&e), 7); /* what is left of it */
}

static void there_are_no_samples_without_end(void **state)
{
	(void)state;
	struct effort e = loose();
	e.so_far.count = PRECISION_SAMPLES - 3;
	assert_int_equal(precision_iters(&e), 3);
	e.so_far.count = PRECISION_SAMPLES;
	assert_int_equal(precision_iters(&e), 0);
	e = loose();
	e.spent_ns = 0; /* a clock that did not move */
	assert_in_range(precision_iters(&e), 1, PRECISION_SAMPLES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(goes_on_until_the_interval_is_narrow),
	        cmocka_unit_test(few_samples_prove_nothing),
	        cmocka_unit_test(slow_operations_come_in_batches_of_n),
	        cmocka_unit_test(the_budget_ends_it),
	        cmocka_unit_test(there_are_no_samples_without_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
