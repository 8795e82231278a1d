/* copy.cuh - the work of copy.cu, for host and device. */
#ifndef KERNELS_COPY_CUH
#define KERNELS_COPY_CUH

#include "kernels/vector.cuh"

/* A link answers later than memory does: more loads in flight. */
enum { COPY_UNROLL = 8 };

struct copy_arguments {
	struct vector_span span;
	char *dst;
	const char *src;
};

static inline struct copy_arguments copy_arguments_of(void *dst, const void *src, size_t bytes)
{
	struct copy_arguments c;
	c.span = vector_span_of(dst, (uintptr_t)dst ^ (uintptr_t)src, bytes, 1);
	c.dst = (char *)dst;
	c.src = (const char *)src;
	return c;
}

template <int COUNT>
ELEMENT_FN void copy_vectors(const struct copy_arguments &c, uint64_t first, uint64_t stride)
{
	uint4 data[COUNT];
#pragma unroll
	for (int u = 0; u < COUNT; u++)
		data[u] = vector_load(c.src + c.span.head + (first + (uint64_t)u * stride) * VECTOR_BYTES);
#pragma unroll
	for (int u = 0; u < COUNT; u++)
		vector_store(c.dst + c.span.head + (first + (uint64_t)u * stride) * VECTOR_BYTES, data[u]);
}

ELEMENT_FN void copy_work(const struct copy_arguments &c, struct vector_team team)
{
	uint64_t v = team.thread, stride = team.threads;
	for (; v + (COPY_UNROLL - 1) * stride < c.span.vectors; v += COPY_UNROLL * stride)
		copy_vectors<COPY_UNROLL>(c, v, stride);
	for (; v < c.span.vectors; v += stride)
		copy_vectors<1>(c, v, stride);
	for (uint64_t i = team.thread; i < c.span.loose; i += stride) {
		uint64_t at = vector_loose(c.span, i);
		c.dst[at] = c.src[at];
	}
}

#endif
