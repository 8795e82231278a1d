/* host_pattern.c - fill and verify: one loop for each datatype and reduction, from the code of
 * kernels/element.h. */
#include "bench/memory/host.h"

#include "bench/core/types.h"
#include "kernels/element.h"

#include <math.h>
#include <string.h>

/* Elements that share their base hash, few enough to stay in the cache while a wrong one is looked for. */
enum { STRETCH_ELEMS = 4096 };

struct stretch {
	uint32_t base, first, rank, n;
	size_t elems;
};

#define FILL_LOOP(T, W, t, op)                                                                               \
	for (size_t i = 0; i < s->elems; i++)                                                                \
	((T *)dst)[i] =                                                                                      \
	        (T)element_input##W(t, op, element_hash(s->base, s->first + (uint32_t)i), s->rank, s->n)

/* Differences in units of the last place are differences of bits: expected values are never 0. */
#define COUNT_LOOP(T, W, t, op, tolerance)                                                                   \
	for (size_t i = 0; i < s->elems; i++) {                                                              \
		T want = (T)element_expected##W(t, op, element_hash(s->base, s->first + (uint32_t)i), s->n); \
		T have = ((const T *)got)[i];                                                                \
		wrong += (T)(have - want + (tolerance)) > (T)(2 * (tolerance));                              \
	}

#define COUNT_SOURCE_LOOP(T, W, t)                                                                           \
	for (size_t i = 0; i < s->elems; i++)                                                                \
	wrong +=                                                                                             \
	        ((const T *)got)[i] != (T)element_input##W(t, OP_NONE,                                       \
	                                       element_hash(s->base, s->first + (uint32_t)i), s->rank, s->n)

#define LOOPS(name, T, W, t)                                                                                 \
	HOST_CLONES static void fill_##name(const struct stretch *s, enum redop op, void *dst)               \
	{                                                                                                    \
		switch (op) {                                                                                \
		case OP_SUM:                                                                                 \
			FILL_LOOP(T, W, t, OP_SUM);                                                          \
			break;                                                                               \
		case OP_PROD:                                                                                \
			FILL_LOOP(T, W, t, OP_PROD);                                                         \
			break;                                                                               \
		case OP_MAX:                                                                                 \
			FILL_LOOP(T, W, t, OP_MAX);                                                          \
			break;                                                                               \
		case OP_MIN:                                                                                 \
			FILL_LOOP(T, W, t, OP_MIN);                                                          \
			break;                                                                               \
		case OP_AVG:                                                                                 \
			FILL_LOOP(T, W, t, OP_AVG);                                                          \
			break;                                                                               \
		case OP_MULSUM:                                                                              \
			FILL_LOOP(T, W, t, OP_MULSUM);                                                       \
			break;                                                                               \
		case OP_NONE:                                                                                \
			FILL_LOOP(T, W, t, OP_NONE);                                                         \
			break;                                                                               \
		}                                                                                            \
	}                                                                                                    \
	HOST_CLONES static size_t count_##name(const struct stretch *s, enum redop op, const void *got)      \
	{                                                                                                    \
		size_t wrong = 0;                                                                            \
		switch (op) {                                                                                \
		case OP_SUM:                                                                                 \
			COUNT_LOOP(T, W, t, OP_SUM, 0);                                                      \
			break;                                                                               \
		case OP_PROD:                                                                                \
			COUNT_LOOP(T, W, t, OP_PROD, 0);                                                     \
			break;                                                                               \
		case OP_MAX:                                                                                 \
			COUNT_LOOP(T, W, t, OP_MAX, 0);                                                      \
			break;                                                                               \
		case OP_MIN:                                                                                 \
			COUNT_LOOP(T, W, t, OP_MIN, 0);                                                      \
			break;                                                                               \
		case OP_AVG:                                                                                 \
			COUNT_LOOP(T, W, t, OP_AVG, element_is_float(t) ? 2 : 0);                            \
			break;                                                                               \
		case OP_MULSUM:                                                                              \
			COUNT_LOOP(T, W, t, OP_MULSUM, 0);                                                   \
			break;                                                                               \
		case OP_NONE:                                                                                \
			COUNT_SOURCE_LOOP(T, W, t);                                                          \
			break;                                                                               \
		}                                                                                            \
		return wrong;                                                                                \
	}

LOOPS(int8, uint8_t, 32, DT_INT8)
LOOPS(uint8, uint8_t, 32, DT_UINT8)
LOOPS(int32, uint32_t, 32, DT_INT32)
LOOPS(uint32, uint32_t, 32, DT_UINT32)
LOOPS(int64, uint64_t, 64, DT_INT64)
LOOPS(uint64, uint64_t, 64, DT_UINT64)
LOOPS(half, uint16_t, 32, DT_HALF)
LOOPS(float, uint32_t, 32, DT_FLOAT)
LOOPS(double, uint64_t, 64, DT_DOUBLE)
LOOPS(bfloat16, uint16_t, 32, DT_BFLOAT16)
LOOPS(f8e4m3, uint8_t, 32, DT_F8E4M3)
LOOPS(f8e5m2, uint8_t, 32, DT_F8E5M2)

static const struct {
	void (*fill)(const struct stretch *, enum redop, void *dst);
	size_t (*count)(const struct stretch *, enum redop, const void *got);
} loops[DTYPES] = {
        [DT_INT8] = {fill_int8, count_int8},
        [DT_UINT8] = {fill_uint8, count_uint8},
        [DT_INT32] = {fill_int32, count_int32},
        [DT_UINT32] = {fill_uint32, count_uint32},
        [DT_INT64] = {fill_int64, count_int64},
        [DT_UINT64] = {fill_uint64, count_uint64},
        [DT_HALF] = {fill_half, count_half},
        [DT_FLOAT] = {fill_float, count_float},
        [DT_DOUBLE] = {fill_double, count_double},
        [DT_BFLOAT16] = {fill_bfloat16, count_bfloat16},
        [DT_F8E4M3] = {fill_f8e4m3, count_f8e4m3},
        [DT_F8E5M2] = {fill_f8e5m2, count_f8e5m2},
};

/* The next elements from `first` on that share a base hash. */
static struct stretch stretch_at(const struct pattern *p, int rank, uint64_t first, size_t left)
{
	uint64_t to_border = (UINT64_C(1) << 32) - (first & UINT32_MAX);
	size_t elems = left < STRETCH_ELEMS ? left : STRETCH_ELEMS;
	return (struct stretch){
	        .base = element_base(p->seed, first),
	        .first = (uint32_t)first,
	        .rank = (uint32_t)rank,
	        .n = (uint32_t)p->ranks,
	        .elems = elems < to_border ? elems : (size_t)to_border,
	};
}

static enum status check_ranks(const struct pattern *p)
{
	if (p->ranks <= ELEMENT_RANKS_MOST)
		return ST_OK;
	return fail(ST_UNSUPPORTED, "data can be checked for at most %d ranks, not '%d'; give -c 0",
	        ELEMENT_RANKS_MOST, p->ranks);
}

enum status host_fill(const struct pattern *p, int rank, uint64_t first, void *dst, size_t elems)
{
	enum status status = check_ranks(p);
	char *at = dst;
	while (status == ST_OK && elems) {
		struct stretch s = stretch_at(p, rank, first, elems);
		loops[p->dtype].fill(&s, p->redop, at);
		at += s.elems * dtype_bytes(p->dtype);
		first += s.elems;
		elems -= s.elems;
	}
	return status;
}

static double number(enum dtype t, const void *bits)
{
	uint64_t u = 0;
	memcpy(&u, bits, dtype_bytes(t)); /* little endian, as everything that CUDA runs beside */
	switch (t) {
	case DT_INT8:
		return (int8_t)u;
	case DT_INT32:
		return (int32_t)u;
	case DT_INT64:
		return (double)(int64_t)u;
	case DT_DOUBLE: {
		union element_double v = {.u = u};
		return v.f;
	}
	default:
		return element_is_float(t) ? (double)element_to_float(t, (uint32_t)u) : (double)u;
	}
}

/* The first wrong element of a stretch that has one: expected values one by one. */
static void find_first(const struct pattern *p, const struct stretch *s, const char *got, uint64_t done,
        struct mismatch *out)
{
	size_t bytes = dtype_bytes(p->dtype);
	struct stretch one = *s;
	one.elems = 1;
	for (size_t i = 0; i < s->elems; i++, one.first++) {
		if (!loops[p->dtype].count(&one, p->redop, got + i * bytes))
			continue;
		uint32_t hash = element_hash(one.base, one.first);
		uint64_t want =
		        p->redop == OP_NONE
		                ? (bytes == 8 ? element_input64(p->dtype, OP_NONE, hash, s->rank, s->n)
		                              : element_input32(p->dtype, OP_NONE, hash, s->rank, s->n))
		        : bytes == 8 ? element_expected64(p->dtype, p->redop, hash, s->n)
		                     : element_expected32(p->dtype, p->redop, hash, s->n);
		out->first_index = done + i;
		out->got = number(p->dtype, got + i * bytes);
		out->expected = number(p->dtype, &want);
		return;
	}
}

enum status host_verify(const struct pattern *p, int source, uint64_t first, const void *got, size_t elems,
        struct mismatch *out)
{
	*out = (struct mismatch){.got = NAN, .expected = NAN};
	enum status status = check_ranks(p);
	const char *at = got;
	for (uint64_t done = 0; status == ST_OK && done < elems;) {
		struct stretch s = stretch_at(p, source, first + done, elems - (size_t)done);
		size_t wrong = loops[p->dtype].count(&s, p->redop, at);
		if (wrong && !out->wrong_elems)
			find_first(p, &s, at, done, out);
		out->wrong_elems += wrong;
		at += s.elems * dtype_bytes(p->dtype);
		done += s.elems;
	}
	return status;
}
