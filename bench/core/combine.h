/* combine.h - what each rank measured becomes the rows of the plan: one over all ranks, one a group. */
#ifndef BENCH_CORE_COMBINE_H
#define BENCH_CORE_COMBINE_H

#include "bench/core/measure.h"
#include "bench/core/run.h"
#include "bench/counter/counter.h"

struct outcome { /* of one row on one rank */
	struct timing timing;
	struct counts before, after; /* around the timed loop; interfaces read by one rank a node */
	struct seen seen;
	bool checked;
	struct mismatch wrong;
	char time[24];
};

/* Collective over all ranks. On rank 0 the row goes to the sinks and into the summary. */
enum status combine_row(struct run *, const struct test_case *, const struct outcome *);

#endif
