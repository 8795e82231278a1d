/* broadcast.c - every rank gets the input of the root. */
#include "bench/collective/common.h"

static struct block block(const struct shape *s, int n, int rank, int root, int i, const struct traffic *t)
{
	(void)n, (void)rank, (void)i, (void)t;
	return (struct block){.source = root, .elems = s->recv};
}

static double pair_bytes(const struct shape *s, int n, int from, int to, int root, const struct traffic *t)
{
	(void)t;
	return to != root ? pair_ring(s, n, from, to, (double)(s->send * s->elem_bytes)) : 0;
}

extern const struct collective collective_broadcast;
const struct collective collective_broadcast = {
        .name = "broadcast",
        .help = "every rank gets the input of the root",
        .rooted = true,
        .checked_in_place = true,
        .runs_on = runs_anywhere,
        .shape = shape_whole,
        .blocks = one_block,
        .block = block,
        .algo_bytes = algo_size,
        .bus_factor = factor_one,
        .ring_bytes = bytes_all,
        .ring_steps = steps_ring,
        .pair_bytes = pair_bytes,
};
