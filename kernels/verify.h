/* verify.h - compares data with what they must be, where they are. Moves elem_bytes an element: reads each
 * once. */
#ifndef KERNELS_VERIFY_H
#define KERNELS_VERIFY_H

#include "kernels/element.h"

#include <stddef.h>

struct CUstream_st;

struct kernel_verdict { /* in memory that the device can write */
	unsigned long long wrong_elems;
	unsigned long long first_index; /* of a wrong one, counted from got; all ones when there is none */
};

#ifdef __cplusplus
extern "C" {
#endif

/* got[i] against element first + i of a result's recipe, floats within `tolerance` units in the last place
 * (0: bit for bit). Sets *verdict in stream order. Enqueues; a CUDA error code. got is aligned to its
 * elements. */
struct kernel_expected {
	const struct element_recipe *recipe;
	uint64_t first;
	int tolerance;
};
int kernel_verify(const struct kernel_expected *, const void *got, size_t elems, struct kernel_verdict *,
        struct CUstream_st *);

#ifdef __cplusplus
}
#endif

#endif
