/* alltoallv.h - who sends how much to whom. Bytes, multiples of 16, [from][to].
 *
 * Either read from a matrix file, or made from a spread: 0 sends the same to every rank, 1 sends in
 * proportion to the distance (to - from) mod n and nothing to itself, between them a blend. */
#ifndef BENCH_COLLECTIVE_ALLTOALLV_H
#define BENCH_COLLECTIVE_ALLTOALLV_H

#include "bench/core/status.h"

#include <stddef.h>
#include <stdio.h>

struct traffic {
	double spread;  /* 0..1, used when there is no matrix */
	int dimension;  /* of the matrix; 0: none, made from the spread */
	size_t *matrix; /* [dimension][dimension], bytes */
};

/* Reads a square matrix of bytes, one row a line, times scale. ST_USAGE names file, row, column and reason.
 */
enum status traffic_read(const char *path, double scale, struct traffic *out);
/* ST_USAGE when the matrix is smaller than n. */
enum status traffic_check(const struct traffic *, int n);
void traffic_free(struct traffic *);

/* Bytes that `from` sends to `to`, each of n ranks sending total_bytes (ignored with a matrix). */
size_t traffic_bytes(const struct traffic *, int from, int to, int n, size_t total_bytes);

#endif
