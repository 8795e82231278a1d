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

void output_print_text(const struct output *);
void output_print_json(const struct output *);

#endif
