/* pairs.h - sendrecv --pairs: every rank to every other, in rounds of disjoint pairs, one direction at a
 * time.
 *
 * With n ranks there are n-1 rounds (n of them when n is odd, one rank resting in each), and in each the
 * lower rank of a pair sends first, then the higher: all pairs of a round at once, so that a network which
 * cannot carry them all shows. A round is an alltoallv whose traffic is that of its pairs, timed and checked
 * like any other. The matrix goes to pairs.csv in the folder of
 * --csv, for busbar pairs. */
#ifndef BENCH_CORE_PAIRS_H
#define BENCH_CORE_PAIRS_H

#include "bench/core/run.h"

/* Rounds of n ranks, and rank's partner in one of them, -1 when it rests. Every two ranks meet once. */
int pairs_rounds(int n);
int pairs_partner(int n, int rank, int round);

/* Collective over all ranks, which must be one group. */
enum status pairs_run(struct run *);

#endif
