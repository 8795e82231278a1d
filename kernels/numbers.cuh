/* numbers.cuh - arithmetic on the datatypes of the suite, for host and device.
 * A type N has N::stored, what lies in memory, and N::number, what it is computed in. The narrow floats go in
 * pairs, as the devices' conversions do, and are computed as floats: rounded once more, the results are the
 * same. */
#ifndef KERNELS_NUMBERS_CUH
#define KERNELS_NUMBERS_CUH

#include "kernels/convert.h"
#include "kernels/types.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

/* Integers; U is the type to compute in without overflow. */
template <typename T, typename U> struct whole {
	typedef T stored;
	typedef T number;
	typedef U factor;
	ELEMENT_FN T load(T x)
	{
		return x;
	}
	ELEMENT_FN T store(T x)
	{
		return x;
	}
	ELEMENT_FN T add(T a, T b)
	{
		return (T)((U)a + (U)b);
	}
	ELEMENT_FN T multiply(T a, T b)
	{
		return (T)((U)a * (U)b);
	}
	ELEMENT_FN T larger(T a, T b)
	{
		return a > b ? a : b;
	}
	ELEMENT_FN T smaller(T a, T b)
	{
		return a < b ? a : b;
	}
	ELEMENT_FN T scale(T a, U by)
	{
		return (T)((U)a * by);
	}
	ELEMENT_FN T divide(T a, int by)
	{
		return sizeof(T) < 4 ? (T)((int)a / by) : (T)(a / (T)by);
	}
};

template <typename T> struct real {
	typedef T stored;
	typedef T number;
	typedef T factor;
	ELEMENT_FN T load(T x)
	{
		return x;
	}
	ELEMENT_FN T store(T x)
	{
		return x;
	}
	ELEMENT_FN T add(T a, T b)
	{
		return a + b;
	}
	ELEMENT_FN T multiply(T a, T b)
	{
		return a * b;
	}
	ELEMENT_FN T larger(T a, T b)
	{
		return a > b ? a : b;
	}
	ELEMENT_FN T smaller(T a, T b)
	{
		return a < b ? a : b;
	}
	ELEMENT_FN T scale(T a, T by)
	{
		return a * by;
	}
	ELEMENT_FN T divide(T a, int by)
	{
		return a / (T)by;
	}
};

/* What the pairs have in common. */
struct pair {
	typedef float2 number;
	typedef float factor;
	ELEMENT_FN float2 add(float2 a, float2 b)
	{
		return make_float2(a.x + b.x, a.y + b.y);
	}
	ELEMENT_FN float2 multiply(float2 a, float2 b)
	{
		return make_float2(a.x * b.x, a.y * b.y);
	}
	ELEMENT_FN float2 larger(float2 a, float2 b)
	{
		return make_float2(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y);
	}
	ELEMENT_FN float2 smaller(float2 a, float2 b)
	{
		return make_float2(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y);
	}
	ELEMENT_FN float2 scale(float2 a, float by)
	{
		return make_float2(a.x * by, a.y * by);
	}
	ELEMENT_FN float2 divide(float2 a, int by)
	{
		return make_float2(a.x / (float)by, a.y / (float)by);
	}
};

struct half_pair : pair {
	typedef uint32_t stored;
	ELEMENT_FN float2 load(stored x)
	{
		__half2_raw raw;
		raw.x = (unsigned short)x;
		raw.y = (unsigned short)(x >> 16);
		return __half22float2(__half2(raw));
	}
	ELEMENT_FN stored store(float2 x)
	{
		__half2_raw raw = __float22half2_rn(x);
		return raw.x | (uint32_t)raw.y << 16;
	}
};

struct bfloat16_pair : pair {
	typedef uint32_t stored;
	ELEMENT_FN float2 load(stored x)
	{
		return make_float2(float_of_bits(x << 16), float_of_bits(x & 0xffff0000u));
	}
	ELEMENT_FN stored store(float2 x)
	{
		__nv_bfloat162_raw raw = __float22bfloat162_rn(x);
		return raw.x | (uint32_t)raw.y << 16;
	}
};

template <__nv_fp8_interpretation_t KIND> struct f8_pair : pair {
	typedef uint16_t stored;
	ELEMENT_FN float2 load(stored x)
	{
		return __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(x, KIND)));
	}
	ELEMENT_FN stored store(float2 x)
	{
		return __nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, KIND);
	}
};

/* In the order of enum dtype. */
#define EACH_NUMBER(use)                                                                                     \
	use<whole<int8_t, uint32_t>>, use<whole<uint8_t, uint32_t>>, use<whole<int32_t, uint32_t>>,          \
	        use<whole<uint32_t, uint32_t>>, use<whole<int64_t, uint64_t>>,                               \
	        use<whole<uint64_t, uint64_t>>, use<half_pair>, use<real<float>>, use<real<double>>,         \
	        use<bfloat16_pair>, use<f8_pair<__NV_E4M3>>, use<f8_pair<__NV_E5M2>>

#endif
