/* measure.h - the timed loop of one row on one rank. Nothing in it is allocated, printed or agreed upon. */
#ifndef BENCH_CORE_MEASURE_H
#define BENCH_CORE_MEASURE_H

#include "bench/core/run.h"

struct timing {           /* of this rank, nanoseconds of one operation */
	double mean_ns;   /* the whole loop / operations */
	double launch_ns; /* until the calls that start them returned */
	int64_t first_op_ns;
	size_t samples; /* in run->sample_ns, one an iteration: an aggregate of -m counts as one, divided by
	                   -m */
};

/* Starts and completes one operation at place `place`. */
enum status measure_once(struct run *, const struct test_case *, uint64_t place);

/* Runs the timed loop of the plan; with --precision again and again until the interval is narrow or the
 * budget spent. Collective over all ranks. */
enum status measure_row(struct run *, const struct test_case *, struct timing *out);

#endif
