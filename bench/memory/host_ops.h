/* host_ops.h - the loops over host memory, compiled once for each set of vector instructions; host_ops() is
 * the widest that this CPU has. All sets give the same bits (of NaN only that it is one). Private to host*.c
 * and their tests. */
#ifndef BENCH_MEMORY_HOST_OPS_H
#define BENCH_MEMORY_HOST_OPS_H

#include "kernels/element.h"

#include <stdbool.h>
#include <stddef.h>

enum { HOST_REDUCTIONS = 4 }; /* OP_SUM to OP_MIN */

struct host_words { /* a run of words: from `word` on, all under one key */
	const struct element_recipe *recipe;
	struct element_key key;
	uint32_t word;
	size_t count;
};

struct host_ops {
	const char *name;
	bool (*runs)(void); /* on this CPU */
	/* dst[i] = a[i] op b[i]; dst may be a or b. Integers wrap. */
	void (*reduce[HOST_REDUCTIONS][DTYPES])(void *dst, const void *a, const void *b, size_t elems);
	/* dst[i] = src[i] x scalar, or / ranks (integers towards zero); dst may be src. */
	void (*scale[DTYPES])(void *dst, const void *src, size_t elems, double scalar);
	void (*divide[DTYPES])(void *dst, const void *src, size_t elems, int ranks);
	/* Writes words, or says whether any differs; [1] for words of 8 bytes. dst and got need no alignment.
	 */
	void (*fill[2])(const struct host_words *, void *dst);
	bool (*differ[2])(const struct host_words *, const void *got);
};

const struct host_ops *host_ops(void);

/* All that this build has, the widest first; NULL-terminated. */
extern const struct host_ops *const host_ops_all[];

#endif
