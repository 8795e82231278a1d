/* memory.h - the kinds of memory that buffers live in. Work on data happens where the data is.
 * Every hook can fail; none prints unless it decides which error it is (see status.h). */
#ifndef BENCH_MEMORY_MEMORY_H
#define BENCH_MEMORY_MEMORY_H

#include "bench/core/status.h"
#include "kernels/types.h"

#include <stdint.h>

struct memory_kind;
struct device_facts; /* core/provenance.h */

struct buffer {
	const struct memory_kind *kind;
	void *base; /* page aligned */
	size_t bytes;
	int device;
	int share_fd; /* host: a memfd that other processes of the user may map; -1 when it cannot be shared
	               */
};

/* What a buffer holds: `rank`'s input to (or the result of) a collective over `ranks` ranks.
 * The inputs are crafted so that every order of reduction gives the same bits; see kernels/element.h. */
struct pattern {
	enum dtype dtype;
	enum redop redop; /* OP_NONE: plain data that names its source rank and index */
	uint64_t seed;    /* the repetition; another seed, other values */
	int ranks;
};

struct mismatch { /* of one verify call */
	uint64_t wrong_elems;
	uint64_t first_index; /* meaningful when wrong_elems > 0 */
	double got, expected; /* the first wrong element, as numbers */
};

struct memory_kind {
	const char *name, *help;
	/* Why not, in `why`, when the answer is ST_UNSUPPORTED. */
	enum status (*probe)(char *why, size_t why_bytes);
	/* What a rank that drives this device prints about it. NULL: the CPU's model and the thread's NUMA node. */
	enum status (*describe)(int device, struct device_facts *out);
	enum status (*alloc)(int device, size_t bytes, struct buffer *out);
	void (*free)(struct buffer *);
	enum status (*zero)(void *dst, size_t bytes);
	enum status (*copy)(void *dst, const void *src, size_t bytes);
	/* The same past the caches, for what nobody will read soon: spares reading dst. NULL: copy. */
	enum status (*copy_through)(void *dst, const void *src, size_t bytes);
	/* dst[i] = what `rank` contributes at element first + i. */
	enum status (*fill)(const struct pattern *, int rank, uint64_t first, void *dst, size_t elems);
	/* got[i] against the reduction over all ranks (pattern.redop != OP_NONE), or against what `source`
	 * contributed, at element first + i. Bit for bit, but floating avg: within 2 units in the last place.
	 */
	enum status (*verify)(const struct pattern *, int source, uint64_t first, const void *got,
	        size_t elems, struct mismatch *out);
	/* dst[i] = a[i] op b[i]; op is SUM PROD MAX or MIN (avg and mulsum are sums of scaled inputs). dst
	 * may be a or b. */
	enum status (*reduce)(void *dst, const void *a, const void *b, size_t elems, enum dtype, enum redop);
	/* dst[i] = src[i] x scalar (mulsum: before the sum), or src[i] / ranks (avg: after it); dst may be
	 * src. */
	enum status (*scale)(void *dst, const void *src, size_t elems, enum dtype, double scalar);
	enum status (*divide)(void *dst, const void *src, size_t elems, enum dtype, int ranks);
};

#endif
