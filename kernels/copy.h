/* copy.h - copies with the device's processors instead of its copy engines. Moves 2 bytes a byte: reads src,
 * writes dst. Either may be a peer's memory: on the device that has src it is a put, on the one that has dst
 * a get. Runs at full speed where both are the same number of bytes after a multiple of 16; else goes byte by
 * byte. */
#ifndef KERNELS_COPY_H
#define KERNELS_COPY_H

#include <stddef.h>

struct CUstream_st;

#ifdef __cplusplus
extern "C" {
#endif

/* Enqueues; a CUDA error code. `blocks` at most, so that others have processors too; 0: all of them. */
int kernel_copy(void *dst, const void *src, size_t bytes, unsigned blocks, struct CUstream_st *);

#ifdef __cplusplus
}
#endif

#endif
