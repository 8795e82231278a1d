/* pairs_read.c - collects measurements by layout, then fills one matrix a rail. */
#include "analysis/pairs_read.h"
#include "analysis/csv_read.h"
#include "analysis/pairs_collect.h"

#include <errno.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 4096, TOLD = 10 };

static int find_name(char *const *names, int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

static int find_or_add(char **names, int *count, int most, const char *name)
{
	int found = find_name(names, *count, name);
	if (found >= 0 || *count == most)
		return found;
	names[*count] = strdup(name);
	return names[*count] ? (*count)++ : -1;
}

int collect_known(const struct collection *c, const char *node)
{
	return find_name(c->name, c->nodes, node);
}

void collect_bad(struct collection *c, size_t line, const char *why, const char *text)
{
	if (c->bad++ < TOLD)
		fail(ST_USAGE, "'%s' line %zu is left out: %s '%s'", c->file, line, why, text);
}

bool collect_number(const char *text, double *value_p)
{
	char *end;
	double value = strtod(text, &end);
	if (end == text || *end || !isfinite(value) || value <= 0)
		return false;
	*value_p = value;
	return true;
}

enum status collect(
        struct collection *c, const char *from, const char *to, const char *rail, double gbs, double bytes)
{
	struct measurement m = {find_or_add(c->name, &c->nodes, NODES, from),
	        find_or_add(c->name, &c->nodes, NODES, to),
	        find_or_add(c->rail_name, &c->rails, PAIRS_RAILS, rail), gbs, bytes};
	if (m.from < 0 || m.to < 0 || m.rail < 0)
		return fail(
		        ST_USAGE, "'%s' names more than %d nodes or %d rails", c->file, NODES, PAIRS_RAILS);
	if (c->count == c->capacity) {
		size_t capacity = c->capacity ? 2 * c->capacity : 256;
		struct measurement *larger = realloc(c->at, capacity * sizeof *larger);
		if (!larger)
			return fail(ST_NOMEM, "out of memory for %zu pairs", capacity);
		c->at = larger;
		c->capacity = capacity;
	}
	c->at[c->count++] = m;
	return ST_OK;
}

static int by_pair(const void *a, const void *b)
{
	const struct measurement *x = a, *y = b;
	int order = x->rail != y->rail   ? x->rail - y->rail
	            : x->from != y->from ? x->from - y->from
	                                 : x->to - y->to;
	/* The largest message first: it is the one that shows the bandwidth. */
	return order ? order : x->bytes < y->bytes ? 1 : x->bytes > y->bytes ? -1 : 0;
}

static bool same_pair(const struct measurement *a, const struct measurement *b)
{
	return a->rail == b->rail && a->from == b->from && a->to == b->to;
}

static bool has_both_directions(const struct collection *c)
{
	for (size_t i = 0; i < c->count; i++) {
		struct measurement back = {c->at[i].to, c->at[i].from, c->at[i].rail, 0, c->at[i].bytes};
		if (bsearch(&back, c->at, c->count, sizeof back, by_pair))
			return true;
	}
	return false;
}

/* The median of the pair's measurements at its largest size. */
static void fill(struct pairs_input *in, struct collection *c, double *scratch, bool directed)
{
	for (size_t i = 0; i < c->count;) {
		const struct measurement *m = &c->at[i];
		size_t same = 0;
		for (; i < c->count && same_pair(m, &c->at[i]); i++)
			if (c->at[i].bytes == m->bytes)
				scratch[same++] = c->at[i].gbs;
		struct pairs *p = &in->rail[m->rail];
		double median = gsl_stats_median(scratch, 1, same);
		p->gbs[(size_t)m->from * (size_t)p->nodes + (size_t)m->to] = median;
		if (!directed)
			p->gbs[(size_t)m->to * (size_t)p->nodes + (size_t)m->from] = median;
	}
}

static enum status make_matrices(struct collection *c, struct pairs_input *in)
{
	size_t cells = (size_t)c->nodes * (size_t)c->nodes;
	double *scratch = malloc(c->count * sizeof *scratch);
	qsort(c->at, c->count, sizeof *c->at, by_pair);
	bool directed = has_both_directions(c);
	bool ok = scratch;
	in->rails = c->rails;
	for (int k = 0; k < c->rails; k++) {
		in->rail[k] = (struct pairs){c->nodes, c->name, directed, malloc(cells * sizeof(double))};
		ok = ok && in->rail[k].gbs;
		for (size_t i = 0; ok && i < cells; i++)
			in->rail[k].gbs[i] = NAN;
	}
	if (ok)
		fill(in, c, scratch, directed);
	free(scratch);
	return ok ? ST_OK : fail(ST_NOMEM, "out of memory for %d nodes", c->nodes);
}

/* The layout shows in the first line, which a pipe gives only once: the whole text is kept. */
static enum status read_all(FILE *file, const char *name, char **text_p, size_t *bytes_p)
{
	char block[65536];
	size_t got;
	FILE *copy = open_memstream(text_p, bytes_p);
	if (!copy)
		return fail(ST_NOMEM, "out of memory before reading '%s'", name);
	while ((got = fread(block, 1, sizeof block, file)) > 0)
		fwrite(block, 1, got, copy);
	bool lost = ferror(copy);
	if (fclose(copy) || lost)
		return fail(ST_NOMEM, "out of memory while reading '%s'", name);
	return ferror(file) ? fail(ST_SYSTEM, "cannot read '%s': %s", name, strerror(errno)) : ST_OK;
}

static enum status read_layout(struct collection *c, char *text, size_t bytes)
{
	if (!bytes)
		return fail(ST_USAGE, "'%s' is empty", c->file);
	if (memchr(text, 0, bytes))
		return fail(ST_USAGE, "'%s' is not text: it holds a 0 byte at %zu", c->file, strlen(text));
	FILE *again = fmemopen(text, bytes, "r");
	if (!again)
		return fail(ST_NOMEM, "out of memory while reading '%s'", c->file);
	enum status s = pairs_csv_is(text) ? pairs_csv_read(c, again) : pairs_text_read(c, again);
	fclose(again);
	if (!s && !c->count)
		s = fail(ST_USAGE,
		        "'%s' holds no pair: a csv with from,to,gbs, lines of two names and a number, or a "
		        "matrix are read",
		        c->file);
	return s;
}

enum status pairs_read(const char *path, struct pairs_input *out)
{
	char name[512], *text = NULL;
	size_t bytes = 0;
	FILE *file;
	*out = (struct pairs_input){0};
	enum status s = csv_open(path, "pairs.csv", &file, name, sizeof name);
	if (s)
		return s;
	struct collection c = {
	        .file = name, .name = calloc(NODES, sizeof *c.name), .rail_name = out->rail_name};
	s = c.name ? read_all(file, name, &text, &bytes)
	           : fail(ST_NOMEM, "out of memory before reading '%s'", name);
	csv_close(file);
	if (!s)
		s = read_layout(&c, text, bytes);
	out->rail[0].name = c.name;
	out->rail[0].nodes = c.nodes;
	if (!s)
		s = make_matrices(&c, out);
	out->taken = c.count;
	out->bad = c.bad;
	out->other = c.other;
	free(c.at);
	free(text);
	if (s)
		pairs_input_free(out);
	return s;
}

void pairs_input_free(struct pairs_input *in)
{
	for (int i = 0; i < in->rail[0].nodes; i++)
		free(in->rail[0].name[i]);
	free(in->rail[0].name);
	for (int k = 0; k < PAIRS_RAILS; k++) {
		free(in->rail_name[k]);
		free(in->rail[k].gbs);
	}
	*in = (struct pairs_input){0};
}
