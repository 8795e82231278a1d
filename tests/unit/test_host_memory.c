/* Host memory: reductions in any order give the expected bits, each kind of damage is found and named, and
 * all sets of vector instructions do the same. */
#include "bench/core/types.h"
#include "bench/memory/host.h"
#include "bench/memory/host_ops.h"
#include "bench/memory/recipe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { ELEMS = 509, FIRST = 1001 };

static void fill(const struct pattern *p, int rank, void *dst)
{
	assert_int_equal(host_fill(p, rank, FIRST, dst, ELEMS), ST_OK);
	if (p->redop == OP_MULSUM)
		host_scale(dst, dst, ELEMS, p->dtype, element_mulsum_scalar((uint32_t)rank));
}

static uint64_t wrong_elems(const struct pattern *p, const void *got)
{
	struct mismatch m;
	assert_int_equal(host_verify(p, 0, FIRST, got, ELEMS, &m), ST_OK);
	return m.wrong_elems;
}

/* Puts two of what is left together until one is. */
static void reduce_in_random_order(
        const struct host_ops *ops, const struct pattern *p, char *part, unsigned *seed)
{
	enum redop op = p->redop < OP_AVG ? p->redop : OP_SUM;
	size_t bytes = ELEMS * dtype_bytes(p->dtype);
	for (int left = p->ranks; left > 1; left--) {
		int a = rand_r(seed) % left, b = rand_r(seed) % (left - 1);
		b += b >= a;
		char *x = part + (size_t)a * bytes, *y = part + (size_t)b * bytes;
		if (a < b)
			ops->reduce[op][p->dtype](x, x, y, ELEMS);
		else
			ops->reduce[op][p->dtype](y, x, y, ELEMS);
		memmove(a < b ? y : x, part + (size_t)(left - 1) * bytes, bytes);
	}
}

static void any_order_gives_the_expected_bits(void **state)
{
	(void)state;
	unsigned seed = 1;
	char *part = malloc(64 * ELEMS * 8);
	for (const struct host_ops *const *ops = host_ops_all; *ops; ops++)
		for (int n = 1; n <= 64 && (*ops)->runs(); n = n == 17 ? 64 : n + 1)
			for (int k = 0; k < DTYPES * REDOPS; k++) {
				struct pattern p = {(enum dtype)(k / REDOPS), (enum redop)(k % REDOPS), 5, n};
				for (int rank = 0; rank < n; rank++)
					fill(&p, rank, part + (size_t)rank * ELEMS * dtype_bytes(p.dtype));
				reduce_in_random_order(*ops, &p, part, &seed);
				if (p.redop == OP_AVG)
					(*ops)->divide[p.dtype](part, part, ELEMS, n);
				if (wrong_elems(&p, part))
					fail_msg("%s: %s %s over %d ranks", (*ops)->name, dtype_name(p.dtype),
					        redop_name(p.redop), n);
			}
	free(part);
}

static void many_ranks_give_the_expected_bits(void **state)
{
	(void)state;
	static const int ranks[] = {100, 127, 128, 255, 1000, 4096, 20000};
	uint64_t sum[ELEMS], one[ELEMS];
	for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
		for (int k = 0; k < DTYPES * REDOPS; k++) {
			struct pattern p = {(enum dtype)(k / REDOPS), (enum redop)(k % REDOPS), 6, ranks[r]};
			size_t elems = p.ranks > 1000 ? 19 : 251;
			for (int rank = p.ranks - 1; rank >= 0; rank--) {
				void *to = rank == p.ranks - 1 ? sum : one;
				host_fill(&p, rank, FIRST, to, elems);
				if (p.redop == OP_MULSUM)
					host_scale(to, to, elems, p.dtype,
					        element_mulsum_scalar((uint32_t)rank));
				if (to == one)
					host_reduce(sum, one, sum, elems, p.dtype, p.redop);
			}
			if (p.redop == OP_AVG)
				host_divide(sum, sum, elems, p.dtype, p.ranks);
			struct mismatch m;
			host_verify(&p, 0, FIRST, sum, elems, &m);
			if (m.wrong_elems)
				fail_msg("%s %s over %d ranks: element %llu is %g, not %g",
				        dtype_name(p.dtype), redop_name(p.redop), p.ranks,
				        (unsigned long long)m.first_index, m.got, m.expected);
		}
}

/* Libraries may multiply by 1/n, rounded to the type, before the sum. (f8e4m3 has no 1/n for many ranks.) */
static void premultiplied_averages_are_within_tolerance(void **state)
{
	(void)state;
	char *part = malloc(64 * ELEMS * 8);
	unsigned seed = 2;
	for (int t = DT_HALF; t < DTYPES; t++)
		for (int n = 1; n <= 64; n++)
			for (int tries = 0; tries < 4; tries++) {
				struct pattern p = {(enum dtype)t, OP_AVG, (uint64_t)tries, n};
				double factor = 1.0 / n;
				if (t == DT_F8E4M3 && n > 32)
					continue;
				for (int rank = 0; rank < n; rank++) {
					char *at = part + (size_t)rank * ELEMS * dtype_bytes(p.dtype);
					fill(&p, rank, at);
					host_scale(at, at, ELEMS, p.dtype, factor);
				}
				reduce_in_random_order(host_ops(), &p, part, &seed);
				if (wrong_elems(&p, part))
					fail_msg("%s over %d ranks", dtype_name(p.dtype), n);
			}
	free(part);
}

/* Words, elements, and any alignment of either. */
static void ranges_fit_together(void **state)
{
	(void)state;
	static const uint64_t starts[] = {
	        0, 1, 7, (UINT64_C(1) << 32) - 9, (UINT64_C(1) << 34) - 9, (UINT64_C(1) << 40) + 3};
	char got[64 * 8 + 8];
	for (int k = 0; k < DTYPES * (REDOPS + 1); k++)
		for (size_t s = 0; s < sizeof starts / sizeof *starts; s++)
			for (size_t elems = 0; elems < 64; elems++) {
				struct pattern p = {
				        (enum dtype)(k / (REDOPS + 1)), (enum redop)(k % (REDOPS + 1)), 3, 6};
				size_t bytes = dtype_bytes(p.dtype), at = elems % 8 / bytes * bytes;
				struct element_recipe r;
				recipe_of_input(&p, 4, &r);
				memset(got, 0x55, sizeof got);
				host_fill(&p, 4, starts[s], got + at, elems);
				for (size_t i = 0; i < elems; i++) {
					uint64_t want = element_at(&r, starts[s] + i);
					assert_memory_equal(got + at + i * bytes, &want, bytes);
				}
				for (size_t i = 0; i < sizeof got; i++)
					if (i < at || i >= at + elems * bytes)
						assert_int_equal(got[i], 0x55);
			}
}

/* The result of a pattern over one rank is that rank's input. */
static void flipped_bits_are_counted_and_the_first_is_named(void **state)
{
	(void)state;
	enum { MANY = 10000, AT = 8191 };
	static const uint64_t starts[] = {0, 5, (UINT64_C(1) << 32) - 100};
	char *got = malloc(MANY * 8);
	for (int k = 0; k < DTYPES * (REDOPS + 1) * 3; k++) {
		struct pattern p = {(enum dtype)(k / 3 % DTYPES), (enum redop)(k / 3 / DTYPES), 3, 1};
		struct mismatch m;
		size_t bytes = dtype_bytes(p.dtype), bit = (size_t)k % (8 * bytes);
		if (recipe_tolerance(&p))
			bit = 8 * bytes - 1;
		host_fill(&p, 0, starts[k % 3], got, MANY);
		host_verify(&p, 0, starts[k % 3], got, MANY, &m);
		assert_int_equal(m.wrong_elems, 0);
		got[AT * bytes + bit / 8] ^= (char)(1 << bit % 8);
		got[(AT + 3) * bytes + bit / 8] ^= (char)(1 << bit % 8);
		got[(MANY - 1) * bytes + bit / 8] ^= (char)(1 << bit % 8);
		host_verify(&p, 0, starts[k % 3], got, MANY, &m);
		assert_int_equal(m.wrong_elems, 3);
		assert_int_equal(m.first_index, AT);
		assert_true(m.got != m.expected || bytes == 8); /* not every 64-bit integer is a double */
	}
	free(got);
}

static void averages_may_be_off_by_two_units_and_no_more(void **state)
{
	(void)state;
	uint8_t got[ELEMS * 8];
	for (int t = DT_HALF; t < DTYPES; t++) {
		struct pattern p = {(enum dtype)t, OP_AVG, 3, 1};
		size_t bytes = dtype_bytes(p.dtype);
		for (int off = -4; off <= 4; off++) {
			uint64_t bits = 0;
			fill(&p, 0, got);
			memcpy(&bits, got + 77 * bytes, bytes);
			bits += (uint64_t)off;
			memcpy(got + 77 * bytes, &bits, bytes);
			assert_int_equal(wrong_elems(&p, got), abs(off) > 2);
		}
	}
}

/* What `ranks` ranks come to when rank `odd` gives something else: `odd` < 0 none does. */
static void reduce_with(const struct pattern *p, int odd, const void *instead, char *out)
{
	char one[ELEMS * 8];
	for (int rank = 0; rank < p->ranks; rank++) {
		fill(p, rank, one);
		const void *from = rank == odd ? instead : one;
		if (rank && from)
			host_reduce(out, out, from, ELEMS, p->dtype, p->redop);
		else if (!rank)
			memcpy(out, from ? from : one, ELEMS * dtype_bytes(p->dtype));
	}
	if (p->redop == OP_AVG)
		host_divide(out, out, ELEMS, p->dtype, p->ranks);
}

/* One rank's share left out, taken from elsewhere in its buffer, from another rank, or from the repetition
 * before: seen in a part of the elements, which a block of a few dozen cannot do without. Of max and min a
 * rank that does not hold the extreme cannot be missed. */
static void damage_to_one_share_is_found(void **state)
{
	(void)state;
	enum { ODD = 2 };
	char out[ELEMS * 8], wrong[ELEMS * 8], zero[ELEMS * 8] = {0};
	for (int k = 0; k < DTYPES * REDOPS; k++) {
		struct pattern p = {(enum dtype)(k / REDOPS), (enum redop)(k % REDOPS), 9, 4}, stale = p;
		stale.seed--;
		reduce_with(&p, -1, NULL, out);
		assert_int_equal(wrong_elems(&p, out), 0);
		for (int fault = 0; fault < 4; fault++) {
			if (fault == 0)
				memcpy(wrong, zero, sizeof wrong);
			else if (fault == 1)
				host_fill(&p, ODD, FIRST + 64, wrong, ELEMS);
			else if (fault == 2)
				host_fill(&p, ODD - 2, FIRST, wrong, ELEMS);
			else
				host_fill(&stale, ODD, FIRST, wrong, ELEMS);
			reduce_with(&p, ODD, wrong, out);
			if (wrong_elems(&p, out) < ELEMS / 32)
				fail_msg("%s %s: fault %d is seen in %d of %d elements", dtype_name(p.dtype),
				        redop_name(p.redop), fault, (int)wrong_elems(&p, out), ELEMS);
		}
	}
}

static void damage_to_a_result_is_found(void **state)
{
	(void)state;
	char right[ELEMS * 8], got[ELEMS * 8];
	for (int k = 0; k < DTYPES * (REDOPS + 1); k++) {
		struct pattern p = {(enum dtype)(k / (REDOPS + 1)), (enum redop)(k % (REDOPS + 1)), 9, 4},
		               stale = p;
		size_t bytes = dtype_bytes(p.dtype), block = 128 * bytes;
		stale.seed--;
		struct element_recipe r, former;
		recipe_of_result(&p, 0, &r);
		recipe_of_result(&stale, 0, &former);
		for (uint64_t i = 0; i < ELEMS; i++) {
			uint64_t a = element_at(&r, FIRST + i), b = element_at(&former, FIRST + i);
			memcpy(right + i * bytes, &a, bytes);
			memcpy(got + i * bytes, &b, bytes);
		}
		assert_int_equal(wrong_elems(&p, right), 0);
		assert_true(wrong_elems(&p, got) > ELEMS / 2); /* stale */
		memcpy(got, right + bytes, sizeof got - bytes);
		assert_true(wrong_elems(&p, got) > ELEMS / 2); /* shifted */
		memcpy(got, right, sizeof got);
		memcpy(got, right + block, block);
		memcpy(got + block, right, block);
		assert_true(wrong_elems(&p, got) > 128); /* swapped */
		memset(got, 0, sizeof got);
		assert_true(wrong_elems(&p, got) > ELEMS * 3 / 4);
	}
}

static void moved_data_name_their_source(void **state)
{
	(void)state;
	char got[ELEMS * 8];
	for (int t = 0; t < DTYPES; t++)
		for (int rank = 0; rank < 8; rank++) {
			struct pattern p = {(enum dtype)t, OP_NONE, 3, 8};
			struct mismatch m;
			fill(&p, rank, got);
			for (int source = 0; source < 8; source++) {
				host_verify(&p, source, FIRST, got, ELEMS, &m);
				if (source == rank)
					assert_int_equal(m.wrong_elems, 0);
				else
					assert_true(m.wrong_elems > ELEMS * 9 / 10);
			}
		}
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
	        cmocka_unit_test(any_order_gives_the_expected_bits),
	        cmocka_unit_test(many_ranks_give_the_expected_bits),
	        cmocka_unit_test(premultiplied_averages_are_within_tolerance),
	        cmocka_unit_test(ranges_fit_together),
	        cmocka_unit_test(flipped_bits_are_counted_and_the_first_is_named),
	        cmocka_unit_test(averages_may_be_off_by_two_units_and_no_more),
	        cmocka_unit_test(damage_to_one_share_is_found),
	        cmocka_unit_test(damage_to_a_result_is_found),
	        cmocka_unit_test(moved_data_name_their_source),
	        cmocka_unit_test(buffers_are_shareable_and_zeroed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
