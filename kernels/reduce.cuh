/* reduce.cuh - the work of reduce.cu, for host and device: one function for operations on two buffers, one
 * for operations on one. */
#ifndef KERNELS_REDUCE_CUH
#define KERNELS_REDUCE_CUH

#include "kernels/numbers.cuh"
#include "kernels/reduce.h"
#include "kernels/vector.cuh"

struct reduce_arguments {
	struct vector_span span;
	char *dst;
	const char *a, *b;
	int elem_bytes, ranks;
	double scalar;
};

static inline struct reduce_arguments reduce_arguments_of(const struct kernel_operands *o, int elem_bytes)
{
	struct reduce_arguments r;
	uintptr_t dst = (uintptr_t)o->dst, differ = dst ^ (uintptr_t)o->a;
	if (o->b)
		differ |= dst ^ (uintptr_t)o->b;
	r.span = vector_span_of(o->dst, differ, o->elems, elem_bytes);
	r.dst = (char *)o->dst;
	r.a = (const char *)o->a;
	r.b = (const char *)o->b;
	r.elem_bytes = elem_bytes;
	r.ranks = 1;
	r.scalar = 1;
	return r;
}

struct op_sum {
	template <typename N> ELEMENT_FN typename N::number of(typename N::number a, typename N::number b)
	{
		return N::add(a, b);
	}
};
struct op_prod {
	template <typename N> ELEMENT_FN typename N::number of(typename N::number a, typename N::number b)
	{
		return N::multiply(a, b);
	}
};
struct op_max {
	template <typename N> ELEMENT_FN typename N::number of(typename N::number a, typename N::number b)
	{
		return N::larger(a, b);
	}
};
struct op_min {
	template <typename N> ELEMENT_FN typename N::number of(typename N::number a, typename N::number b)
	{
		return N::smaller(a, b);
	}
};

struct op_scale {
	template <typename N>
	ELEMENT_FN typename N::number of(const struct reduce_arguments &r, typename N::number x)
	{
		return N::scale(x, (typename N::factor)r.scalar);
	}
};
struct op_divide {
	template <typename N>
	ELEMENT_FN typename N::number of(const struct reduce_arguments &r, typename N::number x)
	{
		return N::divide(x, r.ranks);
	}
};

/* A vector, and a loose element in the low bytes of what is stored. */
template <typename N> union reduce_vector {
	uint4 whole;
	typename N::stored part[VECTOR_BYTES / sizeof(typename N::stored)];
};

template <typename N> union reduce_elem {
	uint64_t bits;
	typename N::stored stored;
};

template <typename N, typename OP>
ELEMENT_FN typename N::stored reduce_two(typename N::stored a, typename N::stored b)
{
	return N::store(OP::template of<N>(N::load(a), N::load(b)));
}

/* COUNT vectors, a stride apart: all loads, then all stores. */
template <typename N, typename OP, int COUNT>
ELEMENT_FN void reduce_vectors(const struct reduce_arguments &r, uint64_t first, uint64_t stride)
{
	uint64_t head = r.span.head * (uint64_t)r.elem_bytes;
	union reduce_vector<N> a[COUNT], b[COUNT];
#pragma unroll
	for (int u = 0; u < COUNT; u++) {
		uint64_t at = head + (first + (uint64_t)u * stride) * VECTOR_BYTES;
		a[u].whole = vector_load(r.a + at);
		b[u].whole = vector_load(r.b + at);
	}
#pragma unroll
	for (int u = 0; u < COUNT; u++) {
#pragma unroll
		for (unsigned i = 0; i < sizeof a[u].part / sizeof a[u].part[0]; i++)
			a[u].part[i] = reduce_two<N, OP>(a[u].part[i], b[u].part[i]);
		vector_store(r.dst + head + (first + (uint64_t)u * stride) * VECTOR_BYTES, a[u].whole);
	}
}

template <typename N, typename OP>
ELEMENT_FN void reduce_work(const struct reduce_arguments &r, struct vector_team team)
{
	uint64_t v = team.thread, stride = team.threads;
	for (; v + (VECTOR_UNROLL - 1) * stride < r.span.vectors; v += VECTOR_UNROLL * stride)
		reduce_vectors<N, OP, VECTOR_UNROLL>(r, v, stride);
	for (; v < r.span.vectors; v += stride)
		reduce_vectors<N, OP, 1>(r, v, stride);
	for (uint64_t i = team.thread; i < r.span.loose; i += stride) {
		uint64_t at = vector_loose(r.span, i) * (uint64_t)r.elem_bytes;
		union reduce_elem<N> a, b;
		a.bits = vector_load_elem(r.a + at, r.elem_bytes);
		b.bits = vector_load_elem(r.b + at, r.elem_bytes);
		a.stored = reduce_two<N, OP>(a.stored, b.stored);
		vector_store_elem(r.dst + at, a.bits, r.elem_bytes);
	}
}

template <typename N, typename OP, int COUNT>
ELEMENT_FN void reduce_map_vectors(const struct reduce_arguments &r, uint64_t first, uint64_t stride)
{
	uint64_t head = r.span.head * (uint64_t)r.elem_bytes;
	union reduce_vector<N> a[COUNT];
#pragma unroll
	for (int u = 0; u < COUNT; u++)
		a[u].whole = vector_load(r.a + head + (first + (uint64_t)u * stride) * VECTOR_BYTES);
#pragma unroll
	for (int u = 0; u < COUNT; u++) {
#pragma unroll
		for (unsigned i = 0; i < sizeof a[u].part / sizeof a[u].part[0]; i++)
			a[u].part[i] = N::store(OP::template of<N>(r, N::load(a[u].part[i])));
		vector_store(r.dst + head + (first + (uint64_t)u * stride) * VECTOR_BYTES, a[u].whole);
	}
}

template <typename N, typename OP>
ELEMENT_FN void reduce_map_work(const struct reduce_arguments &r, struct vector_team team)
{
	uint64_t v = team.thread, stride = team.threads;
	for (; v + (VECTOR_UNROLL - 1) * stride < r.span.vectors; v += VECTOR_UNROLL * stride)
		reduce_map_vectors<N, OP, VECTOR_UNROLL>(r, v, stride);
	for (; v < r.span.vectors; v += stride)
		reduce_map_vectors<N, OP, 1>(r, v, stride);
	for (uint64_t i = team.thread; i < r.span.loose; i += stride) {
		uint64_t at = vector_loose(r.span, i) * (uint64_t)r.elem_bytes;
		union reduce_elem<N> a;
		a.bits = vector_load_elem(r.a + at, r.elem_bytes);
		a.stored = N::store(OP::template of<N>(r, N::load(a.stored)));
		vector_store_elem(r.dst + at, a.bits, r.elem_bytes);
	}
}

#endif
