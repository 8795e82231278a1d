/* ring.c - our own collectives on host memory: schedules (ring_schedule.h) carried out (ring_execute.h) over
 * links between ranks (ring_links.h). */
#include "bench/backend/backend.h"
#include "bench/backend/ring_execute.h"

#include "bench/core/types.h"
#include "kernels/element.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CHUNK_BYTES = 128 * 1024,     /* several of them stay in a core's second-level cache */
	CHUNK_FAR_BYTES = 256 * 1024, /* on a wire, or where ranks take turns on a core: fewer wake-ups */
	LAG = 4,                      /* there: chunks under way while one's answer is */
	THROUGH_BYTES = 1024 * 1024,  /* two buffers of this size fill a core's second-level cache */
	EXCHANGE_BYTES = 2048, /* all_reduce: up to here one step of n-1 messages beats several steps */
	EXCHANGE_RANKS = 16,
	SYNC_WAIT_NS = 1000000000,
};

static const int64_t spin_alone_ns = 50000; /* when every rank has a core */

struct communicator {
	struct world *world;
	const struct plan *plan;
	struct waiter *waiter;
	struct links links;
	struct buffer scratch;
	struct schedule barrier;
	struct execution barrier_run;
	unsigned char tokens[128];
	bool open; /* false: cancelled */
};

struct bound {
	struct communicator *on;
	struct operation op;
	struct schedule plan;
	struct execution run;
};

static enum status probe(char *why, size_t why_bytes)
{
	(void)why, (void)why_bytes;
	return ST_OK;
}

static enum status ended(void)
{
	return fail(ST_PEER, "the links of this communicator were closed");
}

/* --- opening and closing --- */

static void close_communicator(struct communicator *c)
{
	if (c->scratch.base)
		c->scratch.kind->free(&c->scratch);
	if (c->open)
		links_close(&c->links);
	execution_free(&c->barrier_run);
	schedule_free(&c->barrier);
	waiter_close(c->waiter);
	free(c);
}

/* A rank spins only while no other one of its node needs the core. */
static enum status open_links(struct communicator *c)
{
	int cores = 0;
	enum status s = links_count_cores(c->world, &cores);
	if (s == ST_OK)
		s = world_agree(c->world,
		        waiter_open(c->world->local_ranks <= cores ? spin_alone_ns : 0, &c->waiter));
	if (s == ST_OK)
		s = links_open(c->world, c->plan, c->waiter, &c->links);
	c->open = s == ST_OK;
	return s;
}

static enum status make_barrier(struct communicator *c)
{
	enum status s = schedule_barrier(c->world->group_ranks, c->world->group_rank, &c->barrier);
	if (s != ST_OK)
		return s;
	c->barrier_run = (struct execution){.links = &c->links, .plan = &c->barrier, .dtype = DT_UINT8};
	c->barrier_run.base[IN_SCRATCH] = c->tokens;
	return execution_make(&c->barrier_run);
}

static enum status open_communicator(struct world *w, const struct plan *plan, struct communicator **out)
{
	struct communicator *c = calloc(1, sizeof *c);
	enum status s = world_agree(w, c ? ST_OK : fail(ST_NOMEM, "no memory for a communicator"));
	if (s != ST_OK) {
		free(c);
		return s;
	}
	c->world = w;
	c->plan = plan;
	s = open_links(c);
	if (s == ST_OK)
		s = make_barrier(c);
	if (s == ST_OK)
		*out = c;
	else
		close_communicator(c);
	return s;
}

static enum status supports(
        struct communicator *c, const struct collective *collective, enum dtype dtype, enum redop redop)
{
	(void)dtype, (void)redop;
	return collective->runs_on(c->world->group_ranks);
}

static enum status cancel(struct communicator *c)
{
	if (c->open)
		links_close(&c->links);
	c->open = false;
	return ST_OK;
}

/* --- operations --- */

static enum algorithm choose_algorithm(const struct communicator *c, const struct operation *op)
{
	size_t bytes = shape_size_bytes(&op->shape, op->shape.elem_bytes);
	if (!strcmp(op->collective->name, "all_reduce") && bytes <= EXCHANGE_BYTES &&
	        c->links.n <= EXCHANGE_RANKS)
		return ALGORITHM_EXCHANGE;
	return c->links.shared_memory ? ALGORITHM_DIRECT : ALGORITHM_RING;
}

static enum status plan_operation(struct bound *b)
{
	const struct communicator *c = b->on;
	const struct operation *op = &b->op;
	size_t chunk = (size_t)c->plan->chunk_bytes;
	/* With a core for each rank, what was just received is still in the cache when it goes on. */
	bool in_cache = c->links.shared_memory && waiter_spin_ns(c->waiter);
	struct schedule_request ask = {
	        .collective = op->collective,
	        .shape = &op->shape,
	        .traffic = op->traffic,
	        .n = c->links.n,
	        .rank = c->world->group_rank,
	        .root = op->root,
	        .algorithm = choose_algorithm(c, op),
	        .chunk_bytes = chunk      ? chunk
	                       : in_cache ? CHUNK_BYTES
	                                  : CHUNK_FAR_BYTES,
	        .lag = in_cache ? 1 : LAG,
	        .through = shape_size_bytes(&op->shape, op->shape.elem_bytes) >= THROUGH_BYTES,
	        .in_place = op->send_buffer->base == op->recv_buffer->base,
	        .scales =
	                op->redop == OP_MULSUM && element_mulsum_scalar((uint32_t)c->world->group_rank) != 1,
	        .divides = op->redop == OP_AVG,
	};
	return schedule_build(&ask, &b->plan);
}

/* One scratch buffer serves all operations, one after the other. */
static enum status make_scratch(struct communicator *c, size_t bytes, const struct buffer *like)
{
	if (bytes <= c->scratch.bytes)
		return ST_OK;
	if (c->scratch.base) {
		links_forget(&c->links, &c->scratch);
		c->scratch.kind->free(&c->scratch);
	}
	c->scratch = (struct buffer){0};
	return like->kind->alloc(like->device, bytes, &c->scratch);
}

static enum status register_buffers(struct communicator *c, const struct operation *op)
{
	enum status s = links_register(&c->links, op->send_buffer);
	if (s == ST_OK)
		s = links_register(&c->links, op->recv_buffer);
	if (s == ST_OK && c->scratch.base)
		s = links_register(&c->links, &c->scratch);
	return s;
}

static void unbind(struct bound *b)
{
	execution_free(&b->run);
	schedule_free(&b->plan);
	free(b);
}

static enum status prepare(struct bound *b)
{
	struct communicator *c = b->on;
	enum status s = plan_operation(b);
	if (s == ST_OK)
		s = make_scratch(c, b->plan.scratch_bytes, b->op.recv_buffer);
	if (s == ST_OK)
		s = register_buffers(c, &b->op);
	b->run = (struct execution){
	        .links = &c->links,
	        .plan = &b->plan,
	        .memory = b->op.recv_buffer->kind,
	        .dtype = b->op.dtype,
	        .redop = b->op.redop == OP_AVG || b->op.redop == OP_MULSUM ? OP_SUM : b->op.redop,
	        .ranks = c->links.n,
	        .scale = element_mulsum_scalar((uint32_t)c->world->group_rank),
	};
	if (s == ST_OK)
		s = execution_make(&b->run);
	/* Last: peers wait for us there. */
	return s == ST_OK ? links_connect(&c->links, &b->plan) : s;
}

static enum status bind(struct communicator *c, const struct operation *op, struct bound **out)
{
	if (!c->open)
		return ended();
	struct bound *b = calloc(1, sizeof *b);
	if (!b)
		return fail(ST_NOMEM, "no memory for an operation");
	b->on = c;
	b->op = *op;
	enum status s = prepare(b);
	if (s == ST_OK)
		*out = b;
	else
		unbind(b);
	return s;
}

static enum status poll(struct bound *b, int64_t wait_ns, bool *done_p)
{
	return b->on->open ? execution_poll(&b->run, wait_ns, done_p) : ended();
}

/* Carries one that is still running to its end first. */
static enum status start(struct bound *b, size_t shift_bytes)
{
	enum status s = b->on->open ? ST_OK : ended();
	for (bool done = !b->run.running; s == ST_OK && !done;)
		s = execution_poll(&b->run, SYNC_WAIT_NS, &done);
	if (s != ST_OK)
		return s;
	/* Sends only read what they are given. */
	b->run.base[IN_SEND] = (unsigned char *)(uintptr_t)b->op.send + shift_bytes;
	b->run.base[IN_RECV] = (unsigned char *)b->op.recv + shift_bytes;
	b->run.base[IN_SCRATCH] = b->on->scratch.base;
	return execution_start(&b->run);
}

static enum status sync(struct communicator *c)
{
	enum status s = c->open ? links_connect(&c->links, &c->barrier) : ended();
	if (s == ST_OK)
		s = execution_start(&c->barrier_run);
	for (bool done = false; s == ST_OK && !done;)
		s = execution_poll(&c->barrier_run, SYNC_WAIT_NS, &done);
	return s;
}

static uint64_t moved_bytes(const struct communicator *c)
{
	return c->open ? links_moved_bytes(&c->links) : 0;
}

static void seen(struct bound *b, struct seen *out)
{
	*out = (struct seen){
	        .protocol = "simple", .channels = b->on->plan->streams > 1 ? b->on->plan->streams : 1};
	snprintf(out->algorithm, sizeof out->algorithm, "%s", b->plan.algorithm);
	if (b->on->open)
		links_name(&b->on->links, &b->plan, out->transport, sizeof out->transport);
}

extern const struct backend backend_ring;
const struct backend backend_ring = {
        .name = "ring",
        .help = "our own collectives on host memory, over shared memory and TCP",
        .probe = probe,
        .open = open_communicator,
        .supports = supports,
        .bind = bind,
        .start = start,
        .poll = poll,
        .cancel = cancel,
        .moved_bytes = moved_bytes,
        .sync = sync,
        .seen = seen,
        .unbind = unbind,
        .close = close_communicator,
};
