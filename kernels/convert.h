/* convert.h - the narrow floating-point types as float and back, for host and device code.
 *
 * Exact in both directions, by the rules of NVIDIA's types: rounding to nearest, ties to even; half and
 * bfloat16 overflow to infinity, f8e4m3 and f8e5m2 saturate at their largest number (448, 57344), infinity
 * too. f8e4m3 has no infinity, and NaN only where all bits but the sign are ones. Every NaN becomes the
 * canonical one: sign clear, all other bits set; bfloat16 keeps it on the way to float. No branches, so that loops over these vectorise, and no
 * arithmetic on subnormal floats, so that flushing them changes nothing.
 */
#ifndef KERNELS_CONVERT_H
#define KERNELS_CONVERT_H

#include <stdint.h>

#ifdef __CUDACC__
#define ELEMENT_FN static __host__ __device__ __forceinline__
#else
#define ELEMENT_FN static inline __attribute__((always_inline, unused))
#endif

ELEMENT_FN float float_of_bits(uint32_t bits)
{
	union {
		uint32_t bits;
		float number;
	} v;
	v.bits = bits;
	return v.number;
}

ELEMENT_FN uint32_t bits_of_float(float number)
{
	union {
		float number;
		uint32_t bits;
	} v;
	v.number = number;
	return v.bits;
}

ELEMENT_FN double double_of_bits(uint64_t bits)
{
	union {
		uint64_t bits;
		double number;
	} v;
	v.bits = bits;
	return v.number;
}

ELEMENT_FN uint64_t bits_of_double(double number)
{
	union {
		double number;
		uint64_t bits;
	} v;
	v.number = number;
	return v.bits;
}

/* Both values are computed, whatever the condition. */
ELEMENT_FN uint32_t either(int condition, uint32_t yes, uint32_t no)
{
	uint32_t mask = 0u - (uint32_t)condition;
	return no ^ ((yes ^ no) & mask);
}

/* A type with fewer exponent bits than float. Patterns are without the sign. */
struct narrow {
	int width, fraction, bias;
	uint32_t overflow; /* what everything beyond the largest number becomes */
	uint32_t infinity; /* 0: has none */
	uint32_t nan;      /* this and all above are NaN */
};

ELEMENT_FN struct narrow narrow_half(void)
{
	struct narrow n = {16, 10, 15, 0x7c00, 0x7c00, 0x7c01};
	return n;
}

ELEMENT_FN struct narrow narrow_f8e4m3(void)
{
	struct narrow n = {8, 3, 7, 0x7e, 0, 0x7f};
	return n;
}

ELEMENT_FN struct narrow narrow_f8e5m2(void)
{
	struct narrow n = {8, 2, 15, 0x7b, 0x7c, 0x7d};
	return n;
}

ELEMENT_FN float narrow_to_float(struct narrow n, uint32_t bits)
{
	uint32_t sign = bits >> (n.width - 1), a = bits & ((1u << (n.width - 1)) - 1);
	uint32_t normal = (a << (23 - n.fraction)) + ((uint32_t)(127 - n.bias) << 23);
	float last_place = float_of_bits((uint32_t)(128 - n.bias - n.fraction) << 23);
	uint32_t subnormal = bits_of_float((float)(int32_t)a * last_place);
	uint32_t f = either(a >= 1u << n.fraction, normal, subnormal);
	f = either(n.infinity && a == n.infinity, 0x7f800000u, f) | sign << 31;
	return float_of_bits(either(a >= n.nan, 0x7fffffffu, f));
}

ELEMENT_FN uint32_t narrow_from_float(struct narrow n, float number)
{
	int cut = 23 - n.fraction;
	uint32_t u = bits_of_float(number), a = u & 0x7fffffffu;
	uint32_t rebias = (uint32_t)(127 - n.bias) << n.fraction;
	uint32_t normal = ((a + (1u << (cut - 1)) - 1 + (a >> cut & 1)) >> cut) - rebias;
	/* Adding a number whose last place is the type's smallest subnormal rounds to that place. */
	uint32_t magic = (uint32_t)(151 - n.bias - n.fraction) << 23;
	uint32_t subnormal = bits_of_float(float_of_bits(a) + float_of_bits(magic)) - magic;
	uint32_t bits = either(a >= (uint32_t)(128 - n.bias) << 23, normal, subnormal);
	bits = bits < n.overflow ? bits : n.overflow;
	bits |= u >> 31 << (n.width - 1);
	return either(a > 0x7f800000u, (1u << (n.width - 1)) - 1, bits);
}

ELEMENT_FN float half_to_float(uint32_t bits)
{
	return narrow_to_float(narrow_half(), bits);
}

ELEMENT_FN uint32_t half_from_float(float number)
{
	return narrow_from_float(narrow_half(), number);
}

ELEMENT_FN float f8e4m3_to_float(uint32_t bits)
{
	return narrow_to_float(narrow_f8e4m3(), bits);
}

ELEMENT_FN uint32_t f8e4m3_from_float(float number)
{
	return narrow_from_float(narrow_f8e4m3(), number);
}

ELEMENT_FN float f8e5m2_to_float(uint32_t bits)
{
	return narrow_to_float(narrow_f8e5m2(), bits);
}

ELEMENT_FN uint32_t f8e5m2_from_float(float number)
{
	return narrow_from_float(narrow_f8e5m2(), number);
}

ELEMENT_FN float bfloat16_to_float(uint32_t bits)
{
	return float_of_bits(bits << 16);
}

ELEMENT_FN uint32_t bfloat16_from_float(float number)
{
	uint32_t u = bits_of_float(number), bits = (u + 0x7fffu + (u >> 16 & 1)) >> 16;
	return either((u & 0x7fffffffu) > 0x7f800000u, 0x7fffu, bits);
}

#endif
