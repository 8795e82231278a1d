/* combine.h - what each rank measured is brought together and told to the sinks: a record over all ranks, and
 * one a group. */
#ifndef BENCH_CORE_COMBINE_H
#define BENCH_CORE_COMBINE_H

#include "bench/core/report.h"
#include "bench/core/run.h"

/* Once a plan. Not collective. */
enum status combine_open(struct run *);
void combine_close(struct run *);

/* The ranks of group i in the order of their first rank, i < combine_groups(); all of them on every rank. */
int combine_groups(const struct run *);
int combine_group_ranks(const struct run *, int i);

/* Collective over all ranks. On rank 0 the row goes to the sinks and into the summary. */
enum status combine_row(struct run *, const struct test_case *, const struct outcome *);

#endif
