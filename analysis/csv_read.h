/* csv_read.h - reads CSV row by row, as fast as lines can be found; knows nothing of columns.
 * Rows without quotes are split here, those with quotes by libcsv. Blanks around fields are dropped either
 * way. */
#ifndef ANALYSIS_CSV_READ_H
#define ANALYSIS_CSV_READ_H

#include "bench/core/status.h"

#include <stddef.h>
#include <stdio.h>

struct csv_row {
	size_t line;      /* where it begins, from 1 */
	const char *text; /* as it stands in the file, without its line end; not 0-terminated */
	size_t bytes;
	bool quoted;  /* some field is */
	bool cut_off; /* the file ended before this row's line did */
	bool binary;  /* it holds a 0 byte: this is not text */
	struct csv_reader *reader;
};

/* Calls row() for each row that is not empty until it returns anything but ST_OK, which is then returned.
 * `name` is for sentences. The row and its text are valid during the call. */
enum status csv_read(
        FILE *, const char *name, enum status (*row)(void *arg, const struct csv_row *), void *arg);

/* The fields of the row, each 0-terminated, valid during the call of row(). ST_NOMEM is the one failure. */
enum status csv_split(const struct csv_row *, char ***field_p, size_t *fields_p);

/* The value of plain digits with at most one point and 15 of them, as most numbers are; false leaves the text
 * to strtod(). */
bool csv_plain_number(const char *text, double *value_p);

/* Opens a file for reading, "-" is standard input; a folder is read as the file of that name inside it (NULL:
 * refused). The name to use in sentences goes to name. csv_close() leaves standard input open. */
enum status csv_open(const char *path, const char *inside, FILE **file_p, char *name, size_t name_bytes);
void csv_close(FILE *);

#endif
