/* check.c - fills buffers with data whose result is known, and looks at the result. */
#include "bench/core/check.h"

/* Each place has its own data: a result made from the data of another place is wrong. */
static struct pattern pattern_of(
        const struct run *run, const struct test_case *c, size_t place, uint64_t seed)
{
	return (struct pattern){
	        .dtype = c->dtype,
	        .redop = c->redop,
	        .seed = seed + ((uint64_t)place << 32),
	        .ranks = run->world->group_ranks,
	};
}

static char *place_in(const struct run *run, const struct buffer *b, const struct test_case *c, size_t place)
{
	return (char *)b->base + (size_t)run->plan->unalign_elems * c->elem_bytes +
	       case_shift_bytes(c, place);
}

enum status check_fill(struct run *run, const struct test_case *c, size_t places, uint64_t seed)
{
	int rank = run->world->group_rank;
	enum status s = ST_OK;
	world_progress(run->world, "filling the buffers");
	for (size_t i = 0; i < places && s == ST_OK; i++) {
		const struct pattern p = pattern_of(run, c, i, seed);
		char *recv = place_in(run, &run->recv, c, i), *send = place_in(run, &run->send, c, i);
		if (c->in_place)
			send = recv + c->shape.send_stride * (size_t)rank * c->elem_bytes;
		s = run->memory->zero(recv, c->recv_bytes);
		if (s == ST_OK)
			s = run->memory->fill(&p, rank, 0, send, c->shape.send);
	}
	return s;
}

enum status check_verify(
        struct run *run, const struct test_case *c, size_t place, uint64_t seed, struct mismatch *found)
{
	const struct pattern p = pattern_of(run, c, place, seed);
	int rank = run->world->group_rank, ranks = run->world->group_ranks;
	char *recv = place_in(run, &run->recv, c, place);
	world_progress(run->world, "checking the result");
	if (c->in_place)
		recv += c->shape.recv_stride * (size_t)rank * c->elem_bytes;
	int blocks = run->collective->blocks(ranks, rank, c->root);
	for (int i = 0; i < blocks; i++) {
		struct block b = run->collective->block(&c->shape, ranks, rank, c->root, i, &run->traffic);
		struct mismatch here;
		enum status s = run->memory->verify(
		        &p, b.source, b.source_offset, recv + b.offset * c->elem_bytes, b.elems, &here);
		if (s != ST_OK)
			return s;
		if (here.wrong_elems && !found->wrong_elems) {
			found->first_index = b.offset + here.first_index;
			found->got = here.got;
			found->expected = here.expected;
		}
		found->wrong_elems += here.wrong_elems;
	}
	return ST_OK;
}
