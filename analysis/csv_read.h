/* csv_read.h - reads CSV row by row through libcsv; knows nothing of columns. */
#ifndef ANALYSIS_CSV_READ_H
#define ANALYSIS_CSV_READ_H

#include "bench/core/status.h"

#include <stddef.h>
#include <stdio.h>

struct csv_row {
	size_t line;   /* where it begins, from 1 */
	size_t fields; /* at least 1: empty lines are passed over */
	char **field;  /* 0-terminated, valid during the call */
	bool cut_off;  /* the file ended before this row's line did */
	bool binary;   /* a field holds a 0 byte: this is not text */
};

/* Calls row() for each row until it returns anything but ST_OK, which is then returned. `name` is for
 * sentences. */
enum status csv_read(
        FILE *, const char *name, enum status (*row)(void *arg, const struct csv_row *), void *arg);

/* Opens a file for reading, "-" is standard input; a folder is read as the file of that name inside it (NULL:
 * refused). The name to use in sentences goes to name_p. csv_close() leaves standard input open. */
enum status csv_open(const char *path, const char *inside, FILE **file_p, char *name, size_t name_bytes);
void csv_close(FILE *);

#endif
