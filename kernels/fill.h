/* fill.h - writes test data where the device is. Moves elem_bytes a byte of buffer: writes each element once.
 */
#ifndef KERNELS_FILL_H
#define KERNELS_FILL_H

#include "kernels/element.h"

#include <stddef.h>

struct CUstream_st;

#ifdef __cplusplus
extern "C" {
#endif

/* dst[i] = element first + i of the recipe. Enqueues; a CUDA error code. dst is aligned to its elements. */
int kernel_fill(const struct element_recipe *, uint64_t first, void *dst, size_t elems, struct CUstream_st *);

#ifdef __cplusplus
}
#endif

#endif
