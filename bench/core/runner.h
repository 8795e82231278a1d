/* runner.h - carries out one plan on the ranks: the loop over types, ops, roots, cycles, sizes and
 * placements. It never names a collective, a backend's library or a transport. */
#ifndef BENCH_CORE_RUNNER_H
#define BENCH_CORE_RUNNER_H

#include "bench/core/plan.h"
#include "bench/core/world.h"

/* Collective over all ranks. The exit code of nccl-tests for this plan, the same on every rank, in
 * *exit_code_p. */
enum status runner_run(struct world *, const struct plan *, int *exit_code_p);

#endif
