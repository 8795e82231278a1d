/* host_loops_narrow.h - the loops of host_loops.h for floats of 16 and 8 bits; included by it alone.
 * They are computed as floats: sums, products and quotients rounded to 24 bits and then to the type are those
 * rounded once. */
#define NARROW_REDUCE(name, type, T, OP)                                                                     \
	TARGET static void name(void *dst, const void *a, const void *b, size_t elems)                       \
	{                                                                                                    \
		T *d = dst;                                                                                  \
		const T *x = a, *y = b;                                                                      \
		INDEPENDENT for (size_t i = 0; i < elems; i++) d[i] =                                        \
		        (T)type##_from_float(OP(type##_to_float(x[i]), type##_to_float(y[i])));              \
	}

#define NARROW_MAP(name, type, T, P, OP)                                                                     \
	TARGET static void name(void *dst, const void *src, size_t elems, P parameter)                       \
	{                                                                                                    \
		T *d = dst;                                                                                  \
		const T *x = src;                                                                            \
		const float by = (float)parameter;                                                           \
		INDEPENDENT for (size_t i = 0; i < elems; i++) d[i] =                                        \
		        (T)type##_from_float(type##_to_float(x[i]) OP by);                                   \
	}

/* Floats without NaN are ordered as these integers are; the mapping is its own inverse. */
ELEMENT_FN int8_t ordered8(int8_t x)
{
	return (int8_t)(x < 0 ? x ^ 0x7f : x);
}

ELEMENT_FN int16_t ordered16(int16_t x)
{
	return (int16_t)(x < 0 ? x ^ 0x7fff : x);
}

#define NARROW_EXTREME(name, ordered, T, OP)                                                                 \
	TARGET static void name(void *dst, const void *a, const void *b, size_t elems)                       \
	{                                                                                                    \
		T *d = dst;                                                                                  \
		const T *x = a, *y = b;                                                                      \
		INDEPENDENT for (size_t i = 0; i < elems; i++) d[i] =                                        \
		        ordered(OP(ordered(x[i]), ordered(y[i])));                                           \
	}

#define NARROW(type, T, ordered, S)                                                                          \
	NARROW_EXTREME(type##_max, ordered, S, MAX)                                                          \
	NARROW_EXTREME(type##_min, ordered, S, MIN)                                                          \
	NARROW_MAP(type##_scale, type, T, double, *)                                                         \
	NARROW_MAP(type##_divide, type, T, int, /)

NARROW(half, uint16_t, ordered16, int16_t)
NARROW(bfloat16, uint16_t, ordered16, int16_t)
NARROW(f8e4m3, uint8_t, ordered8, int8_t)
NARROW(f8e5m2, uint8_t, ordered8, int8_t)
NARROW_REDUCE(bfloat16_sum, bfloat16, uint16_t, ADD)
NARROW_REDUCE(bfloat16_prod, bfloat16, uint16_t, MUL)
NARROW_REDUCE(f8e4m3_prod, f8e4m3, uint8_t, MUL)
NARROW_REDUCE(f8e5m2_prod, f8e5m2, uint8_t, MUL)

#ifndef HALF_LOAD
NARROW_REDUCE(half_sum, half, uint16_t, ADD)
NARROW_REDUCE(half_prod, half, uint16_t, MUL)
NARROW_REDUCE(f8e4m3_sum, f8e4m3, uint8_t, ADD)
NARROW_REDUCE(f8e5m2_sum, f8e5m2, uint8_t, ADD)
#else
/* Where the CPU converts halves, blocks that stay in the first-level cache pass through it. */
enum { BLOCK = 64 };

/* The last elements are a block of their own. */
#define BLOCKWISE(name, T)                                                                                   \
	TARGET static void name(void *dst, const void *a, const void *b, size_t elems)                       \
	{                                                                                                    \
		T *d = dst, last[2][BLOCK] = {0};                                                            \
		const T *x = a, *y = b;                                                                      \
		size_t whole = elems / BLOCK * BLOCK, rest = elems - whole;                                  \
		for (size_t i = 0; i < whole; i += BLOCK)                                                    \
			name##_block(d + i, x + i, y + i);                                                   \
		if (!rest)                                                                                   \
			return;                                                                              \
		memcpy(last[0], x + whole, rest * sizeof(T));                                                \
		memcpy(last[1], y + whole, rest * sizeof(T));                                                \
		name##_block(last[0], last[0], last[1]);                                                     \
		memcpy(d + whole, last[0], rest * sizeof(T));                                                \
	}

#define HALF_REDUCE(name, OP)                                                                                \
	TARGET static inline void name##_block(uint16_t *d, const uint16_t *x, const uint16_t *y)            \
	{                                                                                                    \
		float p[BLOCK], q[BLOCK];                                                                    \
		HALF_LOAD(p, x);                                                                             \
		HALF_LOAD(q, y);                                                                             \
		for (int i = 0; i < BLOCK; i++)                                                              \
			p[i] = OP(p[i], q[i]);                                                               \
		HALF_STORE(d, p);                                                                            \
	}                                                                                                    \
	BLOCKWISE(name, uint16_t)
HALF_REDUCE(half_sum, ADD)
HALF_REDUCE(half_prod, MUL)

/* As halves, the 8-bit types have their own bits in front: f8e5m2 as it is, f8e4m3 divided by 256. Sums then
 * round to 11 bits and to 4 or 3, which is the same as once; subnormal ones are exact in the first step. */
ELEMENT_FN uint16_t half_of_f8e4m3(uint8_t bits)
{
	uint16_t sign = (uint16_t)(bits << 8 & 0x8000), a = bits & 0x7f;
	return (uint16_t)(sign | (a == 0x7f ? 0x7fff : a << 7));
}

ELEMENT_FN uint16_t half_of_f8e5m2(uint8_t bits)
{
	return (uint16_t)(bits << 8);
}

ELEMENT_FN uint8_t f8_of_half(uint16_t half, int cut, uint16_t most)
{
	uint16_t twice = (uint16_t)(half << 1),
	         odd = (uint16_t)(twice >> (cut + 1)) & 1; /* without the sign */
	uint16_t rounded = (uint16_t)(twice + 2 * (uint16_t)((1 << (cut - 1)) - 1) + 2 * odd);
	rounded = (uint16_t)(rounded >> (cut + 1));
	rounded = rounded < most ? rounded : most;
	rounded = twice > 2 * 0x7c00 ? 0x7f : (uint16_t)(rounded | (uint16_t)(half >> 8 & 0x80));
	return (uint8_t)rounded;
}

#define F8_SUM(type, cut, most)                                                                              \
	TARGET static inline void type##_sum_block(uint8_t *d, const uint8_t *x, const uint8_t *y)           \
	{                                                                                                    \
		uint16_t h[2][BLOCK];                                                                        \
		float p[BLOCK], q[BLOCK];                                                                    \
		for (int i = 0; i < BLOCK; i++) {                                                            \
			h[0][i] = half_of_##type(x[i]);                                                      \
			h[1][i] = half_of_##type(y[i]);                                                      \
		}                                                                                            \
		HALF_LOAD(p, h[0]);                                                                          \
		HALF_LOAD(q, h[1]);                                                                          \
		for (int i = 0; i < BLOCK; i++)                                                              \
			p[i] += q[i];                                                                        \
		HALF_STORE(h[0], p);                                                                         \
		for (int i = 0; i < BLOCK; i++)                                                              \
			d[i] = f8_of_half(h[0][i], cut, most);                                               \
	}                                                                                                    \
	BLOCKWISE(type##_sum, uint8_t)
F8_SUM(f8e4m3, 7, 0x7e)
F8_SUM(f8e5m2, 8, 0x7b)
#endif
