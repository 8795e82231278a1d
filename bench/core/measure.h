/* measure.h - the timed loop of one row on one rank. Nothing in it is allocated, printed or agreed upon. */
#ifndef BENCH_CORE_MEASURE_H
#define BENCH_CORE_MEASURE_H

#include "bench/core/run.h"

struct timing {           /* of this rank, nanoseconds of one operation */
	double mean_ns;   /* the whole loop / operations */
	double launch_ns; /* until the calls that start them returned */
	int64_t first_op_ns;
	uint64_t iterations;
	size_t samples; /* in run->sample_ns: none, or one an iteration, divided by -m */
};

/* Which clock readings of this plan mean something: once, before the first row. */
void measure_open(struct run *);
void measure_close(struct run *);

/* Starts and completes one operation at place `place`. */
enum status measure_once(struct run *, const struct test_case *, uint64_t place);

/* Room for the samples of the row; before ranks agree to go on. */
enum status measure_prepare(struct run *);

/* Runs the timed loop of the plan; with --precision again and again until the interval is narrow or the
 * budget spent. Collective over all ranks. */
enum status measure_row(struct run *, const struct test_case *, struct timing *out);

#endif
