/* ring_schedule.c - see ring_schedule.h: which collective is built how, and the builder that all share. */
#include "bench/backend/ring_builder.h"

#include <stdlib.h>
#include <string.h>

/* --- the builder --- */

struct spot spot_at(struct spot s, size_t offset)
{
	return (struct spot){s.in, s.offset + offset};
}

size_t builder_chunks(const struct builder *b, size_t bytes)
{
	return (bytes + b->chunk_bytes - 1) / b->chunk_bytes;
}

struct range builder_chunk(const struct builder *b, struct range all, size_t c)
{
	size_t start = c * b->chunk_bytes;
	if (start >= all.bytes)
		return (struct range){all.offset, 0};
	size_t left = all.bytes - start;
	return (struct range){all.offset + start, left < b->chunk_bytes ? left : b->chunk_bytes};
}

void builder_cells(struct builder *b, size_t count)
{
	b->cells = calloc(count ? count : 1, sizeof *b->cells);
	b->failed |= !b->cells;
}

/* Room for one more entry. */
static bool grow(struct builder *b, void **list, uint32_t count, size_t *room, size_t entry_bytes)
{
	if (count < *room)
		return true;
	size_t more = *room ? *room * 2 : 16;
	void *grown = more < UINT32_MAX ? realloc(*list, more * entry_bytes) : NULL;
	if (!grown) {
		b->failed = true;
		return false;
	}
	*list = grown;
	*room = more;
	return true;
}

void builder_send(struct builder *b, int peer, struct piece from, size_t bytes)
{
	struct schedule *s = b->out;
	if (!bytes || b->failed ||
	        !grow(b, (void **)&s->sends, s->send_count, &b->send_room, sizeof *s->sends))
		return;
	struct schedule_send *e = &s->sends[s->send_count++];
	*e = (struct schedule_send){.peer = peer, .from = from.spot, .bytes = bytes};
	if (from.cell != NO_CELL) {
		e->after_recvs = b->cells[from.cell].written_by_recv;
		b->cells[from.cell].read_by_send = s->send_count;
	}
}

struct schedule_recv *builder_recv(
        struct builder *b, int peer, struct piece to, struct piece with, size_t bytes)
{
	struct schedule *s = b->out;
	if (!bytes || b->failed ||
	        !grow(b, (void **)&s->recvs, s->recv_count, &b->recv_room, sizeof *s->recvs))
		return NULL;
	struct schedule_recv *e = &s->recvs[s->recv_count++];
	*e = (struct schedule_recv){.peer = peer, .to = to.spot, .with = with.spot, .bytes = bytes};
	if (with.cell != NO_CELL)
		e->after_recvs = b->cells[with.cell].written_by_recv;
	if (to.cell != NO_CELL) {
		struct cell *cell = &b->cells[to.cell];
		if (cell->written_by_recv > e->after_recvs)
			e->after_recvs = cell->written_by_recv;
		e->after_sends = cell->read_by_send;
		cell->written_by_recv = s->recv_count;
	}
	return e;
}

void builder_copy(struct builder *b, struct spot from, struct spot to, size_t bytes)
{
	struct schedule *s = b->out;
	if (!bytes || b->ask->in_place || b->failed ||
	        !grow(b, (void **)&s->copies, s->copy_count, &b->copy_room, sizeof *s->copies))
		return;
	s->copies[s->copy_count++] = (struct schedule_copy){from, to, bytes};
}

void builder_stage_input(struct builder *b, size_t bytes, bool scales)
{
	b->out->first = (struct schedule_copy){b->input, {IN_SCRATCH, b->out->scratch_bytes}, bytes};
	b->out->first_scales = scales;
	b->out->scratch_bytes += bytes;
	b->input = b->out->first.to;
	b->input_is_result = false;
}

void builder_pipeline(struct builder *b, int steps, size_t chunks,
        void (*emit)(struct builder *, const void *what, int step, size_t chunk), const void *what)
{
	size_t lag = b->ask->lag ? b->ask->lag : 1;
	lag = lag < chunks ? lag : chunks; /* step after step */
	for (size_t t = 0; t < chunks + (size_t)(steps - 1) * lag; t++)
		for (int s = 0; s < steps; s++) {
			size_t begun = (size_t)s * lag;
			if (t >= begun && t - begun < chunks)
				emit(b, what, s, t - begun);
		}
}

/* --- which collective is built how --- */

static const struct {
	const char *name;
	void (*build)(struct builder *);
	const char *algorithm[3]; /* by enum algorithm; NULL: the ring's */
} plans[] = {
        {"all_reduce", build_all_reduce, {"ring", "direct", "exchange"}},
        {"reduce_scatter", build_reduce_scatter, {"ring", "direct"}},
        {"all_gather", build_all_gather, {"ring", "direct"}},
        {"broadcast", build_broadcast, {"chain", "direct"}},
        {"reduce", build_reduce, {"chain"}},
        {"alltoall", build_pairwise, {"pairwise"}},
        {"alltoallv", build_pairwise, {"pairwise"}},
        {"gather", build_pairwise, {"direct"}},
        {"scatter", build_pairwise, {"direct"}},
        {"sendrecv", build_pairwise, {"direct"}},
        {"hypercube", build_hypercube, {"hypercube"}},
};

/* One rank: its result is its input. */
static void build_alone(struct builder *b)
{
	size_t bytes = b->ask->shape->recv * b->ask->shape->elem_bytes;
	builder_copy(b, b->input, (struct spot){IN_RECV, 0}, bytes);
}

enum status schedule_build(const struct schedule_request *ask, struct schedule *out)
{
	size_t at = 0, count = sizeof plans / sizeof *plans;
	while (at < count && strcmp(plans[at].name, ask->collective->name))
		at++;
	if (at == count)
		return fail(ST_UNSUPPORTED, "'ring' has no schedule for '%s'; use --backend mpi",
		        ask->collective->name);
	*out = (struct schedule){.algorithm = plans[at].algorithm[ask->algorithm], .through = ask->through};
	if (!out->algorithm)
		out->algorithm = plans[at].algorithm[ALGORITHM_RING];
	struct builder b = {
	        .ask = ask,
	        .out = out,
	        .input = {IN_SEND, 0},
	        .input_is_result = ask->in_place && ask->collective->checked_in_place,
	        .chunk_bytes = ask->chunk_bytes >= 64 ? ask->chunk_bytes & ~(size_t)63 : SIZE_MAX / 2,
	};
	if (ask->scales)
		builder_stage_input(&b, ask->shape->send * ask->shape->elem_bytes, true);
	if (ask->n > 1)
		plans[at].build(&b);
	else
		build_alone(&b);
	free(b.cells);
	if (!b.failed)
		return ST_OK;
	schedule_free(out);
	return fail(ST_NOMEM, "no memory for the schedule of '%s'", ask->collective->name);
}

enum status schedule_barrier(int n, int rank, struct schedule *out)
{
	static const struct piece token = {{IN_SCRATCH, 0}, NO_CELL}, heard = {{IN_SCRATCH, 64}, NO_CELL};
	*out = (struct schedule){.algorithm = "dissemination", .scratch_bytes = 128};
	struct builder b = {.out = out};
	for (int reach = 1; reach < n; reach *= 2) {
		builder_send(&b, (rank + reach) % n, token, 1);
		if (!b.failed)
			out->sends[out->send_count - 1].after_recvs = out->recv_count;
		builder_recv(&b, (rank - reach + n) % n, heard, no_piece, 1);
	}
	if (!b.failed)
		return ST_OK;
	schedule_free(out);
	return fail(ST_NOMEM, "no memory for the schedule of a barrier");
}

void schedule_free(struct schedule *s)
{
	free(s->sends);
	free(s->recvs);
	free(s->copies);
	*s = (struct schedule){0};
}
