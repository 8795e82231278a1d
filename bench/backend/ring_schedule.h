/* ring_schedule.h - which piece goes where, in which order: one rank's part of a collective as two lists.
 * Pure.
 *
 * A rank works through its sends in order and through its receives in order, each entry as soon as what it
 * names is complete; links keep order, so nothing else is needed. How the pieces of a ring all_reduce move
 * for n = 3 (rank r, chunk c; s: partial sum being passed on, F: final):
 *
 *            step 0     step 1     step 2     step 3
 *   rank 0   sends 0    sends 2 s  sends 1 F  sends 0 F
 *   rank 1   sends 1    sends 0 s  sends 2 F  sends 1 F
 *   rank 2   sends 2    sends 1 s  sends 0 F  sends 2 F
 *
 * The unit test carries such schedules out for 1..17 ranks in random order and compares every rank's result.
 */
#ifndef BENCH_BACKEND_RING_SCHEDULE_H
#define BENCH_BACKEND_RING_SCHEDULE_H

#include "bench/collective/collective.h"

enum ring_buffer { RING_SEND, RING_RECV, RING_SCRATCH, RING_NOTHING };

struct ring_piece {
	enum ring_buffer buffer;
	size_t offset_bytes;
};

struct ring_send {
	int peer;
	struct ring_piece from;
	size_t bytes;
	size_t after; /* may start once so many leading receives are complete */
};

struct ring_recv {
	int peer;
	struct ring_piece to;
	struct ring_piece with; /* what arrives is combined with this; RING_NOTHING: stored as it is */
	size_t bytes;
	size_t after; /* may start once so many leading sends are complete: its memory is in use until then */
	bool final;   /* the last reduction of this piece: an average is divided now */
};

struct ring_copy { /* within the rank */
	struct ring_piece from, to;
	size_t bytes;
};

enum { RING_COPIES = 2 };

struct ring_schedule {
	const char *algorithm;
	size_t sends, recvs, copies;
	struct ring_send *send;
	struct ring_recv *recv;
	struct ring_copy copy[RING_COPIES];
	bool copy_first;      /* before anything is sent or received; else after the first of it was posted */
	size_t scratch_bytes; /* needed beside the buffers */
};

struct ring_question {
	const struct collective *collective;
	const struct traffic *traffic;
	const struct shape *shape;
	int n, rank, root;
	bool in_place;
	size_t chunk_bytes;  /* of the pipeline */
	size_t direct_bytes; /* all_reduce up to this size: everybody sends everything to everybody */
};

/* ST_UNSUPPORTED for a collective it does not know, ST_NOMEM. */
enum status ring_schedule_make(const struct ring_question *, struct ring_schedule *out);
void ring_schedule_free(struct ring_schedule *);

#endif
