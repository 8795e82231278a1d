/* fill.cuh - the work of fill.cu, for host and device. */
#ifndef KERNELS_FILL_CUH
#define KERNELS_FILL_CUH

#include "kernels/words.cuh"

struct fill_arguments {
	struct words words;
	struct vector_span span;
	uint64_t first;
	char *dst;
};

static inline struct fill_arguments fill_arguments_of(
        const struct element_recipe *recipe, uint64_t first, void *dst, uint64_t elems)
{
	struct fill_arguments a;
	a.span = vector_span_of(dst, 0, elems, recipe->elem_bytes);
	a.words = words_of(recipe, first + a.span.head);
	a.first = first;
	a.dst = (char *)dst;
	return a;
}

template <enum words_kind KIND, enum words_role ROLE>
ELEMENT_FN void fill_work(const struct fill_arguments &a, struct vector_team team)
{
	uint64_t bytes = (uint64_t)a.words.recipe.elem_bytes;
	char *vectors = a.dst + a.span.head * bytes;
	for (uint64_t v = team.thread; v < a.span.vectors; v += team.threads)
		vector_store(vectors + v * VECTOR_BYTES, words_vector<KIND, ROLE>(a.words, v));
	for (uint64_t i = team.thread; i < a.span.loose; i += team.threads) {
		uint64_t elem = vector_loose(a.span, i);
		vector_store_elem(
		        a.dst + elem * bytes, element_at(&a.words.recipe, a.first + elem), (int)bytes);
	}
}

#endif
