/* sendrecv.c - every rank sends its input to the next one and gets that of the one before. */
#include "bench/collective/common.h"

static struct block block(const struct shape *s, int n, int rank, int root, int i, const struct traffic *t)
{
	(void)root, (void)i, (void)t;
	return (struct block){.source = (rank + n - 1) % n, .elems = s->recv};
}

static double ring_steps(int n)
{
	return n > 1;
}

static double pair_bytes(const struct shape *s, int n, int from, int to, int root, const struct traffic *t)
{
	(void)root, (void)t;
	return pair_ring(s, n, from, to, (double)(s->send * s->elem_bytes));
}

extern const struct collective collective_sendrecv;
const struct collective collective_sendrecv = {
        .name = "sendrecv",
        .help = "every rank sends to the next and receives from the one before",
        .prints_redop = true,
        .runs_on = runs_anywhere,
        .shape = shape_whole,
        .blocks = one_block,
        .block = block,
        .algo_bytes = algo_size,
        .bus_factor = factor_one,
        .ring_bytes = bytes_all,
        .ring_steps = ring_steps,
        .pair_bytes = pair_bytes,
};
