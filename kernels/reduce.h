/* reduce.h - combines buffers where they are, with the bits that host memory's reduce gives (of NaN only that
 * it is one). Moves 3 x elem_bytes an element for reduce (reads a and b, writes dst), 2 x elem_bytes for
 * scale and divide. Runs at full speed where all addresses are the same number of bytes after a multiple
 * of 16. */
#ifndef KERNELS_REDUCE_H
#define KERNELS_REDUCE_H

#include "kernels/types.h"

#include <stddef.h>

struct CUstream_st;

#ifdef __cplusplus
extern "C" {
#endif

struct kernel_operands {
	void *dst;
	const void *a, *b; /* b: reduce alone. dst may be a or b */
	size_t elems;
	enum dtype dtype;
};

/* dst[i] = a[i] op b[i]; op is SUM, PROD, MAX or MIN; integers wrap. All three enqueue and give a CUDA error
 * code. */
int kernel_reduce(const struct kernel_operands *, enum redop, struct CUstream_st *);

/* dst[i] = a[i] x scalar, which is a whole number for integers; dst[i] = a[i] / ranks, integers towards zero.
 */
int kernel_scale(const struct kernel_operands *, double scalar, struct CUstream_st *);
int kernel_divide(const struct kernel_operands *, int ranks, struct CUstream_st *);

#ifdef __cplusplus
}
#endif

#endif
