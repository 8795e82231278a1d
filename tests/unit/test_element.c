/* The arithmetic under the data of the suite: conversions are right for every bit pattern, and the shares of
 * all ranks combine exactly, whatever the order. */
#include "bench/core/types.h"
#include "bench/memory/recipe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const struct narrow_type {
	enum dtype dtype;
	int width, fraction, bias;
	uint32_t largest, beyond; /* patterns of the largest number and of what is beyond it */
	float (*to_float)(uint32_t);
	uint32_t (*from_float)(float);
} narrow[] = {
        {DT_HALF, 16, 10, 15, 0x7bff, 0x7c00, half_to_float, half_from_float},
        {DT_BFLOAT16, 16, 7, 127, 0x7f7f, 0x7f80, bfloat16_to_float, bfloat16_from_float},
        {DT_F8E4M3, 8, 3, 7, 0x7e, 0x7e, f8e4m3_to_float, f8e4m3_from_float},
        {DT_F8E5M2, 8, 2, 15, 0x7b, 0x7b, f8e5m2_to_float, f8e5m2_from_float},
};

enum { NARROW_TYPES = sizeof narrow / sizeof *narrow };

/* The number behind a pattern by its definition, in double arithmetic. */
static double defined_value(const struct narrow_type *t, uint32_t bits)
{
	int exponent_bits = t->width - 1 - t->fraction, top = (1 << exponent_bits) - 1;
	int exponent = (int)(bits >> t->fraction) & top;
	double fraction = (double)(bits & ((1u << t->fraction) - 1)) / (1 << t->fraction);
	double sign = bits >> (t->width - 1) ? -1 : 1;
	if (t->dtype == DT_F8E4M3) {
		if ((bits & 0x7f) == 0x7f)
			return NAN;
	} else if (exponent == top) {
		return fraction > 0 ? NAN : sign * INFINITY;
	}
	return sign * (exponent ? ldexp(1 + fraction, exponent - t->bias) : ldexp(fraction, 1 - t->bias));
}

static void every_pattern_converts_there_and_back(void **state)
{
	(void)state;
	for (const struct narrow_type *t = narrow; t < narrow + NARROW_TYPES; t++)
		for (uint32_t bits = 0; bits < 1u << t->width; bits++) {
			double want = defined_value(t, bits);
			float have = t->to_float(bits);
			uint32_t back = t->from_float(have), sign = bits >> (t->width - 1) << (t->width - 1);
			if (isnan(want)) {
				assert_true(isnan(have));
				assert_int_equal(back, (1u << (t->width - 1)) - 1);
				continue;
			}
			assert_true((double)have == want && !signbit(have) == !signbit(want));
			assert_int_equal(back, isinf(want) ? (t->beyond | sign) : bits);
		}
}

/* Between two neighbours the nearer one, in the middle the even one: with all of these right, and results
 * that never fall as inputs rise, every float is right. */
static void rounding_is_to_nearest_even(void **state)
{
	(void)state;
	for (const struct narrow_type *t = narrow; t < narrow + NARROW_TYPES; t++)
		for (uint32_t bits = 0; bits <= t->largest; bits++) {
			uint32_t next = bits < t->largest ? bits + 1 : t->beyond;
			double low = defined_value(t, bits),
			       step = low - defined_value(t, bits ? bits - 1 : 1);
			step = bits < t->largest ? defined_value(t, bits + 1) - low : fabs(step);
			float middle = (float)(low + step / 2);
			uint32_t sign = 1u << (t->width - 1);
			uint32_t at_middle = bits % 2 ? next : bits;
			assert_int_equal(t->from_float(middle), at_middle);
			assert_int_equal(t->from_float(nextafterf(middle, 0)), bits);
			assert_int_equal(t->from_float(nextafterf(middle, INFINITY)), next);
			assert_int_equal(t->from_float(-middle), at_middle | sign);
		}
}

static void results_never_fall_as_inputs_rise(void **state)
{
	(void)state;
	for (const struct narrow_type *t = narrow; t < narrow + NARROW_TYPES; t++) {
		uint32_t before = 0;
		for (uint32_t u = 0; u <= 0x7f800000u; u += 16 * 193) {
			uint32_t now = t->from_float(float_of_bits(u));
			assert_true(now >= before);
			before = now;
		}
		assert_int_equal(t->from_float(INFINITY), t->beyond);
		assert_int_equal(t->from_float(-INFINITY), t->beyond | 1u << (t->width - 1));
		assert_int_equal(t->from_float(-NAN), (1u << (t->width - 1)) - 1);
	}
}

static void half_agrees_with_the_compiler(void **state)
{
	(void)state;
#ifdef __FLT16_MAX__
	__extension__ typedef _Float16 half;
	for (uint64_t i = 0; i < 1 << 20; i++) {
		float f = float_of_bits((uint32_t)element_mix(i));
		union {
			half number;
			uint16_t bits;
		} v = {.number = (half)f};
		assert_int_equal(half_from_float(f), isnan(f) ? 0x7fff : v.bits);
	}
#else
	skip();
#endif
}

/* Each bit of the hash is set half of the time, also in words that follow each other, and seeds differ. */
static void hashes_are_fair(void **state)
{
	(void)state;
	enum { WORDS = 1 << 16, SEEDS = 8 };
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct element_key key = element_key_of(seed, 0), other = element_key_of(seed + 1, 0);
		int set[64] = {0}, changed[64] = {0}, same = 0;
		for (uint32_t w = 0; w < WORDS; w++) {
			uint64_t h = element_hash64(key, w), next = element_hash64(key, w + 1);
			same += element_hash32(key, w) == element_hash32(other, w);
			for (int b = 0; b < 64; b++) {
				set[b] += (int)(h >> b & 1);
				changed[b] += (int)((h ^ next) >> b & 1);
			}
		}
		assert_true(same < 4);
		for (int b = 0; b < 64; b++) { /* 8 standard deviations */
			assert_in_range(set[b], WORDS / 2 - 1024, WORDS / 2 + 1024);
			assert_in_range(changed[b], WORDS / 2 - 1024, WORDS / 2 + 1024);
		}
	}
}

static long double value_of(enum dtype t, uint64_t bits)
{
	if (t == DT_FLOAT)
		return (long double)float_of_bits((uint32_t)bits);
	if (t == DT_DOUBLE)
		return (long double)double_of_bits(bits);
	for (const struct narrow_type *n = narrow; n < narrow + NARROW_TYPES; n++)
		if (n->dtype == t)
			return (long double)defined_value(n, (uint32_t)bits);
	fail_msg("'%s' is no float", dtype_name(t));
	return 0;
}

/* Is it a finite number of the type, and 0 or large enough to be normal? */
static bool is_number_of(enum dtype t, long double x)
{
	static const int least[DTYPES] = {[DT_HALF] = -14,
	        [DT_FLOAT] = -126,
	        [DT_DOUBLE] = -1022,
	        [DT_BFLOAT16] = -126,
	        [DT_F8E4M3] = -6,
	        [DT_F8E5M2] = -14};
	if (x == 0)
		return true;
	if (fabsl(x) < ldexpl(1, least[t]))
		return false;
	if (t == DT_DOUBLE)
		return (long double)(double)x == x;
	float f = (float)x;
	if ((long double)f != x)
		return false;
	for (const struct narrow_type *n = narrow; n < narrow + NARROW_TYPES; n++)
		if (n->dtype == t)
			return (long double)n->to_float(n->from_float(f)) == x;
	return true;
}

static const struct pattern *looked_at; /* for messages */

static long double combined(long double x, long double y)
{
	const struct pattern *p = looked_at;
	long double z = p->redop == OP_PROD ? x * y : x + y;
	if (!is_number_of(p->dtype, z))
		fail_msg("%s %s over %d ranks: %Lg is none", dtype_name(p->dtype), redop_name(p->redop),
		        p->ranks, z);
	return z;
}

static int by_magnitude(const void *a, const void *b)
{
	long double x = fabsl(*(const long double *)a), y = fabsl(*(const long double *)b);
	return (x > y) - (x < y);
}

/* In random trees, and from the smallest to the largest and back, where partial products are farthest from 1.
 */
static void combine_all(long double *value, int n, unsigned *seed)
{
	qsort(value, (size_t)n, sizeof *value, by_magnitude);
	long double up = value[0], down = value[n - 1];
	for (int i = 1; i < n; i++) {
		up = combined(up, value[i]);
		down = combined(down, value[n - 1 - i]);
	}
	for (int left = n; left > 1; left--) {
		int a = rand_r(seed) % left;
		long double x = value[a];
		value[a] = value[left - 1];
		int b = rand_r(seed) % (left - 1);
		value[b] = combined(value[b], x);
	}
	assert_true(value[0] == up && value[0] == down);
}

/* Every partial sum and product is a number of the type: no arithmetic that is right can round it. */
static void partial_results_are_exact(void **state)
{
	(void)state;
	static const int ranks[] = {
	        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 64, 1000, 65536};
	static const enum redop ops[] = {OP_SUM, OP_PROD, OP_MULSUM};
	long double *value = malloc(65536 * sizeof *value);
	unsigned seed = 1;
	for (int t = DT_HALF; t < DTYPES; t++)
		for (size_t k = 0; k < 3 * sizeof ranks / sizeof *ranks; k++) {
			int n = ranks[k / 3], elems = n > 64 ? 3 : 200;
			struct pattern p = {(enum dtype)t, ops[k % 3], 7 + k, n};
			struct element_recipe input, result;
			looked_at = &p;
			recipe_of_result(&p, 0, &result);
			for (int i = 0; i < elems; i++) {
				for (int rank = 0; rank < n; rank++) {
					recipe_of_input(&p, rank, &input);
					value[rank] = value_of(p.dtype, element_at(&input, (uint64_t)i));
					assert_true(is_number_of(p.dtype, value[rank]));
					if (p.redop == OP_MULSUM)
						value[rank] *=
						        (long double)element_mulsum_scalar((uint32_t)rank);
				}
				combine_all(value, n, &seed);
				assert_true(value[0] == value_of(p.dtype, element_at(&result, (uint64_t)i)));
				assert_true(value[0] != 0);
			}
		}
	free(value);
}

/* What an element can be told by: results take many values, and every rank gets to be the holder. */
static void data_vary(void **state)
{
	(void)state;
	enum { ELEMS = 4096 };
	for (int t = 0; t < DTYPES; t++)
		for (int op = 0; op <= OP_NONE; op++) {
			struct pattern p = {(enum dtype)t, (enum redop)op, 11, 8};
			struct element_recipe result, input;
			recipe_of_result(&p, 3, &result);
			int differ = 0, bits = 8 * (int)dtype_bytes(p.dtype);
			uint64_t first = element_at(&result, 0), varied = 0;
			for (uint64_t i = 0; i < ELEMS; i++) {
				differ += element_at(&result, i) != element_at(&result, i + 1);
				varied |= element_at(&result, i) ^ first;
			}
			assert_true(differ > ELEMS * 3 / 4);
			if (op == OP_NONE || op == OP_MAX || op == OP_MIN)
				assert_true(__builtin_popcountll(varied) >= bits - 1);
			for (int rank = 0; op != OP_NONE && rank < p.ranks; rank++) {
				if (op == OP_MULSUM && t < DT_HALF && rank % 2)
					continue; /* integers: only even ranks hold */
				int holds = 0;
				recipe_of_input(&p, rank, &input);
				for (uint32_t h = 0; h < ELEMS; h++)
					holds += !element_distance(&input, h, 0);
				assert_true(holds >= ELEMS / p.ranks);
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_pattern_converts_there_and_back),
	        cmocka_unit_test(rounding_is_to_nearest_even),
	        cmocka_unit_test(results_never_fall_as_inputs_rise),
	        cmocka_unit_test(half_agrees_with_the_compiler),
	        cmocka_unit_test(hashes_are_fair),
	        cmocka_unit_test(partial_results_are_exact),
	        cmocka_unit_test(data_vary),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
