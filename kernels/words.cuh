/* words.cuh - the test data of element.h, 16 bytes at a time: what fill.cu writes and verify.cu expects. */
#ifndef KERNELS_WORDS_CUH
#define KERNELS_WORDS_CUH

#include "kernels/vector.cuh"

/* Words of 4 bytes that start where a vector does, or in the middle of one; words of 8 bytes. */
enum words_kind { WORDS_ALIGNED, WORDS_SHIFTED, WORDS_WIDE };

struct words {
	struct element_recipe recipe;
	struct element_key key; /* of all of them */
	uint32_t first;         /* word in which the first vector starts */
	uint32_t shift;         /* at this bit */
	enum words_kind kind;
};

/* How many of the next elements have their words under one key. */
static inline uint64_t words_run(const struct element_recipe *r, uint64_t elem, uint64_t elems)
{
	uint64_t in_word = (uint64_t)(r->word_bytes / r->elem_bytes);
	uint64_t left = ((elem / in_word >> 32) + 1) * in_word * ((uint64_t)1 << 32) - elem;
	return elems < left ? elems : left;
}

static inline struct words words_of(const struct element_recipe *r, uint64_t elem)
{
	struct words w;
	uint64_t in_word = (uint64_t)(r->word_bytes / r->elem_bytes), word = elem / in_word;
	w.recipe = *r;
	w.first = (uint32_t)word;
	w.shift = (uint32_t)(elem % in_word) * 8 * (uint32_t)r->elem_bytes;
	w.key = element_key_of(r->seed, word);
	w.kind = r->word_bytes == 8 ? WORDS_WIDE : w.shift ? WORDS_SHIFTED : WORDS_ALIGNED;
	return w;
}

/* What a word is made as. */
enum words_role { WORDS_SHARE, WORDS_SHARE_OF_ALL, WORDS_RESULT };

template <enum words_role ROLE> ELEMENT_FN uint32_t words_narrow(const struct words &w, uint32_t word)
{
	uint32_t hash = element_hash32(w.key, word);
	return ROLE == WORDS_RESULT ? element_result32(&w.recipe, hash)
	                            : element_share32(&w.recipe, hash, ROLE == WORDS_SHARE_OF_ALL);
}

template <enum words_role ROLE> ELEMENT_FN uint64_t words_wide(const struct words &w, uint32_t word)
{
	uint64_t hash = element_hash64(w.key, word);
	return ROLE == WORDS_RESULT ? element_result64(&w.recipe, hash)
	                            : element_share64(&w.recipe, hash, ROLE == WORDS_SHARE_OF_ALL);
}

/* The v-th vector from the start. */
template <enum words_kind KIND, enum words_role ROLE>
ELEMENT_FN uint4 words_vector(const struct words &w, uint64_t v)
{
	uint32_t out[4], word = w.first + (KIND == WORDS_WIDE ? 2 : 4) * (uint32_t)v;
	if (KIND == WORDS_WIDE) {
		for (uint32_t i = 0; i < 2; i++) {
			uint64_t wide = words_wide<ROLE>(w, word + i);
			out[2 * i] = (uint32_t)wide;
			out[2 * i + 1] = (uint32_t)(wide >> 32);
		}
	} else if (KIND == WORDS_ALIGNED) {
		for (uint32_t i = 0; i < 4; i++)
			out[i] = words_narrow<ROLE>(w, word + i);
	} else {
		uint32_t low = words_narrow<ROLE>(w, word);
		for (uint32_t i = 0; i < 4; i++) {
			uint32_t high = words_narrow<ROLE>(w, word + i + 1);
			out[i] = (uint32_t)(((uint64_t)high << 32 | low) >> w.shift);
			low = high;
		}
	}
	return make_uint4(out[0], out[1], out[2], out[3]);
}

#endif
