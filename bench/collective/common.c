/* common.c - pieces that several collectives share. */
#include "bench/collective/common.h"

enum status runs_anywhere(int n)
{
	(void)n;
	return ST_OK;
}

double algo_size(const struct shape *s, size_t elem_bytes, int n)
{
	(void)n;
	return (double)shape_size_bytes(s, elem_bytes);
}

double factor_one(int n)
{
	(void)n;
	return 1;
}

double factor_share(int n)
{
	return (n - 1.0) / n;
}

double bytes_all(double size_bytes, int n)
{
	return n > 1 ? size_bytes : 0;
}

double bytes_share(double size_bytes, int n)
{
	return size_bytes * (n - 1.0) / n;
}

double steps_ring(int n)
{
	return n - 1.0;
}

double pair_ring(const struct shape *s, int n, int from, int to, double bytes)
{
	(void)s;
	return n > 1 && to == (from + 1) % n ? bytes : 0;
}

int one_block(int n, int rank, int root)
{
	(void)n, (void)rank, (void)root;
	return 1;
}

int one_block_at_root(int n, int rank, int root)
{
	(void)n;
	return rank == root;
}

int block_per_rank(int n, int rank, int root)
{
	(void)rank, (void)root;
	return n;
}

int block_per_rank_at_root(int n, int rank, int root)
{
	return rank == root ? n : 0;
}

struct block block_reduced(const struct shape *s, int n, int rank, int root, int i, const struct traffic *t)
{
	(void)n, (void)rank, (void)root, (void)i, (void)t;
	return (struct block){.source = ALL_RANKS, .elems = s->recv};
}

struct block block_gathered(const struct shape *s, int n, int rank, int root, int i, const struct traffic *t)
{
	(void)n, (void)rank, (void)root, (void)t;
	return (struct block){.source = i, .offset = (size_t)i * s->send, .elems = s->send};
}

struct shape shape_whole(size_t elems, size_t elem_bytes, int n, const struct traffic *t)
{
	(void)n, (void)t;
	return (struct shape){.count = elems, .elem_bytes = elem_bytes, .send = elems, .recv = elems};
}

struct shape shape_gather(size_t elems, size_t elem_bytes, int n, const struct traffic *t)
{
	(void)t;
	size_t share = share_elems(elems, elem_bytes, n);
	return (struct shape){.count = share,
	        .elem_bytes = elem_bytes,
	        .send = share,
	        .recv = share * (size_t)n,
	        .send_stride = share};
}

struct shape shape_scatter(size_t elems, size_t elem_bytes, int n, const struct traffic *t)
{
	(void)t;
	size_t share = share_elems(elems, elem_bytes, n);
	return (struct shape){.count = share,
	        .elem_bytes = elem_bytes,
	        .send = share * (size_t)n,
	        .recv = share,
	        .recv_stride = share};
}
