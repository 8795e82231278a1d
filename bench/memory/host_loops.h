/* host_loops.h - the bodies of struct host_ops. Included once by each host_ops_*.c, which defines
 *
 *     OPS       name of the struct to define
 *     OPS_NAME  its name as text
 *     OPS_RUNS  expression: can this CPU run it
 *     TARGET    attribute that turns the instructions on, or nothing
 *     HALF_LOAD(out, in), HALF_STORE(out, in)   where the CPU can: BLOCK halves to floats and back
 *
 * The compiler vectorises the loops; INDEPENDENT tells it that dst is a source as a whole or not at all. */
#include "bench/memory/host_ops.h"

#include <string.h>

#ifdef __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

#define ADD(a, b) ((a) + (b))
#define MUL(a, b) ((a) * (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))

#define REDUCE(name, T, A, OP)                                                                               \
	TARGET static void name(void *dst, const void *a, const void *b, size_t elems)                       \
	{                                                                                                    \
		T *d = dst;                                                                                  \
		const T *x = a, *y = b;                                                                      \
		INDEPENDENT for (size_t i = 0; i < elems; i++) d[i] = (T)OP((A)x[i], (A)y[i]);               \
	}

/* T: how it is stored and compared; A: in what sums and products are computed (integers without overflow);
 * Q: in what quotients by up to 2^16 ranks are exact, and vectorise. */
#define WIDE(name, T, A, Q)                                                                                  \
	REDUCE(name##_sum, T, A, ADD)                                                                        \
	REDUCE(name##_prod, T, A, MUL)                                                                       \
	REDUCE(name##_max, T, T, MAX)                                                                        \
	REDUCE(name##_min, T, T, MIN)                                                                        \
	TARGET static void name##_scale(void *dst, const void *src, size_t elems, double scalar)             \
	{                                                                                                    \
		T *d = dst;                                                                                  \
		const T *x = src;                                                                            \
		const A factor = (A)scalar;                                                                  \
		INDEPENDENT for (size_t i = 0; i < elems; i++) d[i] = (T)((A)x[i] * factor);                 \
	}                                                                                                    \
	TARGET static void name##_divide(void *dst, const void *src, size_t elems, int ranks)                \
	{                                                                                                    \
		T *d = dst;                                                                                  \
		const T *x = src;                                                                            \
		const Q divisor = (Q)ranks;                                                                  \
		INDEPENDENT for (size_t i = 0; i < elems; i++) d[i] = (T)((Q)x[i] / divisor);                \
	}

WIDE(int8, int8_t, uint32_t, float)
WIDE(uint8, uint8_t, uint32_t, float)
WIDE(int32, int32_t, uint32_t, double)
WIDE(uint32, uint32_t, uint32_t, double)
WIDE(int64, int64_t, uint64_t, int64_t)
WIDE(uint64, uint64_t, uint64_t, uint64_t)
WIDE(float, float, float, float)
WIDE(double, double, double, double)

#include "bench/memory/host_loops_narrow.h"

#define WORDS(width, T)                                                                                      \
	TARGET static void fill##width(const struct host_words *w, void *dst)                                \
	{                                                                                                    \
		const struct element_recipe r = *w->recipe;                                                  \
		const struct element_key key = w->key;                                                       \
		const uint32_t word = w->word, count = (uint32_t)w->count;                                   \
		char *d = dst;                                                                               \
		for (uint32_t i = 0; i < count; i++) {                                                       \
			T value = element_share##width(&r, element_hash##width(key, word + i));              \
			memcpy(d + i * sizeof(T), &value, sizeof(T));                                        \
		}                                                                                            \
	}                                                                                                    \
	TARGET static bool differ##width(const struct host_words *w, const void *got)                        \
	{                                                                                                    \
		const struct element_recipe r = *w->recipe;                                                  \
		const struct element_key key = w->key;                                                       \
		const uint32_t word = w->word, count = (uint32_t)w->count;                                   \
		const char *g = got;                                                                         \
		T differences = 0;                                                                           \
		for (uint32_t i = 0; i < count; i++) {                                                       \
			T have;                                                                              \
			memcpy(&have, g + i * sizeof(T), sizeof(T));                                         \
			differences |= have ^ element_result##width(&r, element_hash##width(key, word + i)); \
		}                                                                                            \
		return differences;                                                                          \
	}
WORDS(32, uint32_t)
WORDS(64, uint64_t)

static bool runs(void)
{
	return OPS_RUNS;
}

#define EACH_TYPE(verb)                                                                                      \
	{                                                                                                    \
		[DT_INT8] = int8_##verb, [DT_UINT8] = uint8_##verb, [DT_INT32] = int32_##verb,               \
		[DT_UINT32] = uint32_##verb, [DT_INT64] = int64_##verb, [DT_UINT64] = uint64_##verb,         \
		[DT_HALF] = half_##verb, [DT_FLOAT] = float_##verb, [DT_DOUBLE] = double_##verb,             \
		[DT_BFLOAT16] = bfloat16_##verb, [DT_F8E4M3] = f8e4m3_##verb, [DT_F8E5M2] = f8e5m2_##verb,   \
	}

const struct host_ops OPS = {
        .name = OPS_NAME,
        .runs = runs,
        .reduce =
                {
                        [OP_SUM] = EACH_TYPE(sum),
                        [OP_PROD] = EACH_TYPE(prod),
                        [OP_MAX] = EACH_TYPE(max),
                        [OP_MIN] = EACH_TYPE(min),
                },
        .scale = EACH_TYPE(scale),
        .divide = EACH_TYPE(divide),
        .fill = {fill32, fill64},
        .differ = {differ32, differ64},
};
