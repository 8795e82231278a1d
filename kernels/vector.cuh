/* vector.cuh - what the kernels have in common: 16-byte accesses, the division of a run of elements into
 * vectors and loose elements, and grids as large as the device. The work of a kernel is a function of a
 * thread's number among all threads that also compiles for the host, where the tests run it. Not a public
 * face. */
#ifndef KERNELS_VECTOR_CUH
#define KERNELS_VECTOR_CUH

#include "kernels/element.h"

#include <cuda_runtime.h>

enum { VECTOR_BYTES = 16, VECTOR_THREADS = 256 };

/* Loads in flight of each thread: enough for the memory of a device at 8 warps a scheduler. */
enum { VECTOR_UNROLL = 4 };

/* Data that are used once need not stay in the caches. */
ELEMENT_FN uint4 vector_load(const void *from)
{
#ifdef __CUDA_ARCH__
	return __ldcs((const uint4 *)from);
#else
	return *(const uint4 *)from;
#endif
}

ELEMENT_FN void vector_store(void *to, uint4 value)
{
#ifdef __CUDA_ARCH__
	__stcs((uint4 *)to, value);
#else
	*(uint4 *)to = value;
#endif
}

struct vector_span {
	uint64_t head; /* loose elements before the first vector */
	uint64_t vectors;
	uint64_t loose; /* all loose elements, those of the head too */
	uint32_t elems; /* of a vector */
};

/* Of a run that starts at an address, and at others that differ from it in these bits. Where they are not
 * whole vectors apart, everything is loose. */
static inline struct vector_span vector_span_of(
        const void *at, uintptr_t differ, uint64_t elems, int elem_bytes)
{
	struct vector_span s;
	uint64_t before = (0 - (uint64_t)(uintptr_t)at) % VECTOR_BYTES / (uint64_t)elem_bytes;
	s.elems = VECTOR_BYTES / (uint32_t)elem_bytes;
	s.head = before < elems ? before : elems;
	s.vectors = differ % VECTOR_BYTES ? 0 : (elems - s.head) / s.elems;
	s.loose = elems - s.vectors * s.elems;
	return s;
}

/* Which element the i-th loose one is. */
ELEMENT_FN uint64_t vector_loose(const struct vector_span &s, uint64_t i)
{
	return i < s.head ? i : i + s.vectors * s.elems;
}

ELEMENT_FN uint64_t vector_load_elem(const void *from, int bytes)
{
	return bytes == 8   ? *(const uint64_t *)from
	       : bytes == 4 ? *(const uint32_t *)from
	       : bytes == 2 ? *(const uint16_t *)from
	                    : *(const uint8_t *)from;
}

ELEMENT_FN void vector_store_elem(void *to, uint64_t bits, int bytes)
{
	if (bytes == 8)
		*(uint64_t *)to = bits;
	else if (bytes == 4)
		*(uint32_t *)to = (uint32_t)bits;
	else if (bytes == 2)
		*(uint16_t *)to = (uint16_t)bits;
	else
		*(uint8_t *)to = (uint8_t)bits;
}

/* As many blocks as the device holds at once, or as there is work for. */
template <typename Kernel>
static cudaError_t vector_blocks(Kernel *kernel, struct vector_span s, unsigned *blocks_p)
{
	int device, processors, resident;
	cudaError_t e = cudaGetDevice(&device);
	if (e == cudaSuccess)
		e = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
	if (e == cudaSuccess)
		e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, VECTOR_THREADS, 0);
	if (e != cudaSuccess)
		return e;
	uint64_t most = (uint64_t)processors * (uint64_t)resident;
	uint64_t threads = s.vectors > s.loose ? s.vectors : s.loose;
	uint64_t blocks = (threads + VECTOR_THREADS - 1) / VECTOR_THREADS;
	*blocks_p = (unsigned)(blocks < most ? blocks : most);
	return cudaSuccess;
}

/* Starts a kernel whose one parameter is its arguments, with a member `span`; in `most` blocks, or 0: no
 * limit. */
template <typename Arguments>
static int vector_launch(
        void (*kernel)(const Arguments), const Arguments &arguments, cudaStream_t stream, unsigned most = 0)
{
	unsigned blocks;
	if (!arguments.span.vectors && !arguments.span.loose)
		return cudaSuccess;
	cudaError_t e = vector_blocks(kernel, arguments.span, &blocks);
	if (e != cudaSuccess)
		return e;
	blocks = most && most < blocks ? most : blocks;
	kernel<<<blocks, VECTOR_THREADS, 0, stream>>>(arguments);
	return cudaGetLastError();
}

/* A thread's number among all, and how many there are. */
struct vector_team {
	uint64_t thread, threads;
};

static __device__ __forceinline__ struct vector_team vector_team_of_grid(void)
{
	struct vector_team t = {
	        (uint64_t)blockIdx.x * VECTOR_THREADS + threadIdx.x, (uint64_t)gridDim.x * VECTOR_THREADS};
	return t;
}

#endif
