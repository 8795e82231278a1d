/* ring_schedule.h - what one rank sends, receives and copies in one operation, in which order, and what has
 * to come before what. Pure: no clock, no memory but the plan itself, no transport; tests simulate it.
 *
 * A schedule is two ordered lists. Sends are posted in their order, receives in theirs; each names how many
 * leading entries of either list must be complete before it may be posted. Between two ranks both sides list
 * the same pieces in the same order, so a link is an ordered stream. Any number of pieces may be in flight,
 * down to one of each list: no order of progress deadlocks.
 */
#ifndef BENCH_BACKEND_RING_SCHEDULE_H
#define BENCH_BACKEND_RING_SCHEDULE_H

#include "bench/collective/collective.h"

#include <stdint.h>

enum schedule_buffer { IN_NOTHING, IN_SEND, IN_RECV, IN_SCRATCH, SCHEDULE_BUFFERS };

struct spot {
	enum schedule_buffer in;
	size_t offset; /* bytes */
};

struct schedule_send {
	int peer;
	uint32_t after_recvs; /* leading receives that must be complete */
	struct spot from;
	size_t bytes;
};

/* to = bytes, or to = with op bytes; then to = to op own; then to = to / ranks. */
struct schedule_recv {
	int peer;
	uint32_t after_recvs, after_sends;
	struct spot to, with, own;
	bool divide;
	bool through; /* the rank does not read it again */
	size_t bytes;
};

struct schedule_copy { /* within the rank */
	struct spot from, to;
	size_t bytes;
};

struct schedule {
	const char *algorithm;
	size_t scratch_bytes;
	/* Before anything else: the input to scratch, scaled (mulsum) or as it is. bytes 0: none. */
	struct schedule_copy first;
	bool first_scales;
	bool through; /* buffers do not fit the caches: what is not read again is written past them */
	uint32_t send_count, recv_count, copy_count;
	struct schedule_send *sends;
	struct schedule_recv *recvs;
	struct schedule_copy *copies; /* at any time */
};

enum algorithm {
	/* Neighbours only: what the model counts and what wires between hosts like. */
	ALGORITHM_RING,
	/* Every rank fetches its share from each other one: as many bytes in fewer steps, for links that do
	 * not share a wire. */
	ALGORITHM_DIRECT,
	/* Everybody sends all to everybody: one step and n-1 times the bytes, for a few bytes (all_reduce).
	 */
	ALGORITHM_EXCHANGE,
};

struct schedule_request {
	const struct collective *collective;
	const struct shape *shape;
	const struct traffic *traffic; /* alltoallv */
	int n, rank, root;
	enum algorithm algorithm; /* where the collective knows several */
	size_t chunk_bytes;       /* of the pipeline; 0: pieces are not cut */
	size_t lag;               /* chunks between one step of the pipeline and the next; 0: 1 */
	bool in_place;
	bool through; /* as in struct schedule */
	bool scales;  /* this rank's input is to be multiplied first (mulsum) */
	bool divides; /* the sum is to be divided by n (avg) */
};

/* ST_NOMEM, or ST_UNSUPPORTED for a collective that it does not know. */
enum status schedule_build(const struct schedule_request *, struct schedule *out);
/* Every rank has heard from every other one: a dissemination barrier of one-byte tokens. */
enum status schedule_barrier(int n, int rank, struct schedule *out);
void schedule_free(struct schedule *);

#endif
