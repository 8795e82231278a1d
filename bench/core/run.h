/* run.h - one plan being carried out by one rank; shared by run.c, runner.c, case.c, measure.c, check.c,
 * report.c, combine.c, precision.c and footprint.c alone. */
#ifndef BENCH_CORE_RUN_H
#define BENCH_CORE_RUN_H

#include "bench/backend/backend.h"
#include "bench/collective/alltoallv.h"
#include "bench/core/plan.h"
#include "bench/core/provenance.h"
#include "bench/core/sink.h"
#include "bench/core/world.h"
#include "bench/memory/memory.h"

enum { FOOTPRINT_START, FOOTPRINT_OPEN, FOOTPRINT_MARKS };

struct footprint {
	int64_t resident_bytes[FOOTPRINT_MARKS]; /* of the process: before and after the backend was opened */
};

struct combined; /* combine.c's */

struct run {
	struct world *world;
	const struct plan *plan;
	const struct collective *collective;
	const struct backend *backend;
	const struct memory_kind *memory;
	struct communicator *communicator;
	struct traffic traffic;
	struct buffer send, recv;
	struct footprint footprint;    /* -M */
	uint64_t min_bytes, max_bytes; /* of a row: -b and -e, or what fits into memory */
	struct run_facts *facts;       /* rank 0 */
	struct summary summary;        /* rank 0 */
	uint64_t rows;                 /* rank 0: placements measured */
	double busbw_sum_gbs;          /* rank 0 */
	struct combined *combined;
	unsigned counting;   /* bit i: counters[i] is open */
	uint64_t repetition; /* seeds the data of checks: another value, other data */
	bool waits_each;     /* an operation is complete before the next is started */
	bool keeps_samples;  /* of each iteration; buffers of sample_room values */
	size_t sample_room;
	int64_t *sample_ns;  /* this rank's iterations of the row */
	int64_t *slowest_ns; /* --precision: the slowest rank's */
	double *sorted_ns;   /* scratch of whoever needs order */
};

struct test_case {      /* one row: one placement of one size */
	uint64_t bytes; /* asked for; the shape is what becomes of it with so many ranks */
	struct shape shape;
	enum dtype dtype;
	enum redop redop; /* OP_NONE where nothing is reduced */
	enum redop redop_printed;
	int root; /* group rank, or ALL_RANKS */
	int cycle;
	bool in_place;
	size_t elem_bytes;
	size_t send_bytes, recv_bytes; /* of each rank's buffers */
	size_t steps;                  /* data start at one of so many places in the buffers, in turn */
	struct bound *bound;
};

/* Everything that a plan needs before its first row: choices, counters, backend, buffers. Collective over all
 * ranks; run_close() also after a failure. */
enum status run_open(struct run *);
void run_close(struct run *);

/* Where iteration i has its data, bytes from the start of both buffers. */
static inline size_t case_shift_bytes(const struct test_case *c, uint64_t iteration)
{
	size_t size_bytes = c->send_bytes > c->recv_bytes ? c->send_bytes : c->recv_bytes;
	return size_bytes * (size_t)(iteration % c->steps);
}

#endif
