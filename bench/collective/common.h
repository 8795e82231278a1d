/* common.h - pieces that several collectives share; private to this folder. */
#ifndef BENCH_COLLECTIVE_COMMON_H
#define BENCH_COLLECTIVE_COMMON_H

#include "bench/collective/collective.h"

enum status runs_anywhere(int n);

/* algbw counts the size column. */
double algo_size(const struct shape *, size_t elem_bytes, int n);

double factor_one(int n);   /* 1 */
double factor_share(int n); /* (n-1)/n */

double bytes_all(double size_bytes, int n);   /* S, nothing for one rank */
double bytes_share(double size_bytes, int n); /* (n-1)/n S */
double steps_ring(int n);                     /* n-1 */

/* What each rank sends on a ring goes to the next one; on a chain from (broadcast) or to (reduce) the root
 * one link carries nothing. */
double pair_ring(const struct shape *, int n, int from, int to, double bytes);

int one_block(int n, int rank, int root);
int one_block_at_root(int n, int rank, int root);
int block_per_rank(int n, int rank, int root);
int block_per_rank_at_root(int n, int rank, int root);

/* The whole result is the reduction of the whole input. */
struct block block_reduced(const struct shape *, int n, int rank, int root, int i, const struct traffic *);
/* Block i is what rank i sent, in the order of ranks. */
struct block block_gathered(const struct shape *, int n, int rank, int root, int i, const struct traffic *);

/* count elements in both buffers. */
struct shape shape_whole(size_t elems, size_t elem_bytes, int n, const struct traffic *);
/* A share in the send buffer, n shares in the receive buffer, and the other way round. */
struct shape shape_gather(size_t elems, size_t elem_bytes, int n, const struct traffic *);
struct shape shape_scatter(size_t elems, size_t elem_bytes, int n, const struct traffic *);

#endif
