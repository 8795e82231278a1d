/* fuzz_csv.c - what csv_field() writes csv_read() gives back, row by row and field by field; and any bytes
 * are read to their end. */
#include "analysis/csv_read.h"
#include "bench/core/record.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

enum { FIELDS = 4096 };

struct written {
	const char *field[FIELDS]; /* in order; NULL ends a row */
	size_t at;
};

static enum status compare(void *arg, const struct csv_row *row)
{
	struct written *w = arg;
	char **field;
	size_t fields;
	if (csv_split(row, &field, &fields))
		abort();
	for (size_t i = 0; i < fields; i++, w->at++)
		if (!w->field[w->at] || strcmp(w->field[w->at], field[i]))
			abort();
	if (w->field[w->at++])
		abort();
	return ST_OK;
}

static enum status touch(void *arg, const struct csv_row *row)
{
	char **field;
	size_t fields, *sum = arg;
	if (!csv_split(row, &field, &fields))
		for (size_t i = 0; i < fields; i++)
			*sum += strlen(field[i]);
	return ST_OK;
}

/* Text without blanks at its ends, which readers drop; a byte 1 ends a field, 2 a row. */
static void write_fields(char *text, size_t bytes, FILE *to, struct written *w)
{
	size_t count = 0, start = 0;
	for (size_t i = 0; i < bytes && count + 2 < FIELDS; i++) {
		if (text[i] > 2)
			continue;
		bool ends_row = text[i] == 2;
		text[i] = 0;
		char *field = text + start;
		field += strspn(field, " \t");
		for (size_t n = strlen(field); n && strchr(" \t\r", field[n - 1]); n--)
			field[n - 1] = 0;
		bool first = !count || !w->field[count - 1];
		if (first && ends_row && !*field) { /* an empty line is no row */
			start = i + 1;
			continue;
		}
		fputs(first ? "" : ",", to);
		csv_field(to, field);
		w->field[count++] = field;
		if (ends_row) {
			w->field[count++] = NULL;
			fputc('\n', to);
		}
		start = i + 1;
	}
	if (count && w->field[count - 1]) {
		w->field[count] = NULL;
		fputc('\n', to);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct written w = {.at = 0};
	char *text = calloc(1, bytes + 1), *csv = NULL;
	size_t csv_bytes = 0, sum = 0;
	FILE *to = open_memstream(&csv, &csv_bytes);
	memcpy(text, data, bytes);
	write_fields(text, bytes, to, &w);
	fclose(to);
	FILE *file = fopen(fuzz_file((const uint8_t *)csv, csv_bytes), "r");
	if (!file || csv_read(file, "fuzz", compare, &w))
		abort();
	fclose(file);
	file = fopen(fuzz_file(data, bytes), "r");
	csv_read(file, "fuzz", touch, &sum);
	fclose(file);
	free(text);
	free(csv);
	return 0;
}
