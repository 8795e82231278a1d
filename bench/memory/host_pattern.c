/* host_pattern.c - fill and verify host memory: single elements up to a whole word, runs of words, and the
 * rest. What the words hold is recipe.c's business, how fast they are made that of host_loops.inc. */
#include "bench/memory/host.h"

#include "bench/memory/host_ops.h"
#include "bench/memory/recipe.h"

#include <math.h>
#include <string.h>

/* Words looked at together, few enough that looking again for the wrong one costs nothing. */
enum { RUN_WORDS = 1024 };

static int in_word(const struct element_recipe *r)
{
	return r->word_bytes / r->elem_bytes;
}

/* Elements that stand before the next whole word, or are left after the last one. */
static size_t loose_elems(const struct element_recipe *r, uint64_t first, size_t elems)
{
	size_t per = (size_t)in_word(r), after = (size_t)(first % per);
	size_t loose = after ? per - after : elems < per ? elems : 0;
	return loose < elems ? loose : elems;
}

/* The words of the next elements, `most` at most, that share a key. */
static struct host_words words_at(const struct element_recipe *r, uint64_t first, size_t elems, size_t most)
{
	uint64_t word = first / (uint64_t)in_word(r), left = (UINT64_C(1) << 32) - (uint32_t)word;
	size_t count = elems / (size_t)in_word(r);
	count = count < most ? count : most;
	count = count < left ? count : (size_t)left;
	return (struct host_words){r, element_key_of(r->seed, word), (uint32_t)word, count};
}

enum status host_fill(const struct pattern *p, int rank, uint64_t first, void *dst, size_t elems)
{
	struct element_recipe r;
	recipe_of_input(p, rank, &r);
	char *at = dst;
	while (elems) {
		size_t done = loose_elems(&r, first, elems);
		for (size_t i = 0; i < done; i++) {
			uint64_t bits = element_at(&r, first + i);
			memcpy(at + i * (size_t)r.elem_bytes, &bits, (size_t)r.elem_bytes);
		}
		if (!done) {
			struct host_words w = words_at(&r, first, elems, UINT32_MAX);
			host_ops()->fill[r.word_bytes == 8](&w, at);
			done = w.count * (size_t)in_word(&r);
		}
		first += done;
		elems -= done;
		at += done * (size_t)r.elem_bytes;
	}
	return ST_OK;
}

/* A pattern as a number, for people. */
static double number(enum dtype t, uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	switch (t) {
	case DT_INT8:
		return (int8_t)bits;
	case DT_INT32:
		return (int32_t)bits;
	case DT_INT64:
		return (double)(int64_t)bits;
	case DT_HALF:
		return (double)half_to_float(low);
	case DT_FLOAT:
		return (double)float_of_bits(low);
	case DT_DOUBLE:
		return double_of_bits(bits);
	case DT_BFLOAT16:
		return (double)bfloat16_to_float(low);
	case DT_F8E4M3:
		return (double)f8e4m3_to_float(low);
	case DT_F8E5M2:
		return (double)f8e5m2_to_float(low);
	default:
		return (double)bits;
	}
}

struct judge {
	enum dtype dtype;
	uint64_t tolerance;
	const struct element_recipe *recipe;
	struct mismatch *found;
};

/* Element by element; `index` counts from the start of the verified range. */
static void judge_elems(const struct judge *j, uint64_t first, uint64_t index, const char *got, size_t elems)
{
	int bytes = j->recipe->elem_bytes;
	for (size_t i = 0; i < elems; i++) {
		uint64_t have = 0, want = element_at(j->recipe, first + i);
		memcpy(&have, got + i * (size_t)bytes, (size_t)bytes);
		if (have == want || (j->tolerance && element_units_apart(have, want, bytes) <= j->tolerance))
			continue;
		if (!j->found->wrong_elems++) {
			j->found->first_index = index + i;
			j->found->got = number(j->dtype, have);
			j->found->expected = number(j->dtype, want);
		}
	}
}

enum status host_verify(const struct pattern *p, int source, uint64_t first, const void *got, size_t elems,
        struct mismatch *out)
{
	struct element_recipe r;
	recipe_of_result(p, source, &r);
	*out = (struct mismatch){.got = NAN, .expected = NAN};
	struct judge judge = {p->dtype, (uint64_t)recipe_tolerance(p), &r, out};
	const char *at = got;
	for (uint64_t index = 0; elems;) {
		size_t done = loose_elems(&r, first, elems);
		bool differ = done;
		if (!done) {
			struct host_words w = words_at(&r, first, elems, RUN_WORDS);
			differ = host_ops()->differ[r.word_bytes == 8](&w, at);
			done = w.count * (size_t)in_word(&r);
		}
		if (differ)
			judge_elems(&judge, first, index, at, done);
		first += done;
		index += done;
		elems -= done;
		at += done * (size_t)r.elem_bytes;
	}
	return ST_OK;
}
