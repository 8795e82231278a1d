/* case.h - one placement of one size on this rank: its data, the first operation, the timed loop, the checks.
 * Everything here is collective over all ranks of the run, also where groups work on their own. */
#ifndef BENCH_CORE_CASE_H
#define BENCH_CORE_CASE_H

#include "bench/core/report.h"
#include "bench/core/run.h"

/* Sets what depends on the size. Not collective. */
void case_size(const struct run *, uint64_t bytes, struct test_case *);

/* -w operations of this size, nobody looks at their data. */
enum status case_warm_up(struct run *, struct test_case *);

enum status case_run(struct run *, struct test_case *, struct outcome *out);

#endif
