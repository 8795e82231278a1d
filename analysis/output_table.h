/* output_table.h - the collected table, shared by the faces of output.h and nobody else. */
#ifndef ANALYSIS_OUTPUT_TABLE_H
#define ANALYSIS_OUTPUT_TABLE_H

#include "analysis/output.h"

#include <stdbool.h>

enum { OUTPUT_COLUMNS = 64 };

struct output_column {
	const char *name, *unit;
	int decimals;
};

struct cell {
	enum output_tone tone;
	double value;
	char *text; /* NULL: the value */
};

struct line {
	const char *name; /* facts only */
	enum output_tone tone;
	bool below; /* notes: after the table */
	char *text;
};

struct output {
	FILE *file;
	enum output_format format;
	const char *title;
	struct output_column *column;
	size_t columns;
	struct cell *cell; /* row by row */
	size_t cells, rows;
	struct line *note, *fact;
	size_t notes, facts;
	bool fold;
	bool failed; /* out of memory: reported once, when it is closed */
};

/* What the faces for people share. number: room for a quantity. */
const char *output_cell_text(const struct output *, size_t cell, char *number);
void output_heading(char *text, size_t bytes, const struct output_column *);
bool output_column_is_absent(const struct output *, size_t column);
bool output_column_is_constant(const struct output *, size_t column);

void output_print_text(const struct output *);
void output_print_html(const struct output *);
void output_print_json(const struct output *);

#endif
