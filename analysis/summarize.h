/* summarize.h - groups the rows of raw.csv by their key and keeps a sketch of each group: memory grows with
 * the keys, not with the rows. The key is every column but the measured ones, or the columns asked for. */
#ifndef ANALYSIS_SUMMARIZE_H
#define ANALYSIS_SUMMARIZE_H

#include "analysis/keys.h"
#include "analysis/sketch.h"
#include "bench/core/status.h"

enum { SUMMARIZE_COLUMNS = 128 };

struct summary {
	char *column[SUMMARIZE_COLUMNS]; /* names of the key's columns */
	size_t columns;
	struct keys keys; /* the fields of each group's first row, joined by commas as they stand there */
	struct sketch *sketch; /* by the key's number */
	size_t sketches;       /* room for so many */
	size_t rows, bad;
};

/* Adds a file; several must agree on their key columns. by: comma-separated column names, NULL for all but
 * the measured. value: the measured column. */
enum status summarize_file(struct summary *, const char *path, const char *by, const char *value);
void summarize_free(struct summary *);

#endif
