/* reduce_scatter.c - every rank gets its share of the reduction of all inputs. */
#include "bench/collective/common.h"

static struct block block(const struct shape *s, int n, int rank, int root, int i, const struct traffic *t)
{
	(void)n, (void)root, (void)i, (void)t;
	return (struct block){.source = ALL_RANKS, .source_offset = (size_t)rank * s->recv, .elems = s->recv};
}

static double pair_bytes(const struct shape *s, int n, int from, int to, int root, const struct traffic *t)
{
	(void)root, (void)t;
	return pair_ring(s, n, from, to, bytes_share((double)shape_size_bytes(s, s->elem_bytes), n));
}

extern const struct collective collective_reduce_scatter;
const struct collective collective_reduce_scatter = {
        .name = "reduce_scatter",
        .help = "every rank gets its share of the reduction",
        .reduces = true,
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
