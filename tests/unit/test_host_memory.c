/* The data of the suite: conversions are right for every bit pattern, reductions in any order give the
 * expected bits, and each kind of damage is found. */
#include "bench/core/types.h"
#include "bench/memory/host.h"
#include "kernels/element.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMS = 509 };

/* The value of a narrow float by its definition, in double arithmetic. */
static double defined_value(enum dtype t, uint32_t bits)
{
	int fraction = element_precision(t) - 1, width = t == DT_HALF || t == DT_BFLOAT16 ? 16 : 8;
	int exponent = (int)(bits >> fraction) & ((1 << (width - 1 - fraction)) - 1),
	    bias = element_exponent_bias(t);
	int top = (1 << (width - 1 - fraction)) - 1;
	double significand = (double)(bits & ((1u << fraction) - 1)) / (1 << fraction),
	       sign = bits >> (width - 1) ? -1 : 1;
	if (t == DT_F8E4M3 ? (bits & 0x7f) == 0x7f : exponent == top && significand > 0)
		return NAN;
	if (t != DT_F8E4M3 && exponent == top)
		return sign * INFINITY;
	return exponent ? sign * (1 + significand) * exp2(exponent - bias)
	                : sign * significand * exp2(1 - bias);
}

static const enum dtype narrow[] = {DT_HALF, DT_BFLOAT16, DT_F8E4M3, DT_F8E5M2};

static uint32_t patterns(enum dtype t)
{
	return dtype_bytes(t) == 2 ? 1u << 16 : 1u << 8;
}

static void every_pattern_converts_there_and_back(void **state)
{
	(void)state;
	for (size_t k = 0; k < 4; k++)
		for (uint32_t bits = 0; bits < patterns(narrow[k]); bits++) {
			double want = defined_value(narrow[k], bits);
			float have = element_to_float(narrow[k], bits);
			assert_true(isnan(want) ? isnan(have) : (double)have == want);
			uint32_t back = element_from_float(narrow[k], have);
			if (isnan(want))
				assert_true(isnan(element_to_float(narrow[k], back)));
			else if (isinf(want) && narrow[k] == DT_F8E5M2)
				assert_int_equal(back & 0x7f, 0x7b); /* saturates */
			else
				assert_int_equal(back, bits);
		}
}

/* Between two neighbours: the nearer one, the even one in the middle. */
static void rounding_is_to_nearest_even(void **state)
{
	(void)state;
	for (size_t k = 0; k < 4; k++) {
		enum dtype t = narrow[k];
		uint32_t last = t == DT_F8E4M3   ? 0x7e
		                : t == DT_F8E5M2 ? 0x7b
		                : t == DT_HALF   ? 0x7bff
		                                 : 0x7f7f;
		for (uint32_t bits = 0; bits < last; bits++) {
			double low = defined_value(t, bits), high = defined_value(t, bits + 1);
			float middle = (float)((low + high) / 2);
			assert_int_equal(element_from_float(t, middle), bits & 1 ? bits + 1 : bits);
			assert_int_equal(element_from_float(t, nextafterf(middle, 0)), bits);
			assert_int_equal(element_from_float(t, nextafterf(middle, INFINITY)), bits + 1);
		}
	}
}

/* Reduces n inputs in a random tree, two of those left at a time; the result ends up in the first place. */
static void reduce_in_random_order(unsigned char *part, int n, enum dtype t, enum redop op, unsigned *seed)
{
	size_t bytes = ELEMS * dtype_bytes(t);
	for (int left = n; left > 1; left--) {
		int a = rand_r(seed) % left, b = rand_r(seed) % (left - 1);
		b += b >= a;
		unsigned char *x = part + (size_t)(a < b ? a : b) * bytes,
		              *y = part + (size_t)(a < b ? b : a) * bytes;
		assert_int_equal(host_reduce(x, y, x, ELEMS, t, op), ST_OK);
		memmove(y, part + (size_t)(left - 1) * bytes, bytes);
	}
}

static void inputs_of(const struct pattern *p, unsigned char *part)
{
	size_t bytes = ELEMS * dtype_bytes(p->dtype);
	for (int rank = 0; rank < p->ranks; rank++) {
		unsigned char *at = part + (size_t)rank * bytes;
		assert_int_equal(host_fill(p, rank, 1000, at, ELEMS), ST_OK);
		if (p->redop == OP_MULSUM)
			host_scale(at, at, ELEMS, p->dtype, element_mulsum_scalar((uint32_t)rank));
	}
}

static uint64_t wrong_in(const struct pattern *p, const void *got)
{
	struct mismatch m;
	assert_int_equal(host_verify(p, -1, 1000, got, ELEMS, &m), ST_OK);
	return m.wrong_elems;
}

static void any_order_gives_the_expected_bits(void **state)
{
	(void)state;
	static const int ranks[] = {1, 2, 3, 4, 5, 7, 8, 17, 64, 1000};
	unsigned seed = 1;
	unsigned char *part = malloc(1000 * ELEMS * 8);
	for (size_t k = 0; k < sizeof ranks / sizeof *ranks; k++)
		for (int t = 0; t < DTYPES; t++)
			for (int op = 0; op < REDOPS; op++) {
				struct pattern p = {(enum dtype)t, (enum redop)op, 5 + k, ranks[k]};
				for (int tries = 0; tries < (ranks[k] < 20 ? 5 : 1); tries++) {
					inputs_of(&p, part);
					reduce_in_random_order(part, p.ranks, p.dtype, p.redop, &seed);
					if (op == OP_AVG)
						host_divide(part, part, ELEMS, p.dtype, p.ranks);
					if (wrong_in(&p, part))
						fail_msg("%s %s over %d ranks", dtype_name(p.dtype),
						        redop_name(p.redop), p.ranks);
				}
			}
	free(part);
}

/* One rank's part missing, or all from the repetition before: found for every type and operation. (Of max and min only the
 * holder of the extreme can be missed, and another rank may hold the same: a part of the elements tells.) */
static void missing_and_stale_inputs_are_found(void **state)
{
	(void)state;
	unsigned char *part = malloc(4 * ELEMS * 8), *sum = malloc(ELEMS * 8);
	for (int t = 0; t < DTYPES; t++)
		for (int op = 0; op < OP_AVG; op++) {
			struct pattern p = {(enum dtype)t, (enum redop)op, 9, 4}, stale = p;
			size_t bytes = ELEMS * dtype_bytes(p.dtype);
			stale.seed = 8;
			for (int missing = 0; missing < 4; missing++) {
				inputs_of(&p, part);
				memcpy(sum, part + (size_t)((missing + 1) % 4) * bytes, bytes);
				for (int other = 2; other < 4; other++)
					host_reduce(sum, sum, part + (size_t)((missing + other) % 4) * bytes,
					        ELEMS, p.dtype, p.redop);
				assert_true(wrong_in(&p, sum) > ELEMS / 16);
			}
			inputs_of(&stale, part);
			memcpy(sum, part, bytes);
			for (int rank = 1; rank < 4; rank++)
				host_reduce(sum, sum, part + (size_t)rank * bytes, ELEMS, p.dtype, p.redop);
			assert_true(wrong_in(&p, sum) > ELEMS / 2);
		}
	free(part);
	free(sum);
}

static void moved_data_tells_rank_and_index(void **state)
{
	(void)state;
	uint64_t got[ELEMS + 1];
	for (int t = 0; t < DTYPES; t++) {
		struct pattern p = {(enum dtype)t, OP_NONE, 3, 8};
		struct mismatch m;
		size_t bytes = dtype_bytes(p.dtype);
		host_fill(&p, 5, 77, got, ELEMS + 1);
		host_verify(&p, 5, 77, got, ELEMS, &m);
		assert_int_equal(m.wrong_elems, 0);
		host_verify(&p, 4, 77, got, ELEMS, &m); /* from another rank */
		assert_true(m.wrong_elems > ELEMS * 9 / 10);
		host_verify(&p, 5, 77, (char *)got + bytes, ELEMS, &m); /* shifted by one */
		assert_true(m.wrong_elems > ELEMS * 9 / 10);
		p.seed = 4;
		host_verify(&p, 5, 77, got, ELEMS, &m);
		assert_true(m.wrong_elems > ELEMS * 9 / 10);
	}
}

static void the_first_flipped_bit_is_named(void **state)
{
	(void)state;
	enum { MANY = 10000, AT = 8191 };
	uint64_t *got = malloc(MANY * sizeof *got);
	for (int t = 0; t < DTYPES; t++)
		for (int op = 0; op <= OP_NONE; op++) {
			struct pattern p = {(enum dtype)t, (enum redop)op, 3, 1};
			struct mismatch m;
			host_fill(&p, 0, (UINT64_C(1) << 32) - 100, got, MANY);
			host_verify(&p, 0, (UINT64_C(1) << 32) - 100, got, MANY, &m);
			assert_int_equal(m.wrong_elems, 0);
			size_t bytes = dtype_bytes(p.dtype);
			((unsigned char *)got)[AT * bytes + bytes - 1] ^= 0x10;
			((unsigned char *)got)[(AT + 3) * bytes + bytes - 1] ^= 0x10;
			host_verify(&p, 0, (UINT64_C(1) << 32) - 100, got, MANY, &m);
			assert_int_equal(m.wrong_elems, 2);
			assert_int_equal(m.first_index, AT);
		}
	free(got);
}

static void buffers_are_shareable_and_zeroed(void **state)
{
	(void)state;
	struct buffer b;
	assert_int_equal(memory_host.alloc(0, 12345, &b), ST_OK);
	assert_true(b.bytes >= 12345 && b.share_fd >= 0 && (uintptr_t)b.base % 4096 == 0);
	for (size_t i = 0; i < b.bytes; i++)
		assert_int_equal(((char *)b.base)[i], 0);
	memory_host.free(&b);
	fail_keep(true);
	assert_int_not_equal(memory_host.alloc(0, (size_t)1 << 62, &b), ST_OK);
	assert_non_null(strstr(fail_sentence(), "4611686018427387904"));
	fail_keep(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_pattern_converts_there_and_back),
	        cmocka_unit_test(rounding_is_to_nearest_even),
	        cmocka_unit_test(any_order_gives_the_expected_bits),
	        cmocka_unit_test(missing_and_stale_inputs_are_found),
	        cmocka_unit_test(moved_data_tells_rank_and_index),
	        cmocka_unit_test(the_first_flipped_bit_is_named),
	        cmocka_unit_test(buffers_are_shareable_and_zeroed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
