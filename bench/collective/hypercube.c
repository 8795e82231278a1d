/* hypercube.c - an all_gather by recursive doubling: neighbours along each dimension exchange all they have.
 */
#include "bench/collective/common.h"

static enum status runs_on(int n)
{
	if (n & (n - 1))
		return fail(ST_UNSUPPORTED, "nRanks %d is not a power of 2, skipping", n);
	return ST_OK;
}

/* nccl-tests counts what a rank receives, not the size column. */
static double algo_bytes(const struct shape *s, size_t elem_bytes, int n)
{
	return (double)(s->count * elem_bytes) * (n - 1.0);
}

static double steps(int n)
{
	double dimensions = 0;
	for (int reach = 1; reach < n; reach *= 2)
		dimensions++;
	return dimensions;
}

/* Along dimension d, neighbours exchange the 2^d shares that they have by then. */
static double pair_bytes(const struct shape *s, int n, int from, int to, int root, const struct traffic *t)
{
	(void)root, (void)t;
	for (int reach = 1; reach < n; reach *= 2)
		if (to == (from ^ reach))
			return (double)(s->send * s->elem_bytes) * reach;
	return 0;
}

extern const struct collective collective_hypercube;
const struct collective collective_hypercube = {
        .name = "hypercube",
        .help = "an all_gather by recursive doubling",
        .checked_in_place = true,
        .redop_column = "",
        .runs_on = runs_on,
        .shape = shape_gather,
        .blocks = block_per_rank,
        .block = block_gathered,
        .algo_bytes = algo_bytes,
        .bus_factor = factor_one,
        .ring_bytes = bytes_share,
        .ring_steps = steps,
        .pair_bytes = pair_bytes,
};
