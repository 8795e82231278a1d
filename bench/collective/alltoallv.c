/* alltoallv.c - every rank sends another amount to each rank. */
#include "bench/collective/common.h"
#include "bench/collective/alltoallv.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ALIGN_BYTES = 16 };

/* Whitespace-separated numbers of one line appended to the matrix; columns_p counts them. */
static enum status read_line(
        const char *path, char *line, double scale, struct traffic *t, size_t *used_p, int *columns_p)
{
	*columns_p = 0;
	for (char *text = strtok(line, " \t\r\n"); text; text = strtok(NULL, " \t\r\n")) {
		char *end;
		errno = 0;
		double bytes = strtod(text, &end);
		if (errno || *end || !(bytes >= 0) || bytes * scale > (double)(SIZE_MAX / 2))
			return fail(ST_USAGE,
			        "'%s' in matrix '%s' is not a number of bytes (column %d of a row)", text,
			        path, *columns_p + 1);
		size_t *grown = realloc(t->matrix, (*used_p + 1) * sizeof *grown);
		if (!grown)
			return fail(ST_NOMEM, "no memory for matrix '%s'", path);
		t->matrix = grown;
		t->matrix[(*used_p)++] = (size_t)(bytes * scale) & ~(size_t)(ALIGN_BYTES - 1);
		++*columns_p;
	}
	return ST_OK;
}

enum status traffic_read(const char *path, double scale, struct traffic *out)
{
	FILE *f = fopen(path, "r");
	if (!f)
		return fail(ST_USAGE, "cannot open traffic matrix '%s': %s", path, strerror(errno));
	struct stat about;
	if (fstat(fileno(f), &about) || !S_ISREG(about.st_mode)) {
		fclose(f);
		return fail(ST_USAGE, "traffic matrix '%s' is not a file; give one of numbers", path);
	}
	struct traffic t = {0};
	enum status s = ST_OK;
	char *line = NULL;
	size_t room = 0, used = 0;
	int rows = 0, columns = 0;
	while (s == ST_OK && getline(&line, &room, f) >= 0) {
		int here;
		s = read_line(path, line, scale, &t, &used, &here);
		if (s != ST_OK || !here)
			continue;
		if (rows && here != columns)
			s = fail(ST_USAGE, "row %d of matrix '%s' has %d columns, the rows before it have %d",
			        rows + 1, path, here, columns);
		columns = here;
		rows++;
	}
	free(line);
	fclose(f);
	if (s == ST_OK && (!rows || rows != columns))
		s = fail(ST_USAGE,
		        "matrix '%s' has %d rows and %d columns; it must be square, one row and column a "
		        "rank",
		        path, rows, columns);
	if (s != ST_OK) {
		free(t.matrix);
		return s;
	}
	t.dimension = rows;
	*out = t;
	return ST_OK;
}

enum status traffic_check(const struct traffic *t, int n)
{
	if (t->dimension && t->dimension < n)
		return fail(ST_USAGE,
		        "the traffic matrix is for %d ranks and there are '%d'; start fewer ranks or extend "
		        "it",
		        t->dimension, n);
	return ST_OK;
}

void traffic_free(struct traffic *t)
{
	free(t->matrix);
	t->matrix = NULL;
}

size_t traffic_bytes(const struct traffic *t, int from, int to, int n, size_t total_bytes)
{
	if (t->dimension)
		return t->matrix[from * t->dimension + to];
	double total = (double)total_bytes, even = total / n;
	double far = n > 1 ? total * ((to - from + n) % n) / (n * (n - 1.0) / 2) : even;
	return (size_t)((1 - t->spread) * even + t->spread * far) & ~(size_t)(ALIGN_BYTES - 1);
}

/* Each rank sends count x n elements in all; with a matrix count is 0 and the matrix says it all. */
static size_t pair_elems(const struct shape *s, const struct traffic *t, int from, int to, int n)
{
	return traffic_bytes(t, from, to, n, s->count * (size_t)n * s->elem_bytes) / s->elem_bytes;
}

static struct shape shape(size_t elems, size_t elem_bytes, int n, const struct traffic *t)
{
	struct shape s = {
	        .count = t->dimension ? 0 : share_elems(elems, elem_bytes, n), .elem_bytes = elem_bytes};
	for (int rank = 0; rank < n; rank++) {
		size_t out = 0, in = 0;
		for (int peer = 0; peer < n; peer++) {
			out += pair_elems(&s, t, rank, peer, n);
			in += pair_elems(&s, t, peer, rank, n);
		}
		s.send = out > s.send ? out : s.send;
		s.recv = in > s.recv ? in : s.recv;
	}
	return s;
}

static struct block block(const struct shape *s, int n, int rank, int root, int i, const struct traffic *t)
{
	(void)root;
	struct block b = {.source = i, .elems = pair_elems(s, t, i, rank, n)};
	for (int before = 0; before < rank; before++)
		b.source_offset += pair_elems(s, t, i, before, n);
	for (int before = 0; before < i; before++)
		b.offset += pair_elems(s, t, before, rank, n);
	return b;
}

static double pair_bytes(const struct shape *s, int n, int from, int to, int root, const struct traffic *t)
{
	(void)root;
	return from != to ? (double)(pair_elems(s, t, from, to, n) * s->elem_bytes) : 0;
}

extern const struct collective collective_alltoallv;
const struct collective collective_alltoallv = {
        .name = "alltoallv",
        .help = "every rank sends another amount to each rank",
        .runs_on = runs_anywhere,
        .shape = shape,
        .blocks = block_per_rank,
        .block = block,
        .algo_bytes = algo_size,
        .bus_factor = factor_share,
        .ring_bytes = bytes_share,
        .ring_steps = steps_ring,
        .pair_bytes = pair_bytes,
};
