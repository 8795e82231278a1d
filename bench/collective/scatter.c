/* scatter.c - every rank gets its share of the input of the root. */
#include "bench/collective/common.h"

static struct block block(const struct shape *s, int n, int rank, int root, int i, const struct traffic *t)
{
	(void)n, (void)i, (void)t;
	return (struct block){.source = root, .source_offset = (size_t)rank * s->recv, .elems = s->recv};
}

static double pair_bytes(const struct shape *s, int n, int from, int to, int root, const struct traffic *t)
{
	(void)n, (void)t;
	return from == root && to != root ? (double)(s->recv * s->elem_bytes) : 0;
}

extern const struct collective collective_scatter;
const struct collective collective_scatter = {
        .name = "scatter",
        .help = "every rank gets its share of the root's input",
        .rooted = true,
        .checked_in_place = true,
        .runs_on = runs_anywhere,
        .shape = shape_scatter,
        .blocks = one_block,
        .block = block,
        .algo_bytes = algo_size,
        .bus_factor = factor_share,
        .ring_bytes = bytes_share,
        .ring_steps = steps_ring,
        .pair_bytes = pair_bytes,
};
