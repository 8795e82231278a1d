/* run.c - what a plan needs: chosen, opened, allocated, and given back. */
#include "bench/core/run.h"

#include "bench/core/combine.h"
#include "bench/core/footprint.h"
#include "bench/core/measure.h"
#include "bench/registry.h"

#include <stdlib.h>
#include <string.h>

/* What fits: the ranks of a node share what is available, and each holds two buffers. Where -b does not fit
 * either, what fits is the one size: nccl-tests' way. */
static enum status fit_memory(struct run *run)
{
	int64_t most = INT64_MAX;
	if (!run->backend->needs_cuda)
		most = footprint_available_bytes() / 4 * 3 / 2 / run->world->local_ranks;
	world_reduce(run->world, REDUCE_MIN, &most, 1);
	run->min_bytes = run->plan->min_bytes;
	run->max_bytes = run->plan->max_bytes;
	if (run->max_bytes <= (uint64_t)most)
		return ST_OK;
	run->max_bytes = (uint64_t)most & ~(uint64_t)4095;
	if (!run->max_bytes)
		return fail(
		        ST_NOMEM, "no memory for buffers: %lld bytes are left for a rank", (long long)most);
	if (run->min_bytes > run->max_bytes)
		run->min_bytes = run->max_bytes;
	if (run->facts)
		run->facts->reduced_max_bytes = run->max_bytes;
	return ST_OK;
}

/* ---- traffic of alltoallv ---- */

/* Rank 0 alone reads the file; the others may not have it. */
static enum status share_matrix(struct run *run)
{
	const struct plan *plan = run->plan;
	struct traffic *t = &run->traffic;
	enum status s = ST_OK;
	if (run->world->rank == 0)
		s = traffic_read(plan->alltoallv_matrix, plan->alltoallv_scale, t);
	s = world_agree(run->world, s);
	if (s != ST_OK)
		return s;
	world_broadcast(run->world, &t->dimension, sizeof t->dimension);
	size_t bytes = (size_t)t->dimension * (size_t)t->dimension * sizeof *t->matrix;
	if (!t->matrix && !(t->matrix = malloc(bytes)))
		s = fail(ST_NOMEM, "no memory for a traffic matrix of %d ranks", t->dimension);
	s = world_agree(run->world, s);
	return s == ST_OK ? world_broadcast(run->world, t->matrix, bytes) : s;
}

static enum status check_matrix(const struct run *run)
{
	enum status s = traffic_check(&run->traffic, run->world->group_ranks);
	if (s != ST_OK)
		return s;
	struct shape shape = run->collective->shape(0, 1, run->world->group_ranks, &run->traffic);
	size_t needs = shape_size_bytes(&shape, 1);
	if (needs <= run->max_bytes)
		return ST_OK;
	return fail(ST_BAD_SIZE, "-e \"%llu\": traffic matrix \"%s\" needs %zu, give that to -b and -e",
	        (unsigned long long)run->max_bytes, run->plan->alltoallv_matrix, needs);
}

static enum status open_traffic(struct run *run)
{
	run->traffic.spread = run->plan->alltoallv_spread;
	if (strcmp(run->collective->name, "alltoallv") || !run->plan->alltoallv_matrix[0])
		return ST_OK;
	enum status s = share_matrix(run);
	return s == ST_OK ? world_agree(run->world, check_matrix(run)) : s;
}

/* ---- buffers ---- */

static enum status alloc_buffers(struct run *run)
{
	size_t bytes = (size_t)run->max_bytes + (size_t)run->plan->unalign_elems * sizeof(double);
	int device = run->world->places[run->world->rank].device;
	world_progress(run->world, "allocating the buffers");
	enum status s = run->memory->alloc(device, bytes, &run->send);
	return s == ST_OK ? run->memory->alloc(device, bytes, &run->recv) : s;
}

/* With -p the threads of a process make theirs at the same time, else one after another. */
static enum status make_buffers(struct run *run)
{
	int turns = run->plan->parallel_init ? 1 : run->world->threads;
	enum status s = ST_OK;
	for (int turn = 0; turn < turns && s == ST_OK; turn++) {
		if (turns == 1 || turn == run->world->thread)
			s = alloc_buffers(run);
		s = world_agree(run->world, s);
	}
	return s;
}

/* ---- all of it ---- */

static enum status open_counters(struct run *run)
{
	enum status s = ST_OK;
	char why[128];
	for (int i = 0; counters[i] && s == ST_OK; i++) {
		bool mine = run->world->local_rank == 0 || !counters[i]->per_node;
		if (!mine || counters[i]->probe(why, sizeof why) != ST_OK)
			continue;
		s = counters[i]->open(run->plan);
		run->counting |= 1u << i;
	}
	return s;
}

static enum status open_backend(struct run *run)
{
	enum status s = footprint_mark(run, FOOTPRINT_START);
	world_progress(run->world, "opening the backend");
	if (s == ST_OK)
		s = world_agree(run->world, run->backend->open(run->world, run->plan, &run->communicator));
	return s == ST_OK ? footprint_mark(run, FOOTPRINT_OPEN) : s;
}

enum status run_open(struct run *run)
{
	struct choice choice;
	struct world *w = run->world;
	world_deadline(w, run->plan->timeout_s);
	run->collective = collective_find(run->plan->collective);
	enum status s = world_agree(w, registry_choose(run->plan, &choice));
	if (s != ST_OK)
		return s;
	run->backend = choice.backend;
	run->memory = choice.memory;
	measure_open(run);
	s = provenance_gather(w, run->memory, &run->facts);
	if (s == ST_OK)
		s = world_agree(w, fit_memory(run));
	if (s == ST_OK)
		s = open_traffic(run);
	if (s == ST_OK)
		s = combine_open(run);
	if (s == ST_OK)
		s = open_counters(run);
	s = world_agree(w, s);
	if (s == ST_OK)
		s = open_backend(run);
	return s == ST_OK ? make_buffers(run) : s;
}

void run_close(struct run *run)
{
	for (int i = 0; counters[i]; i++)
		if (run->counting & 1u << i)
			counters[i]->close();
	if (run->communicator)
		run->backend->close(run->communicator);
	if (run->recv.base)
		run->memory->free(&run->recv);
	if (run->send.base)
		run->memory->free(&run->send);
	traffic_free(&run->traffic);
	combine_close(run);
	measure_close(run);
	provenance_free(run->facts);
}
