/* test_ring.c - the ring backend for real, between threads: every collective over every transport, types and
 * operations, both placements, counts that do not divide, and what a cancelled communicator says. */
#include "bench/backend/backend.h"
#include "bench/core/types.h"
#include "bench/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#undef fail /* ours */

extern const struct backend backend_ring;
extern const struct bootstrap bootstrap_single;
extern const struct memory_kind memory_host;

enum { BUFFER_BYTES = 1 << 20, SHIFT_BYTES = 4096 };

static const int64_t poll_ns = 1000000000;
static const struct traffic
        *const no_traffic; /* alltoallv needs a matrix or a spread: the command line has it */

struct job {
	struct plan plan;
	enum dtype dtype;
	enum redop redop;
};

struct bench { /* of one rank */
	struct world *world;
	struct job job;
	struct communicator *communicator;
	struct buffer send, recv;
};

static struct pattern pattern_of(const struct bench *b, const struct operation *op)
{
	return (struct pattern){
	        .dtype = op->dtype, .redop = op->redop, .seed = 5, .ranks = b->world->group_ranks};
}

static enum status carry_out(struct bench *b, const struct operation *op, size_t shift_bytes)
{
	struct bound *bound = NULL;
	bool done = false;
	enum status s = world_agree(b->world, backend_ring.bind(b->communicator, op, &bound));
	if (s == ST_OK)
		s = backend_ring.start(bound, shift_bytes);
	while (s == ST_OK && !done)
		s = backend_ring.poll(bound, poll_ns, &done);
	if (bound)
		backend_ring.unbind(bound);
	return world_agree(b->world, s);
}

static enum status verify(struct bench *b, const struct operation *op, size_t shift_bytes)
{
	const struct collective *c = op->collective;
	struct pattern pattern = pattern_of(b, op);
	int n = b->world->group_ranks, rank = b->world->group_rank;
	for (int i = 0; i < c->blocks(n, rank, op->root); i++) {
		struct block block = c->block(&op->shape, n, rank, op->root, i, no_traffic);
		struct mismatch wrong = {0};
		const char *got = (const char *)op->recv + shift_bytes + block.offset * op->shape.elem_bytes;
		enum status s = memory_host.verify(&pattern, block.source == ALL_RANKS ? 0 : block.source,
		        block.source_offset, got, block.elems, &wrong);
		if (s != ST_OK)
			return s;
		if (wrong.wrong_elems)
			return fail(ST_MISMATCH, "%s n %d root %d type %s op %s: %llu wrong, first %llu",
			        c->name, n, op->root, dtype_name(op->dtype), redop_name(op->redop),
			        (unsigned long long)wrong.wrong_elems, (unsigned long long)wrong.first_index);
	}
	return ST_OK;
}

static enum status one_case(
        struct bench *b, const struct collective *c, size_t bytes, int root, bool in_place)
{
	size_t elem_bytes = dtype_bytes(b->job.dtype), rank = (size_t)b->world->group_rank;
	struct operation op = {
	        .collective = c,
	        .shape = c->shape(bytes / elem_bytes, elem_bytes, b->world->group_ranks, no_traffic),
	        .dtype = b->job.dtype,
	        .redop = c->reduces ? b->job.redop : OP_NONE,
	        .root = root,
	        .send_buffer = in_place ? &b->recv : &b->send,
	        .recv_buffer = &b->recv,
	};
	size_t send_at = in_place ? op.shape.send_stride * rank * elem_bytes : 0;
	op.recv = (char *)b->recv.base + (in_place ? op.shape.recv_stride * rank * elem_bytes : 0);
	op.send = (char *)op.send_buffer->base + send_at;
	struct pattern pattern = pattern_of(b, &op);
	enum status s = memory_host.zero(b->recv.base, b->recv.bytes);
	if (s == ST_OK)
		s = memory_host.fill(&pattern, (int)rank, 0,
		        (char *)op.send_buffer->base + send_at + SHIFT_BYTES, op.shape.send);
	s = world_agree(b->world, s);
	if (s == ST_OK)
		s = carry_out(b, &op, SHIFT_BYTES);
	return world_agree(b->world, s == ST_OK ? verify(b, &op, SHIFT_BYTES) : s);
}

static enum status all_cases(struct bench *b, const struct collective *c)
{
	static const size_t sizes[] = {0, 4, 40, 5000, 300 * 1000};
	enum status s = ST_OK;
	int n = b->world->group_ranks;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes && s == ST_OK; i++)
		for (int root = c->rooted ? 0 : n - 1; root < n && s == ST_OK; root++)
			for (int in_place = 0; in_place <= c->checked_in_place && s == ST_OK; in_place++)
				s = one_case(b, c, sizes[i], c->rooted ? root : ALL_RANKS, in_place);
	return s;
}

static enum status every_collective(struct bench *b)
{
	enum status s = ST_OK;
	for (int i = 0; collectives[i] && s == ST_OK; i++) {
		bool pairs_only = !strcmp(collectives[i]->name, "hypercube");
		if (!strcmp(collectives[i]->name, "alltoallv") ||
		        (pairs_only && b->world->group_ranks & (b->world->group_ranks - 1)))
			continue;
		s = all_cases(b, collectives[i]);
	}
	return s == ST_OK ? backend_ring.sync(b->communicator) : s;
}

static enum status every_operation(struct bench *b)
{
	enum status s = ST_OK;
	for (b->job.dtype = 0; b->job.dtype < DTYPES && s == ST_OK; b->job.dtype++)
		for (b->job.redop = 0; b->job.redop < REDOPS && s == ST_OK; b->job.redop++)
			s = one_case(b, collective_find("all_reduce"), 9000, ALL_RANKS, b->job.redop % 2);
	return s;
}

/* After a cancel every call says so, and nothing hangs. */
static enum status cancelled(struct bench *b)
{
	const struct collective *c = collective_find("all_reduce");
	struct operation op = {
	        .collective = c,
	        .shape = c->shape(1000, 4, b->world->group_ranks, NULL),
	        .dtype = DT_FLOAT,
	        .root = ALL_RANKS,
	        .send = b->send.base,
	        .recv = b->recv.base,
	        .send_buffer = &b->send,
	        .recv_buffer = &b->recv,
	};
	struct bound *bound = NULL;
	bool done = false;
	enum status s = world_agree(b->world, backend_ring.bind(b->communicator, &op, &bound));
	if (s != ST_OK)
		return s;
	if (b->world->rank == 0) { /* never starts */
		backend_ring.cancel(b->communicator);
		s = backend_ring.start(bound, 0);
	} else {
		s = backend_ring.start(bound, 0);
		while (s == ST_OK && !done)
			s = backend_ring.poll(bound, poll_ns, &done);
		backend_ring.cancel(b->communicator);
	}
	fail_forget();
	backend_ring.unbind(bound);
	return s == ST_PEER ? ST_OK
	                    : fail(ST_MISMATCH, "rank %d got status %d from a cancelled operation",
	                              b->world->rank, s);
}

struct body {
	struct job job;
	enum status (*run)(struct bench *);
};

static enum status rank_body(struct world *w, void *arg)
{
	const struct body *body = arg;
	struct bench b = {.world = w, .job = body->job};
	enum status s = world_agree(w, memory_host.alloc(0, BUFFER_BYTES, &b.send));
	if (s == ST_OK)
		s = world_agree(w, memory_host.alloc(0, BUFFER_BYTES, &b.recv));
	if (s == ST_OK)
		s = world_agree(w, backend_ring.open(w, &body->job.plan, &b.communicator));
	if (s == ST_OK) {
		s = world_agree(w, body->run(&b));
		backend_ring.close(b.communicator);
	}
	world_barrier(w);
	if (b.send.base)
		memory_host.free(&b.send);
	if (b.recv.base)
		memory_host.free(&b.recv);
	return s;
}

static enum status run(int ranks, const char *transport, enum status (*f)(struct bench *))
{
	struct body body = {.job = {.dtype = DT_FLOAT, .redop = OP_SUM}, .run = f};
	const struct world_setup setup = {
	        .bootstrap = &bootstrap_single, .processes = 1, .threads = ranks, .device_base = -1};
	snprintf(body.job.plan.transport, sizeof body.job.plan.transport, "%s", transport);
	body.job.plan.chunk_bytes = 16 * 1024;
	return world_run(&setup, rank_body, &body);
}

static void shm_carries_every_collective(void **state)
{
	(void)state;
	for (int n = 1; n <= 5; n++)
		assert_int_equal(run(n, "shm", every_collective), ST_OK);
}

static void socket_carries_every_collective(void **state)
{
	(void)state;
	for (int n = 2; n <= 4; n++)
		assert_int_equal(run(n, "socket", every_collective), ST_OK);
}

static void all_types_and_operations(void **state)
{
	(void)state;
	assert_int_equal(run(3, "", every_operation), ST_OK);
}

static void cancel_ends_everybody(void **state)
{
	(void)state;
	assert_int_equal(run(3, "shm", cancelled), ST_OK);
	assert_int_equal(run(3, "socket", cancelled), ST_OK);
}

static void an_unknown_transport_is_refused(void **state)
{
	(void)state;
	assert_int_equal(run(2, "pigeon", every_collective), ST_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(shm_carries_every_collective),
	        cmocka_unit_test(socket_carries_every_collective),
	        cmocka_unit_test(all_types_and_operations),
	        cmocka_unit_test(cancel_ends_everybody),
	        cmocka_unit_test(an_unknown_transport_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
