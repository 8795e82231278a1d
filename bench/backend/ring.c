/* ring.c - our own collectives: carries out schedules (ring_schedule.h) over links (ring_links.h) on the
 * rank's own thread. */
#include "bench/backend/ring_links.h"
#include "bench/backend/ring_schedule.h"
#include "bench/core/clock.h"
#include "bench/core/types.h"
#include "bench/registry.h"
#include "bench/transport/waiter.h"
#include "kernels/element.h"

#include <stdlib.h>
#include <string.h>

enum {
	CHUNK_BYTES = 256 * 1024, /* of the pipeline: a few fit into a core's L2 */
	DIRECT_BYTES = 8 * 1024,
	WINDOW = 32, /* pieces posted and not complete, each way: enough to keep links busy, few enough for
	                any link */
};

struct communicator {
	struct world *world;
	const struct plan *plan;
	struct ring_links *links;
	struct bound *line_up; /* a small all_reduce that lines ranks up; made when first asked for */
	struct buffer line_up_buffer;
	uint64_t moved;
	bool cancelled;
};

struct flight { /* a piece that was posted: complete when its link's stream has come so far */
	struct ring_link *link;
	uint64_t until;
};

struct bound {
	struct communicator *communicator;
	struct operation op;
	struct ring_schedule schedule;
	struct ring_link **send_link, **recv_link; /* of each entry */
	struct flight *sent, *received;            /* [WINDOW] rings */
	struct buffer scratch;
	bool scales;       /* mulsum on a rank whose factor is not 1 */
	size_t scaled_at;  /* where in scratch the scaled input is */
	size_t send_bytes; /* of the input */
	size_t shift_bytes;
	size_t sends, recvs;           /* posted so far */
	size_t sends_done, recvs_done; /* complete, leading ones */
	bool running, copied;
};

static enum status probe(char *why, size_t why_bytes)
{
	(void)why, (void)why_bytes;
	return ST_OK;
}

static void unbind(struct bound *);

static void close_ring(struct communicator *c)
{
	if (c->line_up)
		unbind(c->line_up);
	ring_links_close(c->links);
	if (c->line_up_buffer.base)
		c->line_up_buffer.kind->free(&c->line_up_buffer);
	free(c);
}

static enum status open_ring(struct world *w, const struct plan *plan, struct communicator **out)
{
	struct communicator *c = calloc(1, sizeof *c);
	enum status s = world_agree(w, c ? ST_OK : fail(ST_NOMEM, "no memory for the ring backend"));
	if (s != ST_OK) {
		free(c);
		return s;
	}
	*c = (struct communicator){.world = w, .plan = plan};
	s = ring_links_open(w, plan, &c->links);
	if (s == ST_OK)
		*out = c;
	else
		close_ring(c);
	return s;
}

static enum status supports(
        struct communicator *c, const struct collective *coll, enum dtype t, enum redop op)
{
	(void)c, (void)coll, (void)t, (void)op;
	return ST_OK;
}

/* --- an operation made ready
 * -------------------------------------------------------------------------------------------------- */

static void unbind(struct bound *b)
{
	if (b->scratch.base) {
		if (b->communicator->links)
			ring_links_forget(b->communicator->links, &b->scratch);
		b->scratch.kind->free(&b->scratch);
	}
	ring_schedule_free(&b->schedule);
	free(b->send_link);
	free(b->recv_link);
	free(b->sent);
	free(b->received);
	free(b);
}

static enum status get_links(struct bound *b)
{
	struct ring_links *l = b->communicator->links;
	const struct ring_schedule *s = &b->schedule;
	for (size_t i = 0; i < s->sends; i++) {
		enum status status = ring_links_get(l, s->send[i].peer, true, &b->send_link[i]);
		if (status != ST_OK)
			return status;
	}
	for (size_t i = 0; i < s->recvs; i++) {
		enum status status = ring_links_get(l, s->recv[i].peer, false, &b->recv_link[i]);
		if (status != ST_OK)
			return status;
	}
	return ST_OK;
}

/* Scratch: what the schedule asks for, then the scaled input of mulsum. */
static enum status make_scratch(struct bound *b)
{
	const struct world *w = b->communicator->world;
	b->scales = b->op.redop == OP_MULSUM && element_mulsum_scalar((uint32_t)w->group_rank) != 1;
	b->send_bytes = b->op.shape.send * b->op.shape.elem_bytes;
	b->scaled_at = (b->schedule.scratch_bytes + 63) & ~(size_t)63;
	size_t bytes = b->scaled_at + (b->scales ? b->send_bytes : 0);
	if (!bytes)
		return ST_OK;
	const struct memory_kind *kind = b->op.recv_buffer->kind;
	enum status s = kind->alloc(b->op.recv_buffer->device, bytes, &b->scratch);
	return s == ST_OK ? ring_links_register(b->communicator->links, &b->scratch) : s;
}

static enum status bind_ring(struct communicator *c, const struct operation *op, struct bound **out)
{
	struct bound *b = calloc(1, sizeof *b);
	if (!b)
		return fail(ST_NOMEM, "no memory for an operation of the ring backend");
	*b = (struct bound){.communicator = c, .op = *op};
	const struct ring_question q = {
	        .collective = op->collective,
	        .traffic = op->traffic,
	        .shape = &b->op.shape,
	        .n = c->world->group_ranks,
	        .rank = c->world->group_rank,
	        .root = op->root,
	        .in_place = op->send_buffer == op->recv_buffer,
	        .chunk_bytes = c->plan->chunk_bytes ? (size_t)c->plan->chunk_bytes : CHUNK_BYTES,
	        .direct_bytes = DIRECT_BYTES,
	};
	enum status s = ring_schedule_make(&q, &b->schedule);
	if (s == ST_OK) {
		b->send_link = calloc(b->schedule.sends + 1, sizeof(struct ring_link *));
		b->recv_link = calloc(b->schedule.recvs + 1, sizeof(struct ring_link *));
		b->sent = calloc(WINDOW, sizeof *b->sent);
		b->received = calloc(WINDOW, sizeof *b->received);
		if (!b->send_link || !b->recv_link || !b->sent || !b->received)
			s = fail(ST_NOMEM, "no memory for %zu pieces", b->schedule.sends + b->schedule.recvs);
	}
	if (s == ST_OK)
		s = ring_links_register(c->links, op->send_buffer);
	if (s == ST_OK)
		s = ring_links_register(c->links, op->recv_buffer);
	if (s == ST_OK)
		s = make_scratch(b);
	if (s == ST_OK)
		s = get_links(b);
	if (s == ST_OK)
		*out = b;
	else
		unbind(b);
	return s;
}

/* --- carrying it out
 * ----------------------------------------------------------------------------------------------------------
 */

static unsigned char *place(const struct bound *b, struct ring_piece p)
{
	switch (p.buffer) {
	case RING_SEND:
		if (b->scales)
			return (unsigned char *)b->scratch.base + b->scaled_at + p.offset_bytes;
		return (unsigned char *)(uintptr_t)b->op.send + b->shift_bytes + p.offset_bytes;
	case RING_RECV:
		return (unsigned char *)b->op.recv + b->shift_bytes + p.offset_bytes;
	case RING_SCRATCH:
		return (unsigned char *)b->scratch.base + p.offset_bytes;
	default:
		return NULL;
	}
}

static enum status start(struct bound *b, size_t shift_bytes)
{
	b->shift_bytes = shift_bytes;
	b->sends = b->recvs = b->sends_done = b->recvs_done = 0;
	b->running = true;
	b->copied = false;
	if (!b->scales || !b->send_bytes)
		return ST_OK;
	const void *input = (const unsigned char *)b->op.send + shift_bytes;
	return b->scratch.kind->scale((unsigned char *)b->scratch.base + b->scaled_at, input,
	        b->op.shape.send, b->op.dtype,
	        element_mulsum_scalar((uint32_t)b->communicator->world->group_rank));
}

static enum status copy_own(struct bound *b)
{
	const struct memory_kind *kind = b->op.recv_buffer->kind;
	b->copied = true;
	for (size_t i = 0; i < b->schedule.copies; i++) {
		const struct ring_copy *c = &b->schedule.copy[i];
		if (place(b, c->to) == place(b, c->from))
			continue;
		enum status s = kind->copy(place(b, c->to), place(b, c->from), c->bytes);
		if (s != ST_OK)
			return s;
	}
	return ST_OK;
}

static bool landed(const struct flight *f)
{
	return f->link->transport->completed(f->link->link) >= f->until;
}

/* The average's division, as soon as the last input of a piece is in. */
static enum status finish_piece(struct bound *b, const struct ring_recv *r)
{
	if (!r->final || b->op.redop != OP_AVG)
		return ST_OK;
	void *at = place(b, r->to);
	return b->op.recv_buffer->kind->divide(
	        at, at, r->bytes / b->op.shape.elem_bytes, b->op.dtype, b->communicator->world->group_ranks);
}

/* Counts what has completed, then posts all that may go now. *moved_p: whether anything changed. */
static enum status advance(struct bound *b, bool *moved_p)
{
	const struct ring_schedule *s = &b->schedule;
	while (b->sends_done < b->sends && landed(&b->sent[b->sends_done % WINDOW])) {
		b->sends_done++;
		*moved_p = true;
	}
	while (b->recvs_done < b->recvs && landed(&b->received[b->recvs_done % WINDOW])) {
		const struct ring_recv *r = &s->recv[b->recvs_done];
		enum status status = finish_piece(b, r);
		if (status != ST_OK)
			return status;
		b->communicator->moved += r->bytes;
		b->recvs_done++;
		*moved_p = true;
	}
	while (b->recvs < s->recvs && b->recvs - b->recvs_done < WINDOW &&
	        b->sends_done >= s->recv[b->recvs].after) {
		const struct ring_recv *r = &s->recv[b->recvs];
		struct ring_link *l = b->recv_link[b->recvs];
		const struct landing landing = {
		        place(b, r->to), place(b, r->with), r->bytes, b->op.dtype, b->op.redop};
		enum status status = l->transport->recv(l->link, &landing);
		if (status != ST_OK)
			return status;
		l->posted += r->bytes;
		b->received[b->recvs++ % WINDOW] = (struct flight){l, l->posted};
		*moved_p = true;
	}
	while (b->sends < s->sends && b->sends - b->sends_done < WINDOW &&
	        b->recvs_done >= s->send[b->sends].after) {
		const struct ring_send *e = &s->send[b->sends];
		struct ring_link *l = b->send_link[b->sends];
		enum status status = l->transport->send(l->link, place(b, e->from), e->bytes);
		if (status != ST_OK)
			return status;
		l->posted += e->bytes;
		b->sent[b->sends++ % WINDOW] = (struct flight){l, l->posted};
		*moved_p = true;
	}
	return ST_OK;
}

static bool complete(const struct bound *b)
{
	return b->copied && b->sends_done == b->schedule.sends && b->recvs_done == b->schedule.recvs;
}

/* Everything that can be done without waiting. */
static enum status step(struct bound *b, bool *moved_p)
{
	enum status s = ST_OK;
	if (!b->copied && b->schedule.copy_first)
		s = copy_own(b);
	if (s == ST_OK)
		s = advance(b, moved_p);
	if (s == ST_OK && !b->copied)
		s = copy_own(b);
	if (s == ST_OK)
		s = ring_links_progress(b->communicator->links);
	if (s == ST_OK)
		s = advance(b, moved_p);
	return s;
}

/* Sleeps until something may have moved. What came while it was going to sleep counts as moved. */
static enum status doze(struct bound *b, int64_t wait_ns, bool *moved_p)
{
	struct waiter *w = ring_links_waiter(b->communicator->links);
	waiter_arm(w);
	enum status s = step(b, moved_p);
	if (s == ST_OK && !*moved_p)
		waiter_sleep(w, wait_ns);
	else
		waiter_disarm(w);
	return s;
}

static enum status poll_ring(struct bound *b, int64_t wait_ns, bool *done_p)
{
	int64_t idle_since_ns = 0, until_ns = 0;
	if (b->communicator->cancelled)
		return fail(ST_PEER, "the operation was cancelled");
	while (b->running) {
		bool moved = false;
		enum status s = step(b, &moved);
		if (s != ST_OK)
			return s;
		if (complete(b)) {
			b->running = false;
			break;
		}
		int64_t now_ns = clock_ns();
		if (moved || !idle_since_ns)
			idle_since_ns = now_ns;
		until_ns = until_ns ? until_ns : now_ns + wait_ns;
		if (moved ||
		        now_ns - idle_since_ns < waiter_spin_ns(ring_links_waiter(b->communicator->links)))
			continue;
		if (now_ns >= until_ns)
			break;
		s = doze(b, until_ns - now_ns, &moved);
		if (s != ST_OK)
			return s;
	}
	*done_p = !b->running;
	return ST_OK;
}

static enum status cancel(struct communicator *c)
{
	c->cancelled = true;
	ring_links_close(c->links);
	c->links = NULL;
	return ST_OK;
}

static uint64_t moved_bytes(const struct communicator *c)
{
	return c->moved;
}

/* --- lining ranks up: an all_reduce of a few bytes, which nobody leaves before everybody came
 * ------------------------------------ */

static enum status make_line_up(struct communicator *c)
{
	const struct memory_kind *host = memory_kind_find("host");
	enum status s = host->alloc(0, 128, &c->line_up_buffer);
	if (s != ST_OK)
		return s;
	const struct collective *all_reduce = collective_find("all_reduce");
	const struct operation op = {
	        .collective = all_reduce,
	        .shape = all_reduce->shape(1, sizeof(float), c->world->group_ranks, NULL),
	        .dtype = DT_FLOAT,
	        .redop = OP_MAX,
	        .root = ALL_RANKS,
	        .send = c->line_up_buffer.base,
	        .recv = c->line_up_buffer.base,
	        .send_buffer = &c->line_up_buffer,
	        .recv_buffer = &c->line_up_buffer,
	};
	return bind_ring(c, &op, &c->line_up);
}

static enum status sync_ring(struct communicator *c)
{
	bool done = false;
	enum status s = c->line_up ? ST_OK : world_agree(c->world, make_line_up(c));
	if (s == ST_OK)
		s = start(c->line_up, 0);
	while (s == ST_OK && !done)
		s = poll_ring(c->line_up, 100000000, &done);
	return s;
}

static void seen(struct bound *b, struct seen *out)
{
	*out = (struct seen){.channels = 1};
	if (b->communicator->links)
		ring_links_seen(b->communicator->links, out->transport, sizeof out->transport);
	strncpy(out->algorithm, b->schedule.algorithm, sizeof out->algorithm - 1);
	strncpy(out->protocol, "simple", sizeof out->protocol - 1);
}

extern const struct backend backend_ring;
const struct backend backend_ring = {
        .name = "ring",
        .help = "the suite's own collectives over shared memory and TCP",
        .probe = probe,
        .open = open_ring,
        .supports = supports,
        .bind = bind_ring,
        .start = start,
        .poll = poll_ring,
        .cancel = cancel,
        .moved_bytes = moved_bytes,
        .sync = sync_ring,
        .seen = seen,
        .unbind = unbind,
        .close = close_ring,
};
