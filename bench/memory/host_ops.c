/* host_ops.c - chooses the loops over host memory for this CPU, and hands them out by type and operation. */
#include "bench/memory/host_ops.h"

#include "bench/core/types.h"
#include "bench/memory/host.h"

#ifdef __x86_64__
#define WITH_PREFETCHW __attribute__((target("prfchw"))) /* does nothing on a CPU without it */
#else
#define WITH_PREFETCHW
#endif

extern const struct host_ops host_ops_plain, host_ops_avx2, host_ops_avx512;

const struct host_ops *const host_ops_all[] = {
#ifdef __x86_64__
        &host_ops_avx512,
        &host_ops_avx2,
#endif
        &host_ops_plain,
        NULL,
};

const struct host_ops *host_ops(void)
{
	static const struct host_ops *chosen; /* threads that race here choose the same */
	const struct host_ops *ops = __atomic_load_n(&chosen, __ATOMIC_RELAXED);
	if (ops)
		return ops;
	ops = &host_ops_plain;
	for (size_t i = 0; host_ops_all[i] && ops == &host_ops_plain; i++)
		if (host_ops_all[i]->runs())
			ops = host_ops_all[i];
	__atomic_store_n(&chosen, ops, __ATOMIC_RELAXED);
	return ops;
}

/* Asks for the lines of dst while the part before is being worked on: a store to a line that is far away
 * would stall the loop. Half as fast again where buffers lie in the third-level cache. */
WITH_PREFETCHW enum status host_reduce(
        void *dst, const void *a, const void *b, size_t elems, enum dtype t, enum redop op)
{
	enum { PART_BYTES = 2048, LINE_BYTES = 64 };
	void (*reduce)(void *, const void *, const void *, size_t) =
	        host_ops()->reduce[(int)op < HOST_REDUCTIONS ? op : OP_SUM][t];
	size_t elem_bytes = dtype_bytes(t), part = PART_BYTES / elem_bytes;
	for (; elems > 2 * part; elems -= part) {
		for (size_t i = 0; i < PART_BYTES; i += LINE_BYTES)
			__builtin_prefetch((char *)dst + PART_BYTES + i, 1);
		reduce(dst, a, b, part);
		dst = (char *)dst + PART_BYTES;
		a = (const char *)a + PART_BYTES;
		b = (const char *)b + PART_BYTES;
	}
	reduce(dst, a, b, elems);
	return ST_OK;
}

enum status host_scale(void *dst, const void *src, size_t elems, enum dtype t, double scalar)
{
	host_ops()->scale[t](dst, src, elems, scalar);
	return ST_OK;
}

enum status host_divide(void *dst, const void *src, size_t elems, enum dtype t, int ranks)
{
	host_ops()->divide[t](dst, src, elems, ranks);
	return ST_OK;
}
