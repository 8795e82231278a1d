/* element.h - what each element of a test buffer holds, and what must come out. For host and device code.
 *
 * The contract: every order of reduction over all ranks gives the same bits, and the result is known without
 * looking at the inputs, in a time that does not depend on the number of ranks.
 *
 * How: a hash of (seed, index) gives the result y and a rotation that deals out positions to ranks.
 *   sum     y is an integer that fills the significand of the type (of an integer type: all its bits).
 * Positions 1..3 hold y/2, y/4 and y/8 rounded down, position 0 the rest, all others 0: every partial sum is
 * an integer no larger than y, so it is exact. avg     the same; integer types use 7 bits, so that no sum
 * wraps. Floats: within 2 units in the last place. mulsum  the same after each rank's factor (1 on even
 * ranks, 2 on odd ones). prod    position 0 holds a full significand, positions 1 and 2 powers of two
 * (integers: odd numbers, the product wraps), all others 1. max min position 0 holds the extreme, the others
 * up to 3 less or more. none    bits that tell rank and index apart: swapped blocks, shifts and stale data
 * all show. Values are normal numbers of every type; no NaN, no -0, no overflow on the way.
 */
#ifndef KERNELS_ELEMENT_H
#define KERNELS_ELEMENT_H

#include "kernels/types.h"

#include <stdint.h>

#ifdef __CUDACC__
#define ELEMENT static __host__ __device__ __forceinline__
#else
#define ELEMENT static inline __attribute__((always_inline, unused))
#endif

enum { ELEMENT_RANKS_MOST = 65535 };

/* Significand bits, the hidden one included; the whole width of an integer. */
ELEMENT int element_precision(enum dtype t)
{
	return t == DT_HALF       ? 11
	       : t == DT_FLOAT    ? 24
	       : t == DT_DOUBLE   ? 53
	       : t == DT_BFLOAT16 ? 8
	       : t == DT_F8E4M3   ? 4
	       : t == DT_F8E5M2   ? 3
	       : t <= DT_UINT8    ? 8
	       : t <= DT_UINT32   ? 32
	                          : 64;
}

ELEMENT int element_is_float(enum dtype t)
{
	return t >= DT_HALF;
}

ELEMENT int element_is_signed(enum dtype t)
{
	return t == DT_INT8 || t == DT_INT32 || t == DT_INT64;
}

ELEMENT int element_exponent_bias(enum dtype t)
{
	return t == DT_HALF || t == DT_F8E5M2 ? 15 : t == DT_F8E4M3 ? 7 : 127;
}

/* Finite 32-bit hash, all bits well mixed; cheap enough to vectorise. */
ELEMENT uint32_t element_mix(uint32_t h)
{
	h ^= h >> 16;
	h *= 0x21f0aaadu;
	h ^= h >> 15;
	h *= 0x735a2d97u;
	return h ^ h >> 15;
}

/* Of everything that is the same for 2^32 elements in a row. */
ELEMENT uint32_t element_base(uint64_t seed, uint64_t index)
{
	return element_mix(
	        (uint32_t)seed ^ element_mix((uint32_t)(seed >> 32) + (uint32_t)(index >> 32) * 0x9e3779b1u));
}

ELEMENT uint32_t element_hash(uint32_t base, uint32_t index)
{
	return element_mix(base + index * 0x9e3779b1u);
}

union element_float {
	float f;
	uint32_t u;
};

union element_double {
	double f;
	uint64_t u;
};

/* Powers of two from their exponent. */
ELEMENT float element_scale(int exponent)
{
	union element_float v;
	v.u = (uint32_t)(exponent + 127) << 23;
	return v.f;
}

/* Any bit pattern of a type of at most 32 bits as a float, exactly. */
ELEMENT float element_to_float(enum dtype t, uint32_t bits)
{
	union element_float v;
	int fraction = element_precision(t) - 1, width = t == DT_FLOAT                      ? 32
	                                                 : t == DT_HALF || t == DT_BFLOAT16 ? 16
	                                                                                    : 8;
	uint32_t sign = bits >> (width - 1) << 31, magnitude = bits & ((1u << (width - 1)) - 1);
	if (t == DT_FLOAT || t == DT_BFLOAT16) {
		v.u = bits << (32 - width);
		return v.f;
	}
	v.u = magnitude << (23 - fraction);
	v.f *= element_scale(127 - element_exponent_bias(t)); /* subnormals too */
	if (t == DT_F8E4M3 ? magnitude == 0x7f : magnitude >> fraction == 0x1f)
		v.u = 0x7f800000u | (t == DT_F8E4M3 ? 1u << 22 : v.u & 0x7fffffu);
	v.u |= sign;
	return v.f;
}

/* The nearest value of the type, ties to even. Half overflows to infinity; the 8-bit types saturate at their
 * largest number, as NVIDIA's conversions do. NaN stays NaN. */
ELEMENT uint32_t element_from_float(enum dtype t, float value)
{
	union element_float v, small;
	v.f = value;
	if (t == DT_FLOAT)
		return v.u;
	uint32_t sign = v.u >> 31, a = v.u & 0x7fffffffu;
	if (t == DT_BFLOAT16)
		return a > 0x7f800000u ? v.u >> 16 | 0x40u : (v.u + 0x7fffu + (v.u >> 16 & 1)) >> 16;
	int fraction = element_precision(t) - 1, bias = element_exponent_bias(t), cut = 23 - fraction;
	uint32_t most = t == DT_HALF ? 0x7c00u : t == DT_F8E4M3 ? 0x7eu : 0x7bu;
	uint32_t nan = t == DT_HALF ? 0x7e00u : 0x7fu;
	uint32_t normal =
	        ((a + (1u << (cut - 1)) - 1 + (a >> cut & 1)) >> cut) - ((uint32_t)(127 - bias) << fraction);
	/* Adding a number whose last place is the smallest subnormal rounds to that place. */
	union element_float magic;
	magic.f = element_scale(24 - bias - fraction);
	small.u = a;
	small.f += magic.f;
	uint32_t bits = a < (uint32_t)(128 - bias) << 23 ? small.u - magic.u : normal;
	bits = a >= 0x47800000u && bias == 15 ? most : bits > most ? most : bits;
	bits = a > 0x7f800000u ? nan : bits;
	return bits | sign << (t == DT_HALF ? 15 : 7);
}

/* The same for values that the type holds exactly as normal numbers (or 0): no rounding, no branches. */
ELEMENT uint32_t element_from_exact(enum dtype t, float value)
{
	union element_float v;
	v.f = value;
	if (t == DT_FLOAT)
		return v.u;
	if (t == DT_BFLOAT16)
		return v.u >> 16;
	int fraction = element_precision(t) - 1;
	uint32_t a = v.u & 0x7fffffffu, rebias = (uint32_t)(127 - element_exponent_bias(t)) << fraction;
	uint32_t bits = a ? (a >> (23 - fraction)) - rebias : 0;
	return bits | v.u >> 31 << (t == DT_HALF ? 15 : 7);
}

/* Position of a rank among n, 0..n-1, rotated by the hash. */
ELEMENT uint32_t element_position(uint32_t hash, uint32_t rank, uint32_t n)
{
	uint32_t position = rank + ((hash * 0x85ebca6bu >> 16) * n >> 16);
	return position >= n ? position - n : position;
}

/* How much less (max) or more (min) than the extreme a rank holds, 0..3. */
ELEMENT uint32_t element_distance(uint32_t hash, uint32_t rank)
{
	return (hash ^ rank * 0x9e3779b1u) * 0x2c1b3c6du >> 30;
}

ELEMENT double element_mulsum_scalar(uint32_t rank)
{
	return rank & 1 ? 2 : 1;
}

#define WORD uint32_t
#define NAME(x) x##32
#define REAL float
#include "kernels/element_word.h"
#undef WORD
#undef NAME
#undef REAL

#define WORD uint64_t
#define NAME(x) x##64
#define REAL double
#include "kernels/element_word.h"
#undef WORD
#undef NAME
#undef REAL

#endif
