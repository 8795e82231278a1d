/* reduce.c - the root gets the reduction of all inputs. */
#include "bench/collective/common.h"

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
};
