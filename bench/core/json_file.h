/* json_file.h - a JSON object on disk that grows by one list, valid after every step.
 *
 * The file is head, rows, tail: the head stays, each row is written over the tail and the tail again behind
 * it. Whoever reads it, at whatever moment and however the run ended, finds a complete object. */
#ifndef BENCH_CORE_JSON_FILE_H
#define BENCH_CORE_JSON_FILE_H

#include "bench/core/plan.h"
#include "bench/core/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct json_file {
	FILE *f;
	char path[PLAN_PATH_BYTES + 16];
	long rows_end; /* where the next row goes */
	size_t rows;
	bool failed; /* told once; what was whole before it stays whole */
};

/* Creates path, or path.0, path.1 ... when that is there already. */
enum status json_file_create(const char *path, struct json_file *out);

/* Both take over the reference. head: all members before the list, tail: all behind it. */
enum status json_file_begin(struct json_file *, json_t *head, const char *list, json_t *tail);
enum status json_file_add(struct json_file *, json_t *row, json_t *tail);
enum status json_file_end(struct json_file *, json_t *tail);

/* Text that need not be UTF-8: other bytes become '?'. */
json_t *json_text(const char *);

/* Six decimals at most, as nccl-tests has them; null when it is no number. */
json_t *json_number(double);

#endif
