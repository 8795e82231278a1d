/* report.h - what one rank tells about its row, and how the reports of all ranks become a record. Talks to
 * nobody. */
#ifndef BENCH_CORE_REPORT_H
#define BENCH_CORE_REPORT_H

#include "bench/core/measure.h"
#include "bench/core/run.h"
#include "bench/counter/counter.h"

enum { REPORT_INTERFACES = 4 };

struct outcome { /* of one row on one rank */
	struct timing timing;
	struct counts before, after; /* around the timed loop; interfaces read by one rank a node */
	struct seen seen;
	bool checked;
	struct mismatch wrong;
	char time[24]; /* when it began */
};

struct report { /* plain data, sent to all ranks */
	enum status status;
	double mean_ns, launch_ns;
	int64_t first_op_ns, cpu_ns, cycles, instructions;
	/* Data, management and loopback interfaces of the node, by its first rank; -1 unknown. */
	int64_t tx_bytes[3];
	struct {
		char name[16];
		uint64_t tx_bytes;
	} busiest[REPORT_INTERFACES]; /* interfaces of the node, busiest first */
	struct mismatch wrong;
	struct seen seen;
};

struct report report_of(const struct world *, const struct outcome *);

enum { EVERY_GROUP = -1 }; /* a record over all ranks, as nccl-tests prints it: sizes are rank 0's group's */

struct reported { /* what a record is made from */
	const struct run *run;
	const struct test_case *row;
	const struct outcome *mine; /* of the rank that makes it */
	const struct report *all;   /* [ranks] */
};

/* The record of a group, or of all. */
void report_record(const struct reported *, int group, struct record *out);

#endif
