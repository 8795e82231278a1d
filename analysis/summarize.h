/* summarize.h - groups the rows of raw.csv by their key and keeps a sketch of each group: memory grows with
 * the keys, not with the rows. The key is every column but the measured ones, or the columns asked for. */
#ifndef ANALYSIS_SUMMARIZE_H
#define ANALYSIS_SUMMARIZE_H

#include "analysis/sketch.h"
#include "bench/core/status.h"

enum { SUMMARIZE_COLUMNS = 128 };

struct summary_group {
	char *key; /* the fields of its first row, joined by commas as they stand there */
	size_t key_bytes;
	uint64_t hash;
	struct sketch sketch;
};

struct summary {
	char *column[SUMMARIZE_COLUMNS]; /* names of the key's columns */
	size_t columns;
	struct summary_group *group; /* in order of first appearance */
	size_t groups, capacity;
	size_t *slot; /* hash table: index + 1 */
	size_t slots;
	size_t rows, bad;
};

/* Adds a file; several must agree on their key columns. by: comma-separated column names, NULL for all but
 * the measured. value: the measured column. */
enum status summarize_file(struct summary *, const char *path, const char *by, const char *value);
void summarize_free(struct summary *);

#endif
