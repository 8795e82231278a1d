/* collective.h - what a collective is: arithmetic only. No MPI, no CUDA, no clock; analysis links this too.
 * Offsets and counts are elements unless named otherwise. n is the number of ranks. */
#ifndef BENCH_COLLECTIVE_COLLECTIVE_H
#define BENCH_COLLECTIVE_COLLECTIVE_H

#include "bench/core/status.h"
#include "kernels/types.h"

enum { ALL_RANKS = -1 }; /* as block source: the reduction over all; as root: not rooted */

struct traffic; /* who sends how much to whom, alltoallv only: collective/alltoallv.h */

struct shape {
	size_t count; /* the count column of the table */
	size_t send,
	        recv; /* elements of a rank's send and receive buffer (alltoallv: the largest of all ranks) */
	size_t elem_bytes;  /* of one element */
	size_t send_stride; /* in place, rank r's send data start at element send_stride x r of the receive
	                       buffer */
	size_t recv_stride; /* in place, rank r's result starts at element recv_stride x r of the receive
	                       buffer */
};

/* A piece of a rank's result and where it comes from. */
struct block {
	int source;           /* a rank, or ALL_RANKS: reduced */
	size_t source_offset; /* in the source's send buffer; for a reduction, in every rank's */
	size_t offset;        /* in this rank's receive buffer (before recv_stride) */
	size_t elems;
};

struct collective {
	const char *name; /* "all_reduce" */
	const char *help;
	bool reduces, rooted;
	bool checked_in_place; /* nccl-tests prints N/A in place for some */
	/* The redop column: NULL prints the op when it reduces and "none" otherwise. */
	const char *redop_column;
	bool prints_redop; /* sendrecv: prints the op's name though it reduces nothing */
	/* ST_OK, or ST_UNSUPPORTED with a sentence: hypercube wants a power of two. */
	enum status (*runs_on)(int n);
	/* Shape for at most `elems` elements per buffer of elem_bytes each. traffic: NULL but for alltoallv.
	 */
	struct shape (*shape)(size_t elems, size_t elem_bytes, int n, const struct traffic *);
	/* Blocks of rank's result, and the i-th of them. A rank that receives nothing has none. */
	int (*blocks)(int n, int rank, int root);
	struct block (*block)(const struct shape *, int n, int rank, int root, int i, const struct traffic *);
	/* Bytes that algbw divides by the time; the factor that makes busbw of it. */
	double (*algo_bytes)(const struct shape *, size_t elem_bytes, int n);
	double (*bus_factor)(int n);
	/* The ring model (time = steps x alpha + sent / B): bytes that the busiest rank sends, and the steps.
	 */
	double (*ring_bytes)(double size_bytes, int n);
	double (*ring_steps)(int n);
	/* Bytes that rank `from` sends to rank `to` in one operation: rings to the next rank, the rest
	 * directly. */
	double (*pair_bytes)(const struct shape *, int n, int from, int to, int root, const struct traffic *);
};

/* Size column: the larger of both buffers, bytes. */
size_t shape_size_bytes(const struct shape *, size_t elem_bytes);

/* nccl-tests' per-rank share: elems / n rounded down to a multiple of 16 bytes. */
size_t share_elems(size_t elems, size_t elem_bytes, int n);

const struct collective *collective_find(const char *name); /* NULL when there is none of that name */
extern const struct collective *const collectives[];        /* NULL-terminated, in nccl-tests' order */

#endif
