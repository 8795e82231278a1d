/* collective.c - the list of collectives, and the arithmetic of sizes. */
#include "bench/collective/collective.h"

#include <string.h>

extern const struct collective collective_all_reduce, collective_all_gather, collective_reduce_scatter,
        collective_alltoall, collective_alltoallv, collective_broadcast, collective_reduce, collective_gather,
        collective_scatter, collective_sendrecv, collective_hypercube;

const struct collective *const collectives[] = {
        &collective_all_reduce,
        &collective_all_gather,
        &collective_reduce_scatter,
        &collective_alltoall,
        &collective_alltoallv,
        &collective_broadcast,
        &collective_reduce,
        &collective_gather,
        &collective_scatter,
        &collective_sendrecv,
        &collective_hypercube,
        NULL,
};

const struct collective *collective_find(const char *name)
{
	for (int i = 0; collectives[i]; i++)
		if (!strcmp(collectives[i]->name, name))
			return collectives[i];
	return NULL;
}

size_t shape_size_bytes(const struct shape *s, size_t elem_bytes)
{
	return (s->send > s->recv ? s->send : s->recv) * elem_bytes;
}

size_t share_elems(size_t elems, size_t elem_bytes, int n)
{
	return elems / (size_t)n & ~(16 / elem_bytes - 1);
}
