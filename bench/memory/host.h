/* host.h - the parts of the host memory kind; private to host*.c and their tests. */
#ifndef BENCH_MEMORY_HOST_H
#define BENCH_MEMORY_HOST_H

#include "bench/memory/memory.h"

extern const struct memory_kind memory_host;

enum status host_fill(const struct pattern *, int rank, uint64_t first, void *dst, size_t elems);
enum status host_verify(const struct pattern *, int source, uint64_t first, const void *got, size_t elems,
        struct mismatch *out);
enum status host_copy_through(void *dst, const void *src, size_t bytes);
enum status host_reduce(void *dst, const void *a, const void *b, size_t elems, enum dtype, enum redop);
enum status host_scale(void *dst, const void *src, size_t elems, enum dtype, double scalar);
enum status host_divide(void *dst, const void *src, size_t elems, enum dtype, int ranks);

#endif
