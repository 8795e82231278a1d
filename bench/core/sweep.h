/* sweep.h - the sizes of a plan, in order: minimum, then times factor or plus step until the maximum is
 * passed. Pure. Always ends: a factor grows by one byte at least, a step of 0 gives one size. */
#ifndef BENCH_CORE_SWEEP_H
#define BENCH_CORE_SWEEP_H

#include "bench/core/plan.h"

/* The size after `bytes`; false when it would pass the maximum, overflow, or not grow. The first is
 * min_bytes. */
bool sweep_next(const struct plan *, uint64_t *bytes_p);

/* How many sizes there are. */
uint64_t sweep_count(const struct plan *);

#endif
