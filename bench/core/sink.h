/* sink.h - where rows go: nccl-tests' table on stdout, JSON, CSV. Called on rank 0 only, never in a timed loop. */
#ifndef BENCH_CORE_SINK_H
#define BENCH_CORE_SINK_H

#include "bench/core/record.h"
#include "bench/core/world.h"

struct samples { /* of one row: one entry an operation (an aggregate of -m counts as one) */
	size_t count;
	const int64_t *elapsed_ns; /* slowest rank */
	const int64_t *fastest_ns;
	const double *process_max_us; /* [processes][count], -I only; NULL else */
};

struct run_facts; /* provenance.h */

struct sink {
	const char *name;
	/* Once a plan, before its first row. */
	enum status (*begin)(const struct world *, const struct plan *, const struct run_facts *);
	/* Both placements of one size, for each group; index [group]. Table and JSON use group rows combined as nccl-tests does. */
	enum status (*row)(const struct plan *, const struct record *placements, const struct samples *samples, size_t n);
	enum status (*end)(const struct plan *, uint64_t wrong_total, double avg_busbw_gbs, int exit_code);
};

#endif
