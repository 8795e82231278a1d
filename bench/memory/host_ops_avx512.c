/* host_ops_avx512.c - the loops over host memory for x86 CPUs with AVX-512 as servers have it. */
#ifdef __x86_64__
#include <immintrin.h>

#define OPS host_ops_avx512
#define OPS_NAME "avx512"
#define OPS_RUNS                                                                                             \
	__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&                           \
	        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
#ifdef __clang__
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,f16c")))
#else
#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,f16c,prefer-vector-width=512")))
#endif

#define HALF_LOAD(out, in)                                                                                   \
	for (int k = 0; k < BLOCK; k += 16)                                                                  \
	_mm512_storeu_ps((out) + k, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i_u *)((in) + k))))
/* Whole vectors, so that loads behind these stores are served from the store buffer. */
#define HALF_STORE(out, in)                                                                                  \
	for (int k = 0; k < BLOCK; k += 32) {                                                                \
		__m256i low = _mm512_cvtps_ph(_mm512_loadu_ps((in) + k), _MM_FROUND_TO_NEAREST_INT);         \
		__m256i high = _mm512_cvtps_ph(_mm512_loadu_ps((in) + k + 16), _MM_FROUND_TO_NEAREST_INT);   \
		_mm512_storeu_si512((out) + k, _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1));    \
	}

extern const struct host_ops host_ops_avx512;
#include "bench/memory/host_loops.inc"
#endif
