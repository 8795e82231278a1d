/* test_ring_schedule.c - every schedule carried out in a simulation: n ranks, links that are ordered streams,
 * progress in random order, a bounded number of pieces posted.
 *
 * A piece is read when it is delivered, which may be long after it was posted: if its memory was written in
 * between, the simulation sees a difference to what was posted. A state in which nothing can happen before
 * all is done is a deadlock. The result of every rank is compared with the collective's blocks. */
#include "bench/backend/ring_schedule.h"

#include "bench/collective/alltoallv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RANKS_MOST = 17, ELEM_BYTES = sizeof(uint32_t), CHUNK_BYTES = 64 };

static const struct traffic traffic = {.spread = 0.5};

static uint32_t random_state = 1;

static uint32_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return random_state;
}

/* --- ranks and their memory --- */

struct rank {
	struct schedule plan;
	uint32_t *memory[SCHEDULE_BUFFERS]; /* in place IN_SEND is inside IN_RECV */
	uint32_t *own[SCHEDULE_BUFFERS];    /* what to free */
	uint32_t sends_posted, sends_done, recvs_posted, recvs_done;
	bool *sent, *received; /* delivered, by entry */
	uint32_t **snapshot;   /* [send] the bytes when it was posted */
	bool copied;
};

struct run {
	struct schedule_request ask;
	struct shape shape;
	uint32_t window;
	struct rank ranks[RANKS_MOST];
};

static uint32_t input_of(int rank, size_t index)
{
	return (uint32_t)(rank + 1) * 2654435761u ^ (uint32_t)index * 40503u;
}

static uint32_t *at(struct rank *r, struct spot s)
{
	return r->memory[s.in] + s.offset / ELEM_BYTES;
}

static size_t elems_of(size_t bytes)
{
	assert_int_equal(bytes % ELEM_BYTES, 0);
	return bytes / ELEM_BYTES;
}

static void build_rank(struct run *run, int rank)
{
	struct rank *r = &run->ranks[rank];
	const struct shape *shape = &run->shape;
	size_t n = (size_t)run->ask.n,
	       stride = shape->send_stride > shape->recv_stride ? shape->send_stride : shape->recv_stride;
	run->ask.rank = rank;
	assert_int_equal(schedule_build(&run->ask, &r->plan), ST_OK);
	size_t room = (shape->send > shape->recv ? shape->send : shape->recv) + stride * n + 1;
	r->own[IN_RECV] = calloc(room, ELEM_BYTES);
	r->own[IN_SEND] = run->ask.in_place ? NULL : calloc(room, ELEM_BYTES);
	r->own[IN_SCRATCH] = calloc(elems_of(r->plan.scratch_bytes) + 1, ELEM_BYTES);
	r->memory[IN_RECV] = r->own[IN_RECV];
	r->memory[IN_SEND] = r->own[IN_SEND];
	r->memory[IN_SCRATCH] = r->own[IN_SCRATCH];
	if (run->ask.in_place) {
		r->memory[IN_RECV] = r->own[IN_RECV] + shape->recv_stride * (size_t)rank;
		r->memory[IN_SEND] = r->own[IN_RECV] + shape->send_stride * (size_t)rank;
	}
	for (size_t i = 0; i < shape->send; i++)
		r->memory[IN_SEND][i] = input_of(rank, i);
	r->sent = calloc(r->plan.send_count + 1, 1);
	r->received = calloc(r->plan.recv_count + 1, 1);
	r->snapshot = calloc(r->plan.send_count + 1, sizeof *r->snapshot);
}

static void free_rank(struct rank *r)
{
	for (uint32_t i = 0; i < r->plan.send_count; i++)
		free(r->snapshot[i]);
	for (int i = 0; i < SCHEDULE_BUFFERS; i++)
		free(r->own[i]);
	free(r->sent);
	free(r->received);
	free(r->snapshot);
	schedule_free(&r->plan);
	*r = (struct rank){0};
}

/* --- what can happen next --- */

static void copy_within(struct rank *r, const struct schedule_copy *c, uint32_t factor)
{
	for (size_t i = 0; i < elems_of(c->bytes); i++)
		at(r, c->to)[i] = at(r, c->from)[i] * factor;
}

static bool post_send(struct run *run, struct rank *r)
{
	const struct schedule_send *e = &r->plan.sends[r->sends_posted];
	if (r->sends_posted == r->plan.send_count || r->sends_posted - r->sends_done >= run->window ||
	        e->after_recvs > r->recvs_done)
		return false;
	r->snapshot[r->sends_posted] = malloc(e->bytes);
	memcpy(r->snapshot[r->sends_posted++], at(r, e->from), e->bytes);
	return true;
}

static bool post_recv(struct run *run, struct rank *r)
{
	const struct schedule_recv *e = &r->plan.recvs[r->recvs_posted];
	if (r->recvs_posted == r->plan.recv_count || r->recvs_posted - r->recvs_done >= run->window ||
	        e->after_recvs > r->recvs_done || e->after_sends > r->sends_done)
		return false;
	r->recvs_posted++;
	return true;
}

static void land(struct run *run, struct rank *r, const struct schedule_recv *e, const uint32_t *data)
{
	uint32_t *to = at(r, e->to);
	for (size_t i = 0; i < elems_of(e->bytes); i++) {
		uint32_t value = data[i];
		if (e->with.in)
			value += at(r, e->with)[i];
		if (e->own.in)
			value += at(r, e->own)[i];
		to[i] = e->divide ? value * 3 + (uint32_t)run->ask.n : value; /* seen to be done once */
	}
}

/* The oldest piece under way from one rank to another. */
static bool deliver(struct run *run, int from, int to)
{
	struct rank *s = &run->ranks[from], *r = &run->ranks[to];
	uint32_t out = s->sends_done, in = r->recvs_done;
	while (out < s->sends_posted && (s->sent[out] || s->plan.sends[out].peer != to))
		out++;
	while (in < r->recvs_posted && (r->received[in] || r->plan.recvs[in].peer != from))
		in++;
	if (out == s->sends_posted || in == r->recvs_posted)
		return false;
	const struct schedule_send *e = &s->plan.sends[out];
	assert_int_equal(e->bytes, r->plan.recvs[in].bytes);
	bool defined = !run->ask.in_place || run->ask.collective->checked_in_place;
	if (defined && memcmp(s->snapshot[out], at(s, e->from), e->bytes))
		fail_msg("%s n %d: memory of send %u of rank %d was overwritten", run->ask.collective->name,
		        run->ask.n, out, from);
	land(run, r, &r->plan.recvs[in], s->snapshot[out]);
	s->sent[out] = r->received[in] = true;
	while (r->recvs_done < r->recvs_posted && r->received[r->recvs_done])
		r->recvs_done++;
	return true;
}

static bool complete_send(struct rank *r)
{
	if (r->sends_done == r->sends_posted || !r->sent[r->sends_done])
		return false;
	r->sends_done++;
	return true;
}

static bool copy_own(struct rank *r)
{
	if (r->copied)
		return false;
	for (uint32_t i = 0; i < r->plan.copy_count; i++)
		copy_within(r, &r->plan.copies[i], 1);
	return r->copied = true;
}

static bool step(struct run *run, int rank, unsigned action)
{
	struct rank *r = &run->ranks[rank];
	switch (action) {
	case 0:
		return post_send(run, r);
	case 1:
		return post_recv(run, r);
	case 2:
		return complete_send(r);
	case 3:
		return copy_own(r);
	default:
		return deliver(run, (rank + 1 + (int)action - 4) % run->ask.n, rank);
	}
}

/* One thing that can happen, picked at random; false: nothing can. */
static bool happen(struct run *run)
{
	unsigned n = (unsigned)run->ask.n, actions = 4 + n - 1, total = n * actions,
	         start = next_random() % total;
	for (unsigned i = 0; i < total; i++) {
		unsigned pick = (start + i * 7919) % total; /* 7919 is prime and larger than total */
		if (step(run, (int)(pick / actions), pick % actions))
			return true;
	}
	return false;
}

/* --- what must come out --- */

static uint32_t expected(const struct run *run, struct block b, size_t i)
{
	uint32_t value = 0;
	if (b.source != ALL_RANKS)
		return input_of(b.source, b.source_offset + i);
	for (int rank = 0; rank < run->ask.n; rank++)
		value += input_of(rank, b.source_offset + i) * (run->ask.scales && rank % 2 ? 2 : 1);
	return run->ask.divides && run->ask.n > 1 ? value * 3 + (uint32_t)run->ask.n : value;
}

static void check_result(struct run *run, int rank)
{
	const struct collective *c = run->ask.collective;
	for (int i = 0; i < c->blocks(run->ask.n, rank, run->ask.root); i++) {
		struct block b = c->block(&run->shape, run->ask.n, rank, run->ask.root, i, &traffic);
		for (size_t e = 0; e < b.elems; e++)
			if (run->ranks[rank].memory[IN_RECV][b.offset + e] != expected(run, b, e))
				fail_msg("%s %s n %d root %d in place %d count %zu: rank %d block %d element "
				         "%zu is wrong",
				        c->name, run->ranks[rank].plan.algorithm, run->ask.n, run->ask.root,
				        run->ask.in_place, run->shape.count, rank, i, e);
	}
}

static void check_finished(struct run *run)
{
	for (int i = 0; i < run->ask.n; i++) {
		const struct rank *r = &run->ranks[i];
		if (r->sends_done != r->plan.send_count || r->recvs_done != r->plan.recv_count)
			fail_msg("%s %s n %d root %d in place %d window %u: deadlock, rank %d has %u of %u "
			         "sends and %u of %u "
			         "receives done",
			        run->ask.collective->name, r->plan.algorithm, run->ask.n, run->ask.root,
			        run->ask.in_place, run->window, i, r->sends_done, r->plan.send_count,
			        r->recvs_done, r->plan.recv_count);
	}
}

/* The model counts what every rank sends to every other one; rounding moves an element or a cache line per
 * block and step. */
static void check_bytes(struct run *run)
{
	const struct collective *c = run->ask.collective;
	int n = run->ask.n;
	for (int from = 0; from < n; from++) {
		double sent[RANKS_MOST] = {0}, all = 0;
		const struct schedule *plan = &run->ranks[from].plan;
		for (uint32_t i = 0; i < plan->send_count; i++)
			sent[plan->sends[i].peer] += (double)plan->sends[i].bytes;
		for (int to = 0; to < n; to++) {
			double model = c->pair_bytes(&run->shape, n, from, to, run->ask.root, &traffic);
			double slack = strcmp(c->name, "all_reduce") ? 0.01 : 2.0 * n * 64;
			all += sent[to];
			if (run->ask.algorithm == ALGORITHM_RING)
				assert_true(sent[to] >= model - slack && sent[to] <= model + slack);
		}
		double most = c->ring_bytes((double)shape_size_bytes(&run->shape, ELEM_BYTES), n);
		if (run->ask.algorithm == ALGORITHM_DIRECT && !c->rooted)
			assert_true(all <= most + 2.0 * n * 64);
	}
}

static void simulate(struct run *run)
{
	bool scales = run->ask.scales;
	for (int i = 0; i < run->ask.n; i++) {
		run->ask.scales = scales && i % 2;
		build_rank(run, i);
	}
	run->ask.scales = scales;
	for (int i = 0; i < run->ask.n; i++)
		copy_within(
		        &run->ranks[i], &run->ranks[i].plan.first, run->ranks[i].plan.first_scales ? 2 : 1);
	while (happen(run))
		;
	check_finished(run);
	if (!run->ask.in_place || run->ask.collective->checked_in_place)
		for (int i = 0; i < run->ask.n; i++)
			check_result(run, i);
	check_bytes(run);
	for (int i = 0; i < run->ask.n; i++)
		free_rank(&run->ranks[i]);
}

/* --- cases --- */

static void counts(struct run *run)
{
	int n = run->ask.n;
	const size_t elems[] = {0, 1, 3, (size_t)n, (size_t)n + 1, 16 * (size_t)n + 7, 333, 100 * (size_t)n};
	size_t some = sizeof elems / sizeof *elems - (n > 8 ? 2 : 0);
	for (size_t i = 0; i < some; i++)
		for (int placement = 0; placement < 2; placement++) {
			run->shape = run->ask.collective->shape(elems[i], ELEM_BYTES, n, &traffic);
			run->ask.in_place = placement;
			run->ask.lag = next_random() % 5;
			run->ask.through = next_random() % 2;
			run->window = next_random() % 2 ? 1 + next_random() % 4 : 64;
			run->ask.chunk_bytes = next_random() % 4 ? CHUNK_BYTES : 0;
			simulate(run);
		}
}

static void all_cases(const char *name, enum algorithm algorithm)
{
	struct run *run = calloc(1, sizeof *run);
	run->ask = (struct schedule_request){.collective = collective_find(name),
	        .shape = &run->shape,
	        .traffic = &traffic,
	        .algorithm = algorithm};
	for (int n = 1; n <= RANKS_MOST; n++) {
		if (!strcmp(name, "hypercube") && n & (n - 1))
			continue;
		run->ask.n = n;
		for (int root = 0; root < (run->ask.collective->rooted ? n : 1); root++) {
			run->ask.root = run->ask.collective->rooted ? root : ALL_RANKS;
			run->ask.divides = run->ask.collective->reduces && next_random() % 3 == 0;
			run->ask.scales =
			        run->ask.collective->reduces && !run->ask.divides && next_random() % 2;
			counts(run);
		}
	}
	free(run);
}

static void ring_collectives(void **state)
{
	(void)state;
	all_cases("all_reduce", ALGORITHM_RING);
	all_cases("reduce_scatter", ALGORITHM_RING);
	all_cases("all_gather", ALGORITHM_RING);
}

static void chains(void **state)
{
	(void)state;
	all_cases("broadcast", ALGORITHM_RING);
	all_cases("reduce", ALGORITHM_RING);
}

static void direct_collectives(void **state)
{
	(void)state;
	all_cases("all_reduce", ALGORITHM_DIRECT);
	all_cases("reduce_scatter", ALGORITHM_DIRECT);
	all_cases("all_gather", ALGORITHM_DIRECT);
	all_cases("broadcast", ALGORITHM_DIRECT);
}

static void exchange(void **state)
{
	(void)state;
	all_cases("all_reduce", ALGORITHM_EXCHANGE);
}

static void point_to_point(void **state)
{
	(void)state;
	all_cases("alltoall", ALGORITHM_RING);
	all_cases("alltoallv", ALGORITHM_RING);
	all_cases("gather", ALGORITHM_RING);
	all_cases("scatter", ALGORITHM_RING);
	all_cases("sendrecv", ALGORITHM_RING);
	all_cases("hypercube", ALGORITHM_RING);
}

/* After the barrier everybody has heard, directly or through others, from everybody. */
static void barrier(void **state)
{
	(void)state;
	for (int n = 1; n <= RANKS_MOST; n++) {
		struct schedule plan[RANKS_MOST];
		uint32_t knows[RANKS_MOST], before[RANKS_MOST];
		for (int i = 0; i < n; i++) {
			assert_int_equal(schedule_barrier(n, i, &plan[i]), ST_OK);
			knows[i] = 1u << i;
		}
		for (uint32_t round = 0; round < plan[0].send_count; round++) {
			memcpy(before, knows, sizeof before);
			for (int i = 0; i < n; i++) {
				assert_int_equal(plan[i].sends[round].after_recvs, round);
				assert_int_equal(plan[plan[i].recvs[round].peer].sends[round].peer, i);
				knows[i] |= before[plan[i].recvs[round].peer];
			}
		}
		for (int i = 0; i < n; i++) {
			assert_int_equal(knows[i], (1u << n) - 1);
			schedule_free(&plan[i]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(ring_collectives),
	        cmocka_unit_test(chains),
	        cmocka_unit_test(direct_collectives),
	        cmocka_unit_test(exchange),
	        cmocka_unit_test(point_to_point),
	        cmocka_unit_test(barrier),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
