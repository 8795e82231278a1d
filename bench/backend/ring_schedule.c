/* ring_schedule.c - which piece goes where, in which order. One function a family of collectives. */
#include "bench/backend/ring_schedule.h"

#include "bench/collective/alltoallv.h"

#include <stdlib.h>
#include <string.h>

enum { DIRECT_RANKS_MOST = 16, CHAIN_SLOTS = 8 };

/* A schedule being written; the first failure sticks. */
struct draft {
	const struct ring_question *q;
	struct ring_schedule *out;
	size_t send_room, recv_room;
	bool failed;
};

static struct ring_piece piece(enum ring_buffer buffer, size_t offset_bytes)
{
	return (struct ring_piece){buffer, offset_bytes};
}

static void add_send(struct draft *d, struct ring_send send)
{
	struct ring_schedule *s = d->out;
	if (!send.bytes || d->failed)
		return;
	if (s->sends == d->send_room) {
		size_t room = d->send_room ? d->send_room * 2 : 16;
		struct ring_send *grown = realloc(s->send, room * sizeof *grown);
		if (!grown) {
			d->failed = true;
			return;
		}
		s->send = grown;
		d->send_room = room;
	}
	s->send[s->sends++] = send;
}

static void add_recv(struct draft *d, struct ring_recv recv)
{
	struct ring_schedule *s = d->out;
	if (!recv.bytes || d->failed)
		return;
	if (s->recvs == d->recv_room) {
		size_t room = d->recv_room ? d->recv_room * 2 : 16;
		struct ring_recv *grown = realloc(s->recv, room * sizeof *grown);
		if (!grown) {
			d->failed = true;
			return;
		}
		s->recv = grown;
		d->recv_room = room;
	}
	s->recv[s->recvs++] = recv;
}

static void add_copy(struct draft *d, struct ring_piece from, struct ring_piece to, size_t bytes)
{
	if (bytes)
		d->out->copy[d->out->copies++] = (struct ring_copy){from, to, bytes};
}

static int modulo(int a, int n)
{
	return (a % n + n) % n;
}

/* Chunk c of n of a buffer, in whole elements. */
static size_t chunk_start(const struct draft *d, int c)
{
	size_t elems = d->q->shape->recv;
	return (elems / (size_t)d->q->n * (size_t)c + elems % (size_t)d->q->n * (size_t)c / (size_t)d->q->n) *
	       d->q->shape->elem_bytes;
}

/* Bytes of the pipeline's pieces: whole elements of every type. */
static size_t piece_bytes(const struct draft *d)
{
	size_t bytes = d->q->chunk_bytes & ~(size_t)63;
	return bytes ? bytes : 64;
}

/* How many pieces, the last one shorter, make up so many bytes. */
static size_t pieces_in(const struct draft *d, size_t bytes)
{
	return (bytes + piece_bytes(d) - 1) / piece_bytes(d);
}

static size_t piece_length(const struct draft *d, size_t bytes, size_t j)
{
	size_t left = bytes - j * piece_bytes(d);
	return left < piece_bytes(d) ? left : piece_bytes(d);
}

struct span { /* a chunk in a buffer */
	enum ring_buffer buffer;
	size_t start, bytes;
};

/* One step of a ring: a chunk goes to the next rank while another comes from the one before. Piece j of the
 * chunk that is passed on can go once piece j of the step before has come, which is the receive number
 * received + j. */
struct step {
	struct span out, in;
	enum ring_buffer with; /* RING_NOTHING: a plain receive */
	size_t with_start;
	bool first; /* nothing has to come in before it can go out */
	bool final;
	size_t received; /* receives before those that this step passes on */
	bool reuses;     /* what comes in overwrites what the step before sent: */
	size_t sent;     /* sends before those */
};

static void add_step(struct draft *d, const struct step *s)
{
	int next = modulo(d->q->rank + 1, d->q->n), before = modulo(d->q->rank - 1, d->q->n);
	for (size_t j = 0; j < pieces_in(d, s->out.bytes); j++)
		add_send(d, (struct ring_send){
		                    .peer = next,
		                    .from = piece(s->out.buffer, s->out.start + j * piece_bytes(d)),
		                    .bytes = piece_length(d, s->out.bytes, j),
		                    .after = s->first ? 0 : s->received + j + 1,
		            });
	for (size_t j = 0; j < pieces_in(d, s->in.bytes); j++)
		add_recv(d, (struct ring_recv){
		                    .peer = before,
		                    .to = piece(s->in.buffer, s->in.start + j * piece_bytes(d)),
		                    .with = piece(s->with, s->with_start + j * piece_bytes(d)),
		                    .bytes = piece_length(d, s->in.bytes, j),
		                    .after = s->reuses ? s->sent + j + 1 : 0,
		                    .final = s->final,
		            });
}

/* Everybody sends everything to everybody: one step, for sizes at which steps are what costs. */
static void all_reduce_direct(struct draft *d)
{
	const struct ring_question *q = d->q;
	size_t bytes = q->shape->recv * q->shape->elem_bytes;
	enum ring_buffer from = RING_SEND;
	d->out->algorithm = "direct";
	d->out->copy_first = true;
	if (q->in_place) { /* the result grows where the input was: peers read a copy of it */
		add_copy(d, piece(RING_SEND, 0), piece(RING_SCRATCH, 0), bytes);
		d->out->scratch_bytes = bytes;
		from = RING_SCRATCH;
	}
	add_copy(d, piece(RING_SEND, 0), piece(RING_RECV, 0), bytes);
	for (int i = 1; i < q->n; i++) {
		add_send(d, (struct ring_send){modulo(q->rank + i, q->n), piece(from, 0), bytes, 0});
		add_recv(d, (struct ring_recv){
		                    .peer = modulo(q->rank - i, q->n),
		                    .to = piece(RING_RECV, 0),
		                    .with = piece(RING_RECV, 0),
		                    .bytes = bytes,
		                    .final = i == q->n - 1,
		            });
	}
}

static void all_reduce(struct draft *d)
{
	const struct ring_question *q = d->q;
	int n = q->n, r = q->rank;
	size_t bytes = q->shape->recv * q->shape->elem_bytes;
	if (n == 1) {
		if (!q->in_place)
			add_copy(d, piece(RING_SEND, 0), piece(RING_RECV, 0), bytes);
		return;
	}
	if (bytes <= q->direct_bytes && n <= DIRECT_RANKS_MOST) {
		all_reduce_direct(d);
		return;
	}
	size_t received = 0;
	for (int s = 0; s < 2 * (n - 1); s++) {
		bool reduces = s < n - 1;
		int out = reduces ? modulo(r - s, n) : modulo(r + 1 - (s - n + 1), n),
		    in = modulo(out - 1, n);
		size_t out_start = chunk_start(d, out), in_start = chunk_start(d, in);
		struct step step = {
		        .out = {s ? RING_RECV : RING_SEND, out_start, chunk_start(d, out + 1) - out_start},
		        .in = {RING_RECV, in_start, chunk_start(d, in + 1) - in_start},
		        .with = reduces ? RING_SEND : RING_NOTHING,
		        .with_start = in_start,
		        .first = s == 0,
		        .final = s == n - 2,
		        .received = received,
		};
		received = d->out->recvs;
		add_step(d, &step);
	}
}

/* Partial sums on their way wait in scratch memory, two steps' worth in turn. */
static void reduce_scatter(struct draft *d)
{
	const struct ring_question *q = d->q;
	int n = q->n, r = q->rank;
	size_t share = q->shape->recv * q->shape->elem_bytes, received = 0, sent = 0;
	if (n == 1) {
		if (!q->in_place)
			add_copy(d, piece(RING_SEND, 0), piece(RING_RECV, 0), share);
		return;
	}
	d->out->scratch_bytes = n > 2 ? 2 * share : 0;
	for (int s = 0; s < n - 1; s++) {
		int out = modulo(r - s - 1, n), in = modulo(r - s - 2, n);
		bool last = s == n - 2;
		struct step step = {
		        .out = s ? (struct span){RING_SCRATCH, (size_t)((s - 1) % 2) * share, share}
		                 : (struct span){RING_SEND, (size_t)out * share, share},
		        .in = last ? (struct span){RING_RECV, 0, share}
		                   : (struct span){RING_SCRATCH, (size_t)(s % 2) * share, share},
		        .with = RING_SEND,
		        .with_start = (size_t)in * share,
		        .first = s == 0,
		        .final = last,
		        .received = received,
		        .reuses = s >= 2 && !last,
		        .sent = sent,
		};
		received = d->out->recvs;
		sent = s ? d->out->sends : 0;
		add_step(d, &step);
	}
}

static void all_gather(struct draft *d)
{
	const struct ring_question *q = d->q;
	int n = q->n, r = q->rank;
	size_t share = q->shape->send * q->shape->elem_bytes, received = 0;
	if (!q->in_place)
		add_copy(d, piece(RING_SEND, 0), piece(RING_RECV, (size_t)r * share), share);
	for (int s = 0; s < n - 1; s++) {
		int out = modulo(r - s, n), in = modulo(r - s - 1, n);
		struct step step = {
		        .out = s ? (struct span){RING_RECV, (size_t)out * share, share}
		                 : (struct span){RING_SEND, 0, share},
		        .in = {RING_RECV, (size_t)in * share, share},
		        .with = RING_NOTHING,
		        .first = s == 0,
		        .received = received,
		};
		received = d->out->recvs;
		add_step(d, &step);
	}
}

/* A chain from the root round the ring. */
static void broadcast(struct draft *d)
{
	const struct ring_question *q = d->q;
	size_t bytes = q->shape->send * q->shape->elem_bytes;
	int position = modulo(q->rank - q->root, q->n);
	d->out->algorithm = "chain";
	if (position == 0 && !q->in_place)
		add_copy(d, piece(RING_SEND, 0), piece(RING_RECV, 0), bytes);
	for (size_t j = 0; j < pieces_in(d, bytes); j++) {
		size_t at = j * piece_bytes(d), length = piece_length(d, bytes, j);
		if (position > 0)
			add_recv(d, (struct ring_recv){
			                    .peer = modulo(q->rank - 1, q->n),
			                    .to = piece(RING_RECV, at),
			                    .with = piece(RING_NOTHING, 0),
			                    .bytes = length,
			            });
		if (position < q->n - 1)
			add_send(d, (struct ring_send){
			                    .peer = modulo(q->rank + 1, q->n),
			                    .from = piece(position ? RING_RECV : RING_SEND, at),
			                    .bytes = length,
			                    .after = position ? j + 1 : 0,
			            });
	}
}

/* A chain that ends at the root; partial sums on their way use a few slots in turn. */
static void reduce(struct draft *d)
{
	const struct ring_question *q = d->q;
	size_t bytes = q->shape->send * q->shape->elem_bytes;
	int position = modulo(q->rank - q->root - 1, q->n), last = q->n - 1;
	d->out->algorithm = "chain";
	if (q->n == 1 && !q->in_place)
		add_copy(d, piece(RING_SEND, 0), piece(RING_RECV, 0), bytes);
	if (position > 0 && position < last)
		d->out->scratch_bytes = CHAIN_SLOTS * piece_bytes(d);
	for (size_t j = 0; j < pieces_in(d, bytes) && q->n > 1; j++) {
		size_t at = j * piece_bytes(d), length = piece_length(d, bytes, j);
		struct ring_piece slot = position == last ? piece(RING_RECV, at)
		                         : position ? piece(RING_SCRATCH, j % CHAIN_SLOTS * piece_bytes(d))
		                                    : piece(RING_SEND, at);
		if (position > 0)
			add_recv(d, (struct ring_recv){
			                    .peer = modulo(q->rank - 1, q->n),
			                    .to = slot,
			                    .with = piece(RING_SEND, at),
			                    .bytes = length,
			                    .after = position < last && j >= CHAIN_SLOTS ? j - CHAIN_SLOTS + 1
			                                                                 : 0,
			                    .final = position == last,
			            });
		if (position < last)
			add_send(d, (struct ring_send){
			                    .peer = modulo(q->rank + 1, q->n),
			                    .from = slot,
			                    .bytes = length,
			                    .after = position ? j + 1 : 0,
			            });
	}
}

/* What one rank sends to another in an alltoall of either kind. */
static size_t pair_bytes(const struct draft *d, int from, int to)
{
	const struct ring_question *q = d->q;
	if (!strcmp(q->collective->name, "alltoallv"))
		return q->collective->block(q->shape, q->n, to, ALL_RANKS, from, q->traffic).elems *
		       q->shape->elem_bytes;
	return q->shape->count * q->shape->elem_bytes;
}

/* In round i every rank sends to the one i further and receives from the one i before: no two to the same. */
static void alltoall(struct draft *d)
{
	const struct ring_question *q = d->q;
	int n = q->n, r = q->rank;
	d->out->algorithm = "pairwise";
	for (int i = 0; i < n; i++) {
		int to = modulo(r + i, n), from = modulo(r - i, n);
		size_t send_start = 0, recv_start = 0;
		for (int peer = 0; peer < to; peer++)
			send_start += pair_bytes(d, r, peer);
		for (int peer = 0; peer < from; peer++)
			recv_start += pair_bytes(d, peer, r);
		if (i == 0) {
			if (!q->in_place)
				add_copy(d, piece(RING_SEND, send_start), piece(RING_RECV, recv_start),
				        pair_bytes(d, r, r));
			continue;
		}
		add_send(d, (struct ring_send){to, piece(RING_SEND, send_start), pair_bytes(d, r, to), 0});
		add_recv(d, (struct ring_recv){
		                    .peer = from,
		                    .to = piece(RING_RECV, recv_start),
		                    .with = piece(RING_NOTHING, 0),
		                    .bytes = pair_bytes(d, from, r),
		            });
	}
}

static void gather(struct draft *d)
{
	const struct ring_question *q = d->q;
	size_t share = q->shape->send * q->shape->elem_bytes;
	d->out->algorithm = "direct";
	if (q->rank != q->root) {
		add_send(d, (struct ring_send){q->root, piece(RING_SEND, 0), share, 0});
		return;
	}
	if (!q->in_place)
		add_copy(d, piece(RING_SEND, 0), piece(RING_RECV, (size_t)q->rank * share), share);
	for (int i = 1; i < q->n; i++) {
		int peer = modulo(q->root + i, q->n);
		add_recv(d, (struct ring_recv){
		                    .peer = peer,
		                    .to = piece(RING_RECV, (size_t)peer * share),
		                    .with = piece(RING_NOTHING, 0),
		                    .bytes = share,
		            });
	}
}

static void scatter(struct draft *d)
{
	const struct ring_question *q = d->q;
	size_t share = q->shape->recv * q->shape->elem_bytes;
	d->out->algorithm = "direct";
	if (q->rank != q->root) {
		add_recv(d, (struct ring_recv){.peer = q->root,
		                    .to = piece(RING_RECV, 0),
		                    .with = piece(RING_NOTHING, 0),
		                    .bytes = share});
		return;
	}
	if (!q->in_place)
		add_copy(d, piece(RING_SEND, (size_t)q->rank * share), piece(RING_RECV, 0), share);
	for (int i = 1; i < q->n; i++) {
		int peer = modulo(q->root + i, q->n);
		add_send(d, (struct ring_send){peer, piece(RING_SEND, (size_t)peer * share), share, 0});
	}
}

static void sendrecv(struct draft *d)
{
	const struct ring_question *q = d->q;
	size_t bytes = q->shape->send * q->shape->elem_bytes;
	d->out->algorithm = "direct";
	if (q->n == 1) {
		if (!q->in_place)
			add_copy(d, piece(RING_SEND, 0), piece(RING_RECV, 0), bytes);
		return;
	}
	add_send(d, (struct ring_send){modulo(q->rank + 1, q->n), piece(RING_SEND, 0), bytes, 0});
	add_recv(d, (struct ring_recv){
	                    .peer = modulo(q->rank - 1, q->n),
	                    .to = piece(RING_RECV, 0),
	                    .with = piece(RING_NOTHING, 0),
	                    .bytes = bytes,
	            });
}

/* Neighbours along each dimension exchange all they have: 1, 2, 4 .. shares. */
static void hypercube(struct draft *d)
{
	const struct ring_question *q = d->q;
	size_t share = q->shape->send * q->shape->elem_bytes;
	d->out->algorithm = "hypercube";
	d->out->copy_first = true;
	if (!q->in_place)
		add_copy(d, piece(RING_SEND, 0), piece(RING_RECV, (size_t)q->rank * share), share);
	for (int reach = 1; reach < q->n; reach *= 2) {
		int peer = q->rank ^ reach, mine = q->rank & ~(reach - 1), theirs = peer & ~(reach - 1);
		size_t bytes = (size_t)reach * share;
		add_send(d, (struct ring_send){
		                    peer, piece(RING_RECV, (size_t)mine * share), bytes, d->out->recvs});
		add_recv(d, (struct ring_recv){
		                    .peer = peer,
		                    .to = piece(RING_RECV, (size_t)theirs * share),
		                    .with = piece(RING_NOTHING, 0),
		                    .bytes = bytes,
		            });
	}
}

enum status ring_schedule_make(const struct ring_question *q, struct ring_schedule *out)
{
	static const struct {
		const char *collective;
		void (*write)(struct draft *);
	} writers[] = {
	        {"all_reduce", all_reduce},
	        {"reduce_scatter", reduce_scatter},
	        {"all_gather", all_gather},
	        {"alltoall", alltoall},
	        {"alltoallv", alltoall},
	        {"broadcast", broadcast},
	        {"reduce", reduce},
	        {"gather", gather},
	        {"scatter", scatter},
	        {"sendrecv", sendrecv},
	        {"hypercube", hypercube},
	};
	*out = (struct ring_schedule){.algorithm = "ring"};
	struct draft d = {.q = q, .out = out};
	for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
		if (!strcmp(writers[i].collective, q->collective->name)) {
			writers[i].write(&d);
			if (!d.failed)
				return ST_OK;
			ring_schedule_free(out);
			return fail(ST_NOMEM, "no memory for the schedule of '%s'", q->collective->name);
		}
	return fail(ST_UNSUPPORTED, "the ring backend has no '%s'", q->collective->name);
}

void ring_schedule_free(struct ring_schedule *s)
{
	free(s->send);
	free(s->recv);
	*s = (struct ring_schedule){0};
}
