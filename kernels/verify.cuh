/* verify.cuh - the work of verify.cu, for host and device. */
#ifndef KERNELS_VERIFY_CUH
#define KERNELS_VERIFY_CUH

#include "kernels/verify.h"
#include "kernels/words.cuh"

struct verify_arguments {
	struct words words;
	struct vector_span span;
	uint64_t first, tolerance;
	uint64_t offset; /* of got's first element in the caller's buffer */
	const char *got;
	struct kernel_verdict *verdict;
};

static inline struct verify_arguments verify_arguments_of(
        const struct kernel_expected *expected, uint64_t offset, const void *got, uint64_t elems)
{
	struct verify_arguments a;
	a.first = expected->first + offset;
	a.tolerance = (uint64_t)expected->tolerance;
	a.offset = offset;
	a.got = (const char *)got + offset * (uint64_t)expected->recipe->elem_bytes;
	a.span = vector_span_of(a.got, 0, elems, expected->recipe->elem_bytes);
	a.words = words_of(expected->recipe, a.first + a.span.head);
	a.verdict = 0;
	return a;
}

ELEMENT_FN void verify_elem(const struct verify_arguments &a, uint64_t elem, struct kernel_verdict *found)
{
	int bytes = a.words.recipe.elem_bytes;
	uint64_t have = vector_load_elem(a.got + elem * (uint64_t)bytes, bytes);
	uint64_t want = element_at(&a.words.recipe, a.first + elem);
	if (have == want || (a.tolerance && element_units_apart(have, want, bytes) <= a.tolerance))
		return;
	found->wrong_elems++;
	if (a.offset + elem < found->first_index)
		found->first_index = a.offset + elem;
}

/* COUNT vectors, a stride apart: all loads, then all comparisons. Wrong data cost more: they are looked at
 * one by one. */
template <enum words_kind KIND, int COUNT>
ELEMENT_FN void verify_vectors(
        const struct verify_arguments &a, uint64_t first, uint64_t stride, struct kernel_verdict *found)
{
	const char *vectors = a.got + a.span.head * (uint64_t)a.words.recipe.elem_bytes;
	uint4 got[COUNT];
#pragma unroll
	for (int u = 0; u < COUNT; u++)
		got[u] = vector_load(vectors + (first + (uint64_t)u * stride) * VECTOR_BYTES);
#pragma unroll
	for (int u = 0; u < COUNT; u++) {
		uint64_t v = first + (uint64_t)u * stride;
		uint4 want = words_vector<KIND, WORDS_RESULT>(a.words, v), have = got[u];
		if (((have.x ^ want.x) | (have.y ^ want.y) | (have.z ^ want.z) | (have.w ^ want.w)) == 0)
			continue;
		for (uint32_t i = 0; i < a.span.elems; i++)
			verify_elem(a, a.span.head + v * a.span.elems + i, found);
	}
}

template <enum words_kind KIND>
ELEMENT_FN struct kernel_verdict verify_work(const struct verify_arguments &a, struct vector_team team)
{
	struct kernel_verdict found = {0, ~0ull};
	uint64_t v = team.thread, stride = team.threads;
	for (; v + (VECTOR_UNROLL - 1) * stride < a.span.vectors; v += VECTOR_UNROLL * stride)
		verify_vectors<KIND, VECTOR_UNROLL>(a, v, stride, &found);
	for (; v < a.span.vectors; v += stride)
		verify_vectors<KIND, 1>(a, v, stride, &found);
	for (uint64_t i = team.thread; i < a.span.loose; i += stride)
		verify_elem(a, vector_loose(a.span, i), &found);
	return found;
}

#endif
