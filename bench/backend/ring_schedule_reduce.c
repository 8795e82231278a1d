/* ring_schedule_reduce.c - schedules of the collectives that reduce. */
#include "bench/backend/ring_builder.h"

enum {
	LINE_BYTES = 64,
	ALIGN_FROM_BYTES = 4096, /* blocks of this size and more start on a cache line of their own */
	CHAIN_SLOTS = 8,         /* partial results of a chain that are kept for the next rank */
};

/* The result cut into one block a rank; the last ones are shorter or empty. */
struct cut {
	size_t all_bytes, block_bytes;
	size_t chunks;  /* of a whole block */
	size_t scratch; /* where partial results of a reduce_scatter are */
};

static struct cut cut_result(const struct builder *b, size_t elems)
{
	size_t elem_bytes = b->ask->shape->elem_bytes, n = (size_t)b->ask->n;
	struct cut cut = {.all_bytes = elems * elem_bytes, .block_bytes = (elems + n - 1) / n * elem_bytes};
	if (cut.block_bytes >= ALIGN_FROM_BYTES)
		cut.block_bytes = (cut.block_bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
	cut.chunks = builder_chunks(b, cut.block_bytes);
	return cut;
}

static struct range block_range(const struct cut *cut, int block)
{
	size_t start = (size_t)block * cut->block_bytes;
	if (start >= cut->all_bytes)
		return (struct range){cut->all_bytes, 0};
	size_t left = cut->all_bytes - start;
	return (struct range){start, left < cut->block_bytes ? left : cut->block_bytes};
}

static int wrap(int rank, int n)
{
	return (rank % n + n) % n;
}

static long cell_of(const struct cut *cut, int block, size_t c)
{
	return (long)((size_t)block * cut->chunks + c);
}

/* --- all_reduce --- */

static struct piece input_piece(const struct builder *b, const struct cut *cut, int block, size_t c)
{
	struct range r = builder_chunk(b, block_range(cut, block), c);
	return (struct piece){
	        spot_at(b->input, r.offset), b->input_is_result ? cell_of(cut, block, c) : NO_CELL};
}

static struct piece result_piece(const struct builder *b, const struct cut *cut, int block, size_t c)
{
	struct range r = builder_chunk(b, block_range(cut, block), c);
	return (struct piece){{IN_RECV, r.offset}, cell_of(cut, block, c)};
}

static size_t piece_bytes(const struct builder *b, const struct cut *cut, int block, size_t c)
{
	return builder_chunk(b, block_range(cut, block), c).bytes;
}

/* Steps 0..n-2 reduce: block r-1-s goes to the next rank, which adds its own input; at the end rank r holds
 * block r. Steps n-1..2n-3 gather: block r-k goes on. Partial results lie where the result will. */
static void ring_step(struct builder *b, const void *cut_p, int s, size_t c)
{
	const struct cut *cut = cut_p;
	int n = b->ask->n, r = b->ask->rank, next = wrap(r + 1, n), prev = wrap(r - 1, n);
	bool reduces = s < n - 1;
	int out = wrap(reduces ? r - 1 - s : r - (s - n + 1), n), in = wrap(out - 1, n);
	builder_send(b, next, s ? result_piece(b, cut, out, c) : input_piece(b, cut, out, c),
	        piece_bytes(b, cut, out, c));
	struct schedule_recv *e = builder_recv(b, prev, result_piece(b, cut, in, c),
	        reduces ? input_piece(b, cut, in, c) : no_piece, piece_bytes(b, cut, in, c));
	if (e)
		e->divide = s == n - 2 && b->ask->divides;
}

/* Chunk c of every rank's own block, from all others: sends to each what it owns, adds what they send. */
static void fetch(struct builder *b, const struct cut *cut, struct piece to, size_t c)
{
	int n = b->ask->n, r = b->ask->rank;
	for (int k = 1; k < n; k++)
		builder_send(b, wrap(r + k, n), input_piece(b, cut, wrap(r + k, n), c),
		        piece_bytes(b, cut, wrap(r + k, n), c));
	for (int k = 1; k < n; k++) {
		struct schedule_recv *e = builder_recv(b, wrap(r - k, n), to,
		        k == 1 ? input_piece(b, cut, r, c) : to, piece_bytes(b, cut, r, c));
		if (e)
			e->divide = k == n - 1 && b->ask->divides;
	}
}

static void spread(struct builder *b, const struct cut *cut, size_t c)
{
	int n = b->ask->n, r = b->ask->rank;
	for (int k = 1; k < n; k++)
		builder_send(b, wrap(r + k, n), result_piece(b, cut, r, c), piece_bytes(b, cut, r, c));
	for (int k = 1; k < n; k++) {
		int peer = wrap(r - k, n);
		struct schedule_recv *e = builder_recv(
		        b, peer, result_piece(b, cut, peer, c), no_piece, piece_bytes(b, cut, peer, c));
		if (e)
			e->through = b->ask->through;
	}
}

static void direct_step(struct builder *b, const void *cut, int s, size_t c)
{
	if (s == 0)
		fetch(b, cut, result_piece(b, cut, b->ask->rank, c), c);
	else
		spread(b, cut, c);
}

/* Inputs are added in the order of ranks, so that all ranks get the same bits. */
static void exchange_all_reduce(struct builder *b, size_t bytes)
{
	int n = b->ask->n, r = b->ask->rank;
	if (b->input_is_result)
		builder_stage_input(b, bytes, false);
	const struct piece input = {b->input, NO_CELL}, result = {{IN_RECV, 0}, 0};
	for (int k = 1; k < n; k++)
		builder_send(b, wrap(r + k, n), input, bytes);
	for (int peer = 0, first = 1; peer < n; peer++) {
		if (peer == r)
			continue;
		bool pairs = first && r < 2; /* x + y is y + x */
		struct schedule_recv *e = builder_recv(b, peer, result,
		        pairs   ? input
		        : first ? no_piece
		                : result,
		        bytes);
		if (e && peer == r - 1 && r >= 2)
			e->own = b->input;
		if (e)
			e->divide = b->ask->divides && peer == (r == n - 1 ? n - 2 : n - 1);
		first = 0;
	}
}

void build_all_reduce(struct builder *b)
{
	struct cut cut = cut_result(b, b->ask->shape->count);
	builder_cells(b, cut.chunks * (size_t)b->ask->n + 1);
	if (b->ask->algorithm == ALGORITHM_EXCHANGE)
		exchange_all_reduce(b, cut.all_bytes);
	else if (b->ask->algorithm == ALGORITHM_DIRECT)
		builder_pipeline(b, 2, cut.chunks, direct_step, &cut);
	else
		builder_pipeline(b, 2 * (b->ask->n - 1), cut.chunks, ring_step, &cut);
}

/* --- reduce_scatter --- */

/* Partial results alternate between two blocks of scratch; the last step lands in the result, where in place
 * this rank's own input is. */
static struct piece partial_piece(const struct builder *b, const struct cut *cut, int s, size_t c)
{
	int n = b->ask->n;
	if (s == n - 2)
		return (struct piece){{IN_RECV, c * b->chunk_bytes},
		        b->input_is_result ? cell_of(cut, b->ask->rank, c) : NO_CELL};
	size_t block = (size_t)(s % 2) * cut->block_bytes;
	return (struct piece){
	        {IN_SCRATCH, cut->scratch + block + c * b->chunk_bytes}, cell_of(cut, n + s % 2, c)};
}

static void scatter_step(struct builder *b, const void *cut_p, int s, size_t c)
{
	const struct cut *cut = cut_p;
	int n = b->ask->n, r = b->ask->rank, out = wrap(r - 1 - s, n), in = wrap(out - 1, n);
	builder_send(b, wrap(r + 1, n), s ? partial_piece(b, cut, s - 1, c) : input_piece(b, cut, out, c),
	        piece_bytes(b, cut, out, c));
	struct schedule_recv *e = builder_recv(b, wrap(r - 1, n), partial_piece(b, cut, s, c),
	        input_piece(b, cut, in, c), piece_bytes(b, cut, in, c));
	if (e)
		e->divide = s == n - 2 && b->ask->divides;
}

static void fetch_step(struct builder *b, const void *cut, int s, size_t c)
{
	(void)s;
	fetch(b, cut, (struct piece){{IN_RECV, c * b->chunk_bytes}, cell_of(cut, b->ask->rank, c)}, c);
}

void build_reduce_scatter(struct builder *b)
{
	const struct shape *shape = b->ask->shape;
	struct cut cut = {
	        .all_bytes = shape->send * shape->elem_bytes, .block_bytes = shape->recv * shape->elem_bytes};
	cut.chunks = builder_chunks(b, cut.block_bytes);
	builder_cells(b, cut.chunks * (size_t)(b->ask->n + 2));
	if (b->ask->algorithm == ALGORITHM_DIRECT) {
		builder_pipeline(b, 1, cut.chunks, fetch_step, &cut);
		return;
	}
	cut.scratch = b->out->scratch_bytes;
	b->out->scratch_bytes += b->ask->n > 2 ? 2 * cut.block_bytes : 0;
	builder_pipeline(b, b->ask->n - 1, cut.chunks, scatter_step, &cut);
}

/* --- reduce --- */

/* A chain from the rank after the root round to the root; each adds its input on the way. */
void build_reduce(struct builder *b)
{
	int n = b->ask->n, r = b->ask->rank, place = wrap(r - b->ask->root - 1, n);
	struct range all = {0, b->ask->shape->count * b->ask->shape->elem_bytes};
	size_t slot_bytes = all.bytes < b->chunk_bytes ? all.bytes : b->chunk_bytes;
	size_t scratch = b->out->scratch_bytes;
	bool between = place > 0 && place < n - 1;
	builder_cells(b, CHAIN_SLOTS);
	b->out->scratch_bytes += between ? CHAIN_SLOTS * slot_bytes : 0;
	for (size_t c = 0; c < builder_chunks(b, all.bytes); c++) {
		struct range at = builder_chunk(b, all, c);
		size_t slot = c % CHAIN_SLOTS;
		struct piece input = {spot_at(b->input, at.offset), NO_CELL},
		             sum = {{IN_RECV, at.offset}, NO_CELL};
		if (between)
			sum = (struct piece){{IN_SCRATCH, scratch + slot * slot_bytes}, (long)slot};
		struct schedule_recv *e =
		        place > 0 ? builder_recv(b, wrap(r - 1, n), sum, input, at.bytes) : NULL;
		if (e)
			e->divide = place == n - 1 && b->ask->divides;
		if (place < n - 1)
			builder_send(b, wrap(r + 1, n), place ? sum : input, at.bytes);
	}
}
