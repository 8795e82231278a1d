/* host_ops.c - chooses the loops over host memory for this CPU, and hands them out by type and operation. */
#include "bench/memory/host_ops.h"

#include "bench/memory/host.h"

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

enum status host_reduce(void *dst, const void *a, const void *b, size_t elems, enum dtype t, enum redop op)
{
	host_ops()->reduce[(int)op < HOST_REDUCTIONS ? op : OP_SUM][t](dst, a, b, elems);
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
