/* history.h - results/history.csv: one line a row of a run, runs one after the other, appended under a lock
 * and never changed. In front of record_columns[] stand the run's name and what else could make numbers
 * differ (MPI, kernel, driver ...). Beside it, history.csv.pin names the run from which on results count as
 * accepted. */
#ifndef ANALYSIS_HISTORY_H
#define ANALYSIS_HISTORY_H

#include "analysis/keys.h"
#include "analysis/regress.h"
#include "bench/core/record.h"

extern const char history_default[]; /* "results/history.csv" */

struct history_run {
	char *name, *environment; /* "kernel=...; library=..." */
	char time[24];
	char host_set[256];
	size_t rows, wrong_rows; /* rows whose data were wrong */
};

struct history {
	char source[512];
	struct history_run *run; /* as they stand in the file */
	size_t runs, run_capacity;
	struct keys keys;      /* the full configuration, key columns joined by '|' */
	struct series *series; /* by the key's number: its last REGRESS_RUNS runs */
	size_t series_capacity;
	size_t rows, bad;
};

/* ST_OK when at least the head was read. "-" is standard input. Runs from the pinned one on fill the series,
 * all others only the list of runs; from NULL: all do. */
enum status history_read(const char *path, const char *from, struct history *out);
void history_free(struct history *);

/* Appends a run's rows, all of them or none. name NULL: the folder's. The number of rows goes to rows_p. */
enum status history_add(const char *path, const char *run_folder, const char *name, size_t *rows_p);

/* The pinned run, "" when there is none. */
enum status history_pinned(const char *path, char *name, size_t name_bytes);
enum status history_pin(const char *path, const char *name);

/* Facts of a run folder that are worth keeping, "" when there is no facts file. Freed by the caller. */
enum status environment_of(const char *run_folder, char **environment_p);
/* What differs between two environments and host sets: "kernel 6.1 -> 6.8, NCCL_ALGO (unset) -> Ring"; ""
 * when nothing does. */
void environment_difference(const struct history_run *, const struct history_run *, char *text, size_t bytes);

/* Names of the key columns joined in a key, and its fields. */
size_t history_key_columns(const struct column **columns, size_t most);

#endif
