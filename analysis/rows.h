/* rows.h - reads summary.csv files (and runs: folders that hold one) into records, by column name.
 * An unknown newer column is counted and skipped, a missing key column is an error; a bad row is reported
 * with file, line and reason, counted, and left out: the good rows of a partly broken file are kept. */
#ifndef ANALYSIS_ROWS_H
#define ANALYSIS_ROWS_H

#include "bench/core/record.h"
#include "bench/core/status.h"

struct rows {
	struct record *row;
	size_t count, capacity;
	size_t bad;     /* rows left out */
	size_t unknown; /* columns of a newer schema, passed over */
	char source[512];
};

/* path: a summary.csv, a run folder, or "-" for standard input. ST_OK when at least the head was read: look
 * at count. */
enum status rows_read(const char *path, struct rows *out);
enum status rows_append(struct rows *, const struct record *);
void rows_free(struct rows *);

/* The time that a row counts with: the median of its samples, else its mean; NaN when it has neither. */
double row_ns(const struct record *);
/* What carried it as far as the backend could prove, else what was asked for; "" unknown. */
const char *row_transport(const struct record *);

#endif
