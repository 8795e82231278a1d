/* pairs.h - sendrecv --pairs: every rank to every other, in rounds of disjoint pairs.
 *
 * With n ranks there are n-1 rounds (n when n is odd, one rank resting in each). In each the lower rank of a
 * pair sends, then the higher, then both: all pairs of the round at once, so that a network which cannot
 * carry them all shows. A round is an alltoallv whose traffic is that of its pairs, timed and checked like
 * any other. In the folder of --csv the rates of one direction go to pairs.csv, for busbar pairs; those of
 * everybody sending and receiving at once, which are each rank's own share of the network, go to shares.csv,
 * for busbar shares. */
#ifndef BENCH_CORE_PAIRS_H
#define BENCH_CORE_PAIRS_H

#include "bench/core/run.h"

/* Rounds of n ranks, and rank's partner in one of them, -1 when it rests. Every two ranks meet once. */
int pairs_rounds(int n);
int pairs_partner(int n, int rank, int round);

/* Collective over all ranks, which must be one group. */
enum status pairs_run(struct run *);

#endif
