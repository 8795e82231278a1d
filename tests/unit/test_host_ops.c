/* The loops over host memory: each set of vector instructions against arithmetic done here one element at a
 * time, in double or 64-bit integers, for all lengths, alignments and overlaps that are allowed. */
#include "bench/core/types.h"
#include "bench/memory/host_ops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_signed(enum dtype t)
{
	return t == DT_INT8 || t == DT_INT32 || t == DT_INT64;
}

static bool is_float(enum dtype t)
{
	return t >= DT_HALF;
}

static uint64_t load(enum dtype t, const void *from)
{
	uint64_t bits = 0;
	memcpy(&bits, from, dtype_bytes(t));
	int unused = 64 - 8 * (int)dtype_bytes(t);
	return is_signed(t) ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits;
}

static double to_double(enum dtype t, uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	switch (t) {
	case DT_HALF:
		return (double)half_to_float(low);
	case DT_FLOAT:
		return (double)float_of_bits(low);
	case DT_DOUBLE:
		return double_of_bits(bits);
	case DT_BFLOAT16:
		return (double)bfloat16_to_float(low);
	case DT_F8E4M3:
		return (double)f8e4m3_to_float(low);
	default:
		return (double)f8e5m2_to_float(low);
	}
}

/* A double as a float that rounds to any narrower type as the double does: to odd, sticky in the last place.
 */
static float to_odd(double x)
{
	float f = (float)x;
	if ((double)f == x || isnan(x) || isinf(f))
		return f;
	if (fabs((double)f) > fabs(x))
		f = nextafterf(f, 0);
	return float_of_bits(bits_of_float(f) | 1);
}

static uint64_t from_double(enum dtype t, double x)
{
	switch (t) {
	case DT_HALF:
		return half_from_float(to_odd(x));
	case DT_FLOAT:
		return bits_of_float((float)x);
	case DT_DOUBLE:
		return bits_of_double(x);
	case DT_BFLOAT16:
		return bfloat16_from_float(to_odd(x));
	case DT_F8E4M3:
		return f8e4m3_from_float(to_odd(x));
	default:
		return f8e5m2_from_float(to_odd(x));
	}
}

static uint64_t reference(enum dtype t, enum redop op, uint64_t a, uint64_t b)
{
	if (is_float(t)) {
		double x = to_double(t, a), y = to_double(t, b);
		return op == OP_SUM    ? from_double(t, x + y)
		       : op == OP_PROD ? from_double(t, x * y)
		       : op == OP_MAX  ? (x > y ? a : b)
		                       : (x < y ? a : b);
	}
	bool less = is_signed(t) ? (int64_t)a < (int64_t)b : a < b;
	return op == OP_SUM ? a + b : op == OP_PROD ? a * b : (op == OP_MAX) == less ? b : a;
}

static bool is_nan(enum dtype t, uint64_t bits)
{
	return is_float(t) && isnan(to_double(t, bits));
}

/* Of max and min, -0 and 0 are equal, and NaN is nobody's concern. */
static bool agree(enum dtype t, enum redop op, const void *got, const uint64_t in[2])
{
	uint64_t have = load(t, got), want = reference(t, op, in[0], in[1]), a = in[0], b = in[1];
	int unused = 64 - 8 * (int)dtype_bytes(t);
	bool extreme = op == OP_MAX || op == OP_MIN;
	if (is_nan(t, a) || is_nan(t, b))
		return extreme || is_nan(t, have);
	if (is_nan(t, want))
		return is_nan(t, have);
	if (is_float(t) && extreme && to_double(t, want) == 0)
		return to_double(t, have) == 0;
	return have << unused == want << unused;
}

static void check_reduce(const struct host_ops *ops, enum dtype t, const void *a, const void *b, size_t elems)
{
	size_t bytes = dtype_bytes(t);
	char *dst = malloc(elems * bytes + 1);
	for (int op = 0; op < HOST_REDUCTIONS; op++)
		for (int alias = 0; alias < 3; alias++) {
			dst[elems * bytes] = 0x55;
			if (alias)
				memcpy(dst, alias == 1 ? a : b, elems * bytes);
			ops->reduce[op][t](dst, alias == 1 ? dst : a, alias == 2 ? dst : b, elems);
			assert_int_equal(dst[elems * bytes], 0x55);
			for (size_t i = 0; i < elems; i++) {
				uint64_t in[2] = {load(t, (const char *)a + i * bytes),
				        load(t, (const char *)b + i * bytes)};
				if (!agree(t, (enum redop)op, dst + i * bytes, in))
					fail_msg("%s: %s %s of %llx and %llx gives %llx", ops->name,
					        dtype_name(t), redop_name((enum redop)op),
					        (unsigned long long)in[0], (unsigned long long)in[1],
					        (unsigned long long)load(t, dst + i * bytes));
			}
		}
	free(dst);
}

static void reductions_agree(void **state)
{
	(void)state;
	enum { BYTES = 600 * 8 };
	static uint64_t a[BYTES / 8 + 1], b[BYTES / 8 + 1];
	for (size_t i = 0; i <= BYTES / 8; i++) {
		a[i] = element_mix(i);
		b[i] = element_mix(i + 99999);
	}
	for (const struct host_ops *const *ops = host_ops_all; *ops; ops++)
		for (int t = 0; t < DTYPES && (*ops)->runs(); t++) {
			size_t bytes = dtype_bytes((enum dtype)t);
			for (size_t elems = 0; elems < 200; elems++) /* shifted by one element */
				check_reduce(*ops, (enum dtype)t, (char *)a + bytes,
				        (char *)b + elems % 2 * bytes, elems);
			check_reduce(*ops, (enum dtype)t, a, b, BYTES / bytes);
		}
}

/* 8-bit types: every pair. 16-bit types: every pattern, with some that round in the middle or overflow. */
static void every_pattern_reduces(void **state)
{
	(void)state;
	enum { PATTERNS = 1 << 16 };
	uint16_t *a = malloc(2 * PATTERNS), *b = malloc(2 * PATTERNS);
	uint8_t *x = malloc(PATTERNS), *y = malloc(PATTERNS);
	for (const struct host_ops *const *ops = host_ops_all; *ops; ops++) {
		if (!(*ops)->runs())
			continue;
		for (uint32_t i = 0; i < PATTERNS; i++) {
			x[i] = (uint8_t)i;
			y[i] = (uint8_t)(i >> 8);
		}
		check_reduce(*ops, DT_INT8, x, y, PATTERNS);
		check_reduce(*ops, DT_UINT8, x, y, PATTERNS);
		check_reduce(*ops, DT_F8E4M3, x, y, PATTERNS);
		check_reduce(*ops, DT_F8E5M2, x, y, PATTERNS);
		for (uint32_t round = 0; round < 8; round++) {
			for (uint32_t i = 0; i < PATTERNS; i++) {
				a[i] = (uint16_t)i;
				b[i] = (uint16_t)(round < 4 ? element_mix(i + round * PATTERNS)
				                            : i + round - 5);
			}
			check_reduce(*ops, DT_HALF, a, b, PATTERNS);
			check_reduce(*ops, DT_BFLOAT16, a, b, PATTERNS);
		}
	}
	free(a), free(b), free(x), free(y);
}

/* Quotients towards zero for every small number and the largest ones; of floats rounded once. */
static void quotients_and_multiples_are_right(void **state)
{
	(void)state;
	enum { ELEMS = 515 };
	static const int divisors[] = {1, 2, 3, 5, 7, 8, 10, 17, 100, 127, 128, 255, 256, 1000, 65535, 65536};
	static uint64_t in[ELEMS], out[ELEMS + 1];
	for (size_t i = 0; i < ELEMS; i++) /* around 0, around the ends of all widths, and anywhere */
		in[i] = i < 64 ? i - 32 : i < 128 ? (UINT64_C(1) << i % 64) - 1 - i / 65 : element_mix(i);
	for (const struct host_ops *const *ops = host_ops_all; *ops; ops++)
		for (int t = 0; t < DTYPES && (*ops)->runs(); t++)
			for (size_t k = 0; k < sizeof divisors / sizeof *divisors; k++) {
				enum dtype type = (enum dtype)t;
				size_t bytes = dtype_bytes(type), elems = sizeof in / bytes - k;
				int by = divisors[k], unused = 64 - 8 * (int)bytes;
				for (int twice = 0; twice < 2; twice++) {
					memcpy(out, in, sizeof in);
					if (twice)
						(*ops)->scale[t](out, k % 2 ? in : out, elems, 2);
					else
						(*ops)->divide[t](out, k % 2 ? in : out, elems, by);
					for (size_t i = 0; i < elems; i++) {
						uint64_t x = load(type, (char *)in + i * bytes), want;
						uint64_t have = load(type, (char *)out + i * bytes);
						if (is_float(type) && (is_nan(type, x) || by > 2048))
							continue;
						if (is_float(type))
							want = from_double(
							        type, twice ? to_double(type, x) * 2
							                    : to_double(type, x) / by);
						else if (is_signed(type))
							want = twice ? x * 2 : (uint64_t)((int64_t)x / by);
						else
							want = twice ? x * 2 : x / (uint64_t)by;
						if (have << unused != want << unused)
							fail_msg("%s %s: %llx %s gives %llx, not %llx",
							        (*ops)->name, dtype_name(type),
							        (unsigned long long)x,
							        twice ? "doubled" : "divided",
							        (unsigned long long)have,
							        (unsigned long long)want);
					}
				}
			}
}

/* All sets make the words that element_share and element_result make, and see every bit that differs. */
static void words_agree(void **state)
{
	(void)state;
	enum { WORDS = 300 };
	struct element_recipe r = {.seed = 7,
	        .mask = {0xff00ff00ff00ff00, 0x7f7f7f7f7f7f7f7f},
	        .add = {0x0001000100010001, 0x0101010101010101},
	        .flip = 0x8080808080808080,
	        .fixed = 0x0100010001000100,
	        .holders = 6,
	        .holder_mask = 7,
	        .me = 4,
	        .members = 3};
	struct host_words w = {&r, element_key_of(r.seed, 0), UINT32_MAX - WORDS, 0};
	char got[WORDS * 8 + 8];
	for (const struct host_ops *const *ops = host_ops_all; *ops; ops++)
		for (size_t k = 0; k < 2 * WORDS && (*ops)->runs(); k++) {
			size_t bytes = k % 2 ? 8 : 4, at = k % 5, flip = k * 7919 % (WORDS * 8 * bytes);
			w.count = k / 2;
			r.members = k % 4 < 2 ? 3 : 6; /* some, and everybody */
			memset(got, 0x55, sizeof got);
			(*ops)->fill[k % 2](&w, got + at);
			for (size_t i = 0; i < WORDS; i++) {
				uint64_t h = element_hash64(w.key, w.word + (uint32_t)i);
				uint64_t want = k % 2 ? element_share64(&r, h, 0)
				                      : element_share32(&r, (uint32_t)h, 0);
				want = i < w.count ? want : 0x5555555555555555;
				assert_memory_equal(got + at + i * bytes, &want, bytes);
				want = k % 2 ? element_result64(&r, h) : element_result32(&r, (uint32_t)h);
				memcpy(got + at + i * bytes, &want, bytes);
			}
			assert_false((*ops)->differ[k % 2](&w, got + at));
			got[at + flip / 8] ^= (char)(1 << flip % 8);
			assert_int_equal((*ops)->differ[k % 2](&w, got + at), flip / 8 / bytes < w.count);
		}
}

static void the_first_set_that_runs_is_chosen(void **state)
{
	(void)state;
	size_t first = 0;
	while (!host_ops_all[first]->runs())
		first++;
	assert_ptr_equal(host_ops(), host_ops_all[first]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(reductions_agree),
	        cmocka_unit_test(every_pattern_reduces),
	        cmocka_unit_test(quotients_and_multiples_are_right),
	        cmocka_unit_test(words_agree),
	        cmocka_unit_test(the_first_set_that_runs_is_chosen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
