/* ring_schedule_move.c - schedules of the collectives that only move data. */
#include "bench/backend/ring_builder.h"

static int wrap(int rank, int n)
{
	return (rank % n + n) % n;
}

static size_t share_bytes(const struct builder *b)
{
	return b->ask->shape->send * b->ask->shape->elem_bytes;
}

/* --- all_gather and hypercube: every rank's input is block `rank` of the result --- */

static struct piece share_piece(const struct builder *b, int block, size_t c)
{
	size_t chunks = builder_chunks(b, share_bytes(b)), offset = c * b->chunk_bytes;
	if (block == b->ask->rank)
		return (struct piece){spot_at(b->input, offset), NO_CELL};
	return (struct piece){
	        {IN_RECV, (size_t)block * share_bytes(b) + offset}, (long)((size_t)block * chunks + c)};
}

static size_t share_chunk_bytes(const struct builder *b, size_t c)
{
	return builder_chunk(b, (struct range){0, share_bytes(b)}, c).bytes;
}

static void copy_own_share(struct builder *b)
{
	builder_copy(
	        b, b->input, (struct spot){IN_RECV, (size_t)b->ask->rank * share_bytes(b)}, share_bytes(b));
}

/* At step s block r-s goes to the next rank. */
static void gather_step(struct builder *b, const void *unused, int s, size_t c)
{
	int n = b->ask->n, r = b->ask->rank, out = wrap(r - s, n), in = wrap(out - 1, n);
	(void)unused;
	builder_send(b, wrap(r + 1, n), share_piece(b, out, c), share_chunk_bytes(b, c));
	builder_recv(b, wrap(r - 1, n), share_piece(b, in, c), no_piece, share_chunk_bytes(b, c));
}

void build_all_gather(struct builder *b)
{
	if (b->ask->algorithm == ALGORITHM_DIRECT) {
		build_pairwise(b);
		return;
	}
	size_t chunks = builder_chunks(b, share_bytes(b));
	builder_cells(b, chunks * (size_t)b->ask->n);
	builder_pipeline(b, b->ask->n - 1, chunks, gather_step, NULL);
	copy_own_share(b);
}

/* Along each dimension neighbours exchange all blocks that they hold. */
void build_hypercube(struct builder *b)
{
	size_t chunks = builder_chunks(b, share_bytes(b));
	builder_cells(b, chunks * (size_t)b->ask->n);
	for (int reach = 1; reach < b->ask->n; reach *= 2) {
		int neighbour = b->ask->rank ^ reach, mine = b->ask->rank & -reach,
		    theirs = neighbour & -reach;
		for (int i = 0; i < reach; i++)
			for (size_t c = 0; c < chunks; c++) {
				builder_send(
				        b, neighbour, share_piece(b, mine + i, c), share_chunk_bytes(b, c));
				builder_recv(b, neighbour, share_piece(b, theirs + i, c), no_piece,
				        share_chunk_bytes(b, c));
			}
	}
	copy_own_share(b);
}

/* --- broadcast --- */

/* A chain from the root round to the rank before it. */
static void chain_broadcast(struct builder *b)
{
	int n = b->ask->n, r = b->ask->rank, place = wrap(r - b->ask->root, n);
	struct range all = {0, share_bytes(b)};
	size_t chunks = builder_chunks(b, all.bytes);
	builder_cells(b, chunks);
	for (size_t c = 0; c < chunks; c++) {
		struct range at = builder_chunk(b, all, c);
		struct piece data = {{IN_RECV, at.offset}, (long)c};
		if (place == 0)
			data = (struct piece){spot_at(b->input, at.offset), NO_CELL};
		else
			builder_recv(b, wrap(r - 1, n), data, no_piece, at.bytes);
		if (place < n - 1)
			builder_send(b, wrap(r + 1, n), data, at.bytes);
	}
	if (place == 0)
		builder_copy(b, b->input, (struct spot){IN_RECV, 0}, all.bytes);
}

void build_broadcast(struct builder *b)
{
	if (b->ask->algorithm == ALGORITHM_DIRECT)
		build_pairwise(b);
	else
		chain_broadcast(b);
}

/* --- everything else: straight from where a block is to where it belongs --- */

static struct block block_of(const struct builder *b, int rank, int i)
{
	const struct schedule_request *q = b->ask;
	return q->collective->block(q->shape, q->n, rank, q->root, i, q->traffic);
}

/* The i-th block of rank's result that comes from source; false: there are no more. */
static bool next_block(const struct builder *b, int rank, int source, int *i_p, struct block *out)
{
	for (int count = b->ask->collective->blocks(b->ask->n, rank, b->ask->root); *i_p < count; ++*i_p) {
		*out = block_of(b, rank, *i_p);
		if (out->source == source) {
			++*i_p;
			return true;
		}
	}
	return false;
}

static void send_blocks(struct builder *b, int to)
{
	size_t elem_bytes = b->ask->shape->elem_bytes;
	struct block block;
	for (int i = 0; next_block(b, to, b->ask->rank, &i, &block);) {
		struct range all = {block.source_offset * elem_bytes, block.elems * elem_bytes};
		for (size_t c = 0; c < builder_chunks(b, all.bytes); c++) {
			struct range at = builder_chunk(b, all, c);
			builder_send(b, to, (struct piece){spot_at(b->input, at.offset), NO_CELL}, at.bytes);
		}
	}
}

static void receive_blocks(struct builder *b, int from)
{
	size_t elem_bytes = b->ask->shape->elem_bytes;
	struct block block;
	for (int i = 0; next_block(b, b->ask->rank, from, &i, &block);) {
		struct range all = {block.offset * elem_bytes, block.elems * elem_bytes};
		for (size_t c = 0; c < builder_chunks(b, all.bytes); c++) {
			struct range at = builder_chunk(b, all, c);
			struct schedule_recv *e = builder_recv(
			        b, from, (struct piece){{IN_RECV, at.offset}, NO_CELL}, no_piece, at.bytes);
			if (e)
				e->through = b->ask->through;
		}
	}
}

/* At step k every rank sends to the k-th after it and receives from the k-th before it. */
void build_pairwise(struct builder *b)
{
	int n = b->ask->n, r = b->ask->rank;
	size_t elem_bytes = b->ask->shape->elem_bytes;
	struct block own;
	for (int k = 1; k < n; k++) {
		send_blocks(b, wrap(r + k, n));
		receive_blocks(b, wrap(r - k, n));
	}
	for (int i = 0; next_block(b, r, r, &i, &own);)
		builder_copy(b, spot_at(b->input, own.source_offset * elem_bytes),
		        (struct spot){IN_RECV, own.offset * elem_bytes}, own.elems * elem_bytes);
}
