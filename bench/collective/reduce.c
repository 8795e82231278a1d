/* reduce.c - the root gets the reduction of all inputs. */
#include "bench/collective/common.h"

static double pair_bytes(const struct shape *s, int n, int from, int to, int root, const struct traffic *t)
{
	(void)t;
	return from != root ? pair_ring(s, n, from, to, (double)(s->send * s->elem_bytes)) : 0;
}

extern const struct collective collective_reduce;
const struct collective collective_reduce = {
        .name = "reduce",
        .help = "the root gets the reduction of all inputs",
        .reduces = true,
        .rooted = true,
        .checked_in_place = true,
        .runs_on = runs_anywhere,
        .shape = shape_whole,
        .blocks = one_block_at_root,
        .block = block_reduced,
        .algo_bytes = algo_size,
        .bus_factor = factor_one,
        .ring_bytes = bytes_all,
        .ring_steps = steps_ring,
        .pair_bytes = pair_bytes,
};
