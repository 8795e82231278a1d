/* all_reduce.c - every rank gets the reduction of all inputs. */
#include "bench/collective/common.h"

/* On a ring: reduce-scatter, then all-gather, n-1 steps of S/n each. */
static double factor(int n)
{
	return 2 * (n - 1.0) / n;
}

static double ring_bytes(double size_bytes, int n)
{
	return size_bytes * factor(n);
}

static double ring_steps(int n)
{
	return 2 * (n - 1.0);
}

static double pair_bytes(const struct shape *s, int n, int from, int to, int root, const struct traffic *t)
{
	(void)root, (void)t;
	return pair_ring(s, n, from, to, ring_bytes((double)shape_size_bytes(s, s->elem_bytes), n));
}

extern const struct collective collective_all_reduce;
const struct collective collective_all_reduce = {
        .name = "all_reduce",
        .help = "every rank gets the reduction of all inputs",
        .reduces = true,
        .checked_in_place = true,
        .runs_on = runs_anywhere,
        .shape = shape_whole,
        .blocks = one_block,
        .block = block_reduced,
        .algo_bytes = algo_size,
        .bus_factor = factor,
        .ring_bytes = ring_bytes,
        .ring_steps = ring_steps,
        .pair_bytes = pair_bytes,
};
