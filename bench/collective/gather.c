/* gather.c - the root gets the inputs of all, in the order of ranks. */
#include "bench/collective/common.h"

static double pair_bytes(const struct shape *s, int n, int from, int to, int root, const struct traffic *t)
{
	(void)n, (void)t;
	return to == root && from != root ? (double)(s->send * s->elem_bytes) : 0;
}

extern const struct collective collective_gather;
const struct collective collective_gather = {
        .name = "gather",
        .help = "the root gets the inputs of all",
        .rooted = true,
        .checked_in_place = true,
        .runs_on = runs_anywhere,
        .shape = shape_gather,
        .blocks = block_per_rank_at_root,
        .block = block_gathered,
        .algo_bytes = algo_size,
        .bus_factor = factor_share,
        .ring_bytes = bytes_share,
        .ring_steps = steps_ring,
        .pair_bytes = pair_bytes,
};
