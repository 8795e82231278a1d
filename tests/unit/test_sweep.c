/* test_sweep.c - sizes of a plan: nccl-tests' steps, and an end in every case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/core/sweep.h"

static struct plan plan_of(uint64_t min, uint64_t max, uint64_t step, double factor)
{
	return (struct plan){.min_bytes = min, .max_bytes = max, .step_bytes = step, .step_factor = factor};
}

static void assert_sizes(struct plan plan, const uint64_t *expected, size_t count)
{
	uint64_t bytes = plan.min_bytes;
	assert_int_equal(sweep_count(&plan), count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(bytes, expected[i]);
		assert_int_equal(sweep_next(&plan, &bytes), i + 1 < count);
	}
}

#define SIZES(plan, ...)                                                                                     \
	assert_sizes(plan, (const uint64_t[]){__VA_ARGS__},                                                  \
	        sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void factor_multiplies(void **state)
{
	(void)state;
	SIZES(plan_of(8, 64, 0, 2), 8, 16, 32, 64);
	SIZES(plan_of(8, 63, 0, 2), 8, 16, 32);
	SIZES(plan_of(10, 40, 0, 1.5), 10, 15, 22, 33);
}

static void step_adds(void **state)
{
	(void)state;
	SIZES(plan_of(10, 40, 10, 1), 10, 20, 30, 40);
	SIZES(plan_of(10, 39, 10, 0), 10, 20, 30);
}

static void one_size(void **state)
{
	(void)state;
	SIZES(plan_of(64, 64, 1 << 20, 1), 64);
	SIZES(plan_of(64, 64, 0, 2), 64);
}

static void zero_and_no_step_end(void **state)
{
	(void)state;
	SIZES(plan_of(0, 8, 0, 2), 0, 1, 2, 4, 8);
	SIZES(plan_of(0, 8, 0, 1), 0);
	SIZES(plan_of(5, 8, 0, 1), 5);
	SIZES(plan_of(1, 3, 0, 1.1), 1, 2, 3);
}

static void no_overflow(void **state)
{
	(void)state;
	const uint64_t top = UINT64_MAX;
	SIZES(plan_of(top - 1, top, 2, 1), top - 1);
	SIZES(plan_of(top - 1, top, 1, 1), top - 1, top);
	SIZES(plan_of(top, top, 1, 1), top);
	SIZES(plan_of(UINT64_C(1) << 63, top, 0, 2), UINT64_C(1) << 63);
	SIZES(plan_of(top, top, 0, 2), top);
}

static void inverted_is_empty(void **state)
{
	(void)state;
	struct plan plan = plan_of(9, 8, 1, 1);
	assert_int_equal(sweep_count(&plan), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(factor_multiplies),
	        cmocka_unit_test(step_adds),
	        cmocka_unit_test(one_size),
	        cmocka_unit_test(zero_and_no_step_end),
	        cmocka_unit_test(no_overflow),
	        cmocka_unit_test(inverted_is_empty),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
