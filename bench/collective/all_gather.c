/* all_gather.c - every rank gets the inputs of all, in the order of ranks. */
#include "bench/collective/common.h"

static double pair_bytes(const struct shape *s, int n, int from, int to, int root, const struct traffic *t)
{
	(void)root, (void)t;
	return pair_ring(s, n, from, to, bytes_share((double)shape_size_bytes(s, s->elem_bytes), n));
}

extern const struct collective collective_all_gather;
const struct collective collective_all_gather = {
        .name = "all_gather",
        .help = "every rank gets the inputs of all",
        .checked_in_place = true,
        .runs_on = runs_anywhere,
        .shape = shape_gather,
        .blocks = block_per_rank,
        .block = block_gathered,
        .algo_bytes = algo_size,
        .bus_factor = factor_share,
        .ring_bytes = bytes_share,
        .ring_steps = steps_ring,
        .pair_bytes = pair_bytes,
};
