/* sink.h - where rows go: nccl-tests' table on stdout, JSON, CSV. Called on rank 0 only, never in a timed
 * loop. A sink writes down what it is given; it measures nothing and judges nothing. */
#ifndef BENCH_CORE_SINK_H
#define BENCH_CORE_SINK_H

#include "bench/collective/alltoallv.h"
#include "bench/core/plan.h"
#include "bench/core/provenance.h"
#include "bench/core/record.h"
#include "bench/core/world.h"

struct samples { /* of one placement: one entry an operation (an aggregate of -m counts as one) */
	size_t count;
	const int64_t *elapsed_ns; /* slowest rank */
	const int64_t *fastest_ns;
	int processes;
	const double *process_max_us; /* [processes][count], -I only; NULL else */
};

struct row {                           /* one placement of one size, just measured */
	bool in_place;                 /* the out-of-place row of a size comes first, its in-place row next */
	const struct record *combined; /* over all ranks as nccl-tests does: one line whatever the groups */
	const struct record *groups;   /* [group_count], each over the ranks of its group */
	int group_count;
	const struct traffic *traffic; /* alltoallv */
	const struct samples *samples; /* [group_count + 1]; the last is over all ranks, as combined is */
	double launch_ns; /* rank 0's, of one operation, until the calls that start it returned: -C */
};

enum { MEMORY_INITIALIZATION, MEMORY_USER, MEMORY_COLLECTIVE, MEMORY_PARTS };

struct summary {               /* of one plan */
	uint64_t wrong_checks; /* nccl-tests' count: ranks x placements whose check found a wrong element */
	double avg_busbw_gbs;  /* over all placements, 0 when there were none */
	bool bandwidth_low;    /* NCCL_TESTS_MIN_BW was given and 0.9 of it not reached */
	int64_t memory_bytes[MEMORY_PARTS]; /* of the rank that uses most; -M */
	const char *error;                  /* what ended the plan early, "" when nothing did */
	int exit_code;
};

/* All of them are told of everything, in the order of sinks[]. A failure of one ends the plan. */
struct sink {
	const char *name;
	/* Is there anything to write for this plan? NULL: always. */
	bool (*wanted)(const struct plan *);
	/* Once a plan, before its first row. */
	enum status (*begin)(const struct world *, const struct plan *, const struct run_facts *);
	enum status (*row)(const struct plan *, const struct row *);
	/* Always called after begin, with what was reached, so that no partial file stays behind. */
	enum status (*end)(const struct plan *, const struct summary *);
};

extern const struct sink sink_table, sink_json, sink_csv;

/* NULL-terminated, in the order in which they are told of a row; in registry.c. */
extern const struct sink *const sinks[];

#endif
