/* ring_builder.h - private to the schedules: emits pieces and finds out what they must wait for.
 *
 * Memory that is written while others read it is tracked in cells, one a piece of memory: the last receive
 * that wrote it and the last send that reads it. Memory that nobody writes has no cell (NO_CELL).
 */
#ifndef BENCH_BACKEND_RING_BUILDER_H
#define BENCH_BACKEND_RING_BUILDER_H

#include "bench/backend/ring_schedule.h"

enum { NO_CELL = -1 };

struct cell { /* numbers of entries, counted from 1; 0: none yet */
	uint32_t written_by_recv, read_by_send;
};

/* A block of elements cut into pieces. */
struct range {
	size_t offset, bytes;
};

struct builder {
	const struct schedule_request *ask;
	struct schedule *out;
	struct spot input;    /* the rank's input: its send buffer or a copy in scratch */
	bool input_is_result; /* in place: the input's cells are the result's */
	size_t chunk_bytes;   /* never 0 */
	struct cell *cells;
	size_t send_room, recv_room, copy_room;
	bool failed; /* no memory */
};

/* A place of memory and its cell. */
struct piece {
	struct spot spot;
	long cell;
};

static const struct piece no_piece = {{IN_NOTHING, 0}, NO_CELL};

void builder_cells(struct builder *, size_t count);
void builder_send(struct builder *, int peer, struct piece from, size_t bytes);
/* The entry, to be refined; NULL without memory or bytes. */
struct schedule_recv *builder_recv(
        struct builder *, int peer, struct piece to, struct piece with, size_t bytes);
/* Nothing in place, where data is already there or the result is not defined. */
void builder_copy(struct builder *, struct spot from, struct spot to, size_t bytes);
/* From now on the rank's input is a copy in scratch. */
void builder_stage_input(struct builder *, size_t bytes, bool scales);

/* Emits chunk c of step s at time c + s x lag: all steps of the pipeline have pieces under way, and what a
 * step passes on was received at least lag chunks before. */
void builder_pipeline(struct builder *, int steps, size_t chunks,
        void (*emit)(struct builder *, const void *what, int step, size_t chunk), const void *what);

size_t builder_chunks(const struct builder *, size_t bytes);
/* The c-th chunk of a range, empty when there is none. */
struct range builder_chunk(const struct builder *, struct range, size_t c);
struct spot spot_at(struct spot, size_t offset);

/* What each kind of collective emits; the builder is set up, n > 1. */
void build_all_reduce(struct builder *);
void build_reduce_scatter(struct builder *);
void build_reduce(struct builder *);
void build_all_gather(struct builder *);
void build_broadcast(struct builder *);
void build_pairwise(struct builder *);
void build_hypercube(struct builder *);

#endif
