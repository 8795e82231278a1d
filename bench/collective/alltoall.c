/* alltoall.c - every rank sends another share of its input to each rank. */
#include "bench/collective/common.h"

static struct shape shape(size_t elems, size_t elem_bytes, int n, const struct traffic *t)
{
	(void)t;
	size_t share = share_elems(elems, elem_bytes, n);
	return (struct shape){.count = share,
	        .elem_bytes = elem_bytes,
	        .send = share * (size_t)n,
	        .recv = share * (size_t)n};
}

static struct block block(const struct shape *s, int n, int rank, int root, int i, const struct traffic *t)
{
	(void)n, (void)root, (void)t;
	return (struct block){
	        .source = i,
	        .source_offset = (size_t)rank * s->count,
	        .offset = (size_t)i * s->count,
	        .elems = s->count,
	};
}

static double pair_bytes(const struct shape *s, int n, int from, int to, int root, const struct traffic *t)
{
	(void)n, (void)root, (void)t;
	return from != to ? (double)(s->count * s->elem_bytes) : 0;
}

extern const struct collective collective_alltoall;
const struct collective collective_alltoall = {
        .name = "alltoall",
        .help = "every rank sends another share to each rank",
        .runs_on = runs_anywhere,
        .shape = shape,
        .blocks = block_per_rank,
        .block = block,
        .algo_bytes = algo_size,
        .bus_factor = factor_share,
        .ring_bytes = bytes_share,
        .ring_steps = steps_ring,
        .pair_bytes = pair_bytes,
};
