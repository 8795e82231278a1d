/* host_reduce.c - reduce, scale and divide for all datatypes: one loop each, vectorised by the compiler. */
#include "bench/memory/host.h"

#include "bench/core/types.h"
#include "kernels/element.h"

#include <pthread.h>
#include <stdlib.h>

/* Integers wrap: signed sums and products are those of the unsigned type. */
#define ADD(a, b) ((a) + (b))
#define MUL(a, b) ((a) * (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))

#define LOOP(T, V, OP)                                                                                       \
	for (size_t i = 0; i < elems; i++)                                                                   \
	((T *)dst)[i] = (T)OP((V)((const T *)a)[i], (V)((const T *)b)[i])

/* T: storage; A: where sums and products are computed. */
#define REDUCE(name, T, A)                                                                                   \
	HOST_CLONES static void reduce_##name(                                                               \
	        void *dst, const void *a, const void *b, size_t elems, enum redop op)                        \
	{                                                                                                    \
		switch (op) {                                                                                \
		case OP_PROD:                                                                                \
			LOOP(T, A, MUL);                                                                     \
			break;                                                                               \
		case OP_MAX:                                                                                 \
			LOOP(T, T, MAX);                                                                     \
			break;                                                                               \
		case OP_MIN:                                                                                 \
			LOOP(T, T, MIN);                                                                     \
			break;                                                                               \
		default:                                                                                     \
			LOOP(T, A, ADD);                                                                     \
			break;                                                                               \
		}                                                                                            \
	}

REDUCE(int8, int8_t, uint32_t)
REDUCE(uint8, uint8_t, uint32_t)
REDUCE(int32, int32_t, uint32_t)
REDUCE(uint32, uint32_t, uint32_t)
REDUCE(int64, int64_t, uint64_t)
REDUCE(uint64, uint64_t, uint64_t)
REDUCE(float, float, float)
REDUCE(double, double, double)

#define NARROW_LOOP(t, OP)                                                                                   \
	for (size_t i = 0; i < elems; i++)                                                                   \
	((uint16_t *)dst)[i] =                                                                               \
	        (uint16_t)element_from_float(t, OP(element_to_float(t, ((const uint16_t *)a)[i]),            \
	                                                element_to_float(t, ((const uint16_t *)b)[i])))

#define REDUCE_NARROW(name, t)                                                                               \
	HOST_CLONES static void reduce_##name(                                                               \
	        void *dst, const void *a, const void *b, size_t elems, enum redop op)                        \
	{                                                                                                    \
		switch (op) {                                                                                \
		case OP_PROD:                                                                                \
			NARROW_LOOP(t, MUL);                                                                 \
			break;                                                                               \
		case OP_MAX:                                                                                 \
			NARROW_LOOP(t, MAX);                                                                 \
			break;                                                                               \
		case OP_MIN:                                                                                 \
			NARROW_LOOP(t, MIN);                                                                 \
			break;                                                                               \
		default:                                                                                     \
			NARROW_LOOP(t, ADD);                                                                 \
			break;                                                                               \
		}                                                                                            \
	}

REDUCE_NARROW(half, DT_HALF)
REDUCE_NARROW(bfloat16, DT_BFLOAT16)

/* Two 8-bit operands have 65536 results: a table for each type and operation, made when first needed. */
enum { TABLE = 1 << 16, TABLE_OPS = OP_MIN + 1 };
static uint8_t *tables[2][TABLE_OPS];
static pthread_mutex_t tables_lock = PTHREAD_MUTEX_INITIALIZER;

static uint8_t *make_table(enum dtype t, enum redop op)
{
	uint8_t *table = malloc(TABLE);
	for (uint32_t i = 0; table && i < TABLE; i++) {
		float a = element_to_float(t, i >> 8), b = element_to_float(t, i & 255);
		float value = op == OP_PROD  ? a * b
		              : op == OP_MAX ? MAX(a, b)
		              : op == OP_MIN ? MIN(a, b)
		                             : a + b;
		table[i] = (uint8_t)element_from_float(t, value);
	}
	return table;
}

static const uint8_t *table_of(enum dtype t, enum redop op)
{
	pthread_mutex_lock(&tables_lock);
	uint8_t **at = &tables[t == DT_F8E5M2][op];
	if (!*at)
		*at = make_table(t, op);
	pthread_mutex_unlock(&tables_lock);
	return *at;
}

static enum status reduce_f8(
        void *dst, const void *a, const void *b, size_t elems, enum dtype t, enum redop op)
{
	const uint8_t *table = table_of(t, op > OP_MIN ? OP_SUM : op), *x = a, *y = b;
	if (!table)
		return fail(ST_NOMEM, "no memory for the table of '%s'", dtype_name(t));
	for (size_t i = 0; i < elems; i++)
		((uint8_t *)dst)[i] = table[x[i] << 8 | y[i]];
	return ST_OK;
}

enum status host_reduce(void *dst, const void *a, const void *b, size_t elems, enum dtype t, enum redop op)
{
	static void (*const reduce[DTYPES])(void *, const void *, const void *, size_t, enum redop) = {
	        [DT_INT8] = reduce_int8,
	        [DT_UINT8] = reduce_uint8,
	        [DT_INT32] = reduce_int32,
	        [DT_UINT32] = reduce_uint32,
	        [DT_INT64] = reduce_int64,
	        [DT_UINT64] = reduce_uint64,
	        [DT_HALF] = reduce_half,
	        [DT_FLOAT] = reduce_float,
	        [DT_DOUBLE] = reduce_double,
	        [DT_BFLOAT16] = reduce_bfloat16,
	};
	if (!reduce[t])
		return reduce_f8(dst, a, b, elems, t, op);
	reduce[t](dst, a, b, elems, op);
	return ST_OK;
}

#define MAP_INTEGER(T, expression)                                                                           \
	for (size_t i = 0; i < elems; i++) {                                                                 \
		const T x = ((const T *)src)[i];                                                             \
		((T *)dst)[i] = (T)(expression);                                                             \
	}

#define MAP_NARROW(T, t, expression)                                                                         \
	for (size_t i = 0; i < elems; i++) {                                                                 \
		const float x = element_to_float(t, ((const T *)src)[i]);                                    \
		((T *)dst)[i] = (T)element_from_float(t, (float)(expression));                               \
	}

/* By a whole number (mulsum's factors are 1 and 2): integers wrap. */
enum status host_scale(void *dst, const void *src, size_t elems, enum dtype t, double scalar)
{
	const float f = (float)scalar;
	const uint32_t narrow = (uint32_t)scalar;
	switch (t) {
	case DT_INT8:
	case DT_UINT8:
		MAP_INTEGER(uint8_t, x * narrow);
		break;
	case DT_INT32:
	case DT_UINT32:
		MAP_INTEGER(uint32_t, x * narrow);
		break;
	case DT_INT64:
	case DT_UINT64:
		MAP_INTEGER(uint64_t, x * (uint64_t)scalar);
		break;
	case DT_FLOAT:
		MAP_INTEGER(float, x *f);
		break;
	case DT_DOUBLE:
		MAP_INTEGER(double, x *scalar);
		break;
	case DT_HALF:
		MAP_NARROW(uint16_t, DT_HALF, x * f);
		break;
	case DT_BFLOAT16:
		MAP_NARROW(uint16_t, DT_BFLOAT16, x * f);
		break;
	case DT_F8E4M3:
		MAP_NARROW(uint8_t, DT_F8E4M3, x * f);
		break;
	default:
		MAP_NARROW(uint8_t, DT_F8E5M2, x * f);
		break;
	}
	return ST_OK;
}

/* Integers towards zero. */
enum status host_divide(void *dst, const void *src, size_t elems, enum dtype t, int ranks)
{
	const float f = (float)ranks;
	switch (t) {
	case DT_INT8:
		MAP_INTEGER(int8_t, x / ranks);
		break;
	case DT_UINT8:
		MAP_INTEGER(uint8_t, x / (uint32_t)ranks);
		break;
	case DT_INT32:
		MAP_INTEGER(int32_t, x / ranks);
		break;
	case DT_UINT32:
		MAP_INTEGER(uint32_t, x / (uint32_t)ranks);
		break;
	case DT_INT64:
		MAP_INTEGER(int64_t, x / ranks);
		break;
	case DT_UINT64:
		MAP_INTEGER(uint64_t, x / (uint64_t)ranks);
		break;
	case DT_FLOAT:
		MAP_INTEGER(float, x / f);
		break;
	case DT_DOUBLE:
		MAP_INTEGER(double, x / ranks);
		break;
	case DT_HALF:
		MAP_NARROW(uint16_t, DT_HALF, x / f);
		break;
	case DT_BFLOAT16:
		MAP_NARROW(uint16_t, DT_BFLOAT16, x / f);
		break;
	case DT_F8E4M3:
		MAP_NARROW(uint8_t, DT_F8E4M3, x / f);
		break;
	default:
		MAP_NARROW(uint8_t, DT_F8E5M2, x / f);
		break;
	}
	return ST_OK;
}
