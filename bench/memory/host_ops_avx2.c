/* host_ops_avx2.c - the loops over host memory for x86 CPUs with AVX2 and half-precision conversions. */
#ifdef __x86_64__
#include <immintrin.h>

#define OPS host_ops_avx2
#define OPS_NAME "avx2"
#define OPS_RUNS __builtin_cpu_supports("avx2") /* every CPU that has it converts halves */
#define TARGET __attribute__((target("avx2,f16c")))

#define HALF_LOAD(out, in)                                                                                   \
	for (int k = 0; k < BLOCK; k += 8)                                                                   \
	_mm256_storeu_ps((out) + k, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i_u *)((in) + k))))
/* Whole vectors, so that loads behind these stores are served from the store buffer. */
#define HALF_STORE(out, in)                                                                                  \
	for (int k = 0; k < BLOCK; k += 16) {                                                                \
		__m128i low = _mm256_cvtps_ph(_mm256_loadu_ps((in) + k), _MM_FROUND_TO_NEAREST_INT);         \
		__m128i high = _mm256_cvtps_ph(_mm256_loadu_ps((in) + k + 8), _MM_FROUND_TO_NEAREST_INT);    \
		_mm256_storeu_si256((__m256i_u *)((out) + k), _mm256_set_m128i(high, low));                  \
	}

extern const struct host_ops host_ops_avx2;
#include "bench/memory/host_loops.inc"
#endif
