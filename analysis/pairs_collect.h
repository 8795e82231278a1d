/* pairs_collect.h - measurements of pairs while a file is read; shared by the layouts of pairs_read.h and
 * nobody else. */
#ifndef ANALYSIS_PAIRS_COLLECT_H
#define ANALYSIS_PAIRS_COLLECT_H

#include "bench/core/status.h"

#include <stddef.h>
#include <stdio.h>

struct measurement {
	int from, to, rail;
	double gbs, bytes; /* bytes 0: unknown */
};

struct collection {
	const char *file;
	char **name; /* of nodes */
	int nodes;
	char **rail_name;
	int rails;
	struct measurement *at;
	size_t count, capacity;
	size_t bad, other; /* lines */
};

enum status collect(
        struct collection *, const char *from, const char *to, const char *rail, double gbs, double bytes);
/* The node's number, -1 when nothing named it yet. */
int collect_known(const struct collection *, const char *node);
/* Counts a broken line; the first ten are told. */
void collect_bad(struct collection *, size_t line, const char *why, const char *text);
/* A bandwidth is a positive number. */
bool collect_number(const char *text, double *value_p);

bool pairs_csv_is(const char *text);
enum status pairs_csv_read(struct collection *, FILE *);
enum status pairs_text_read(struct collection *, FILE *);

#endif
