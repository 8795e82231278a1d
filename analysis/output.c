/* output.c - collects a table, then prints it as csv or hands it to the text and json faces; no arithmetic on
 * results. */
#include "analysis/output_table.h"
#include "bench/core/record.h"
#include "bench/core/status.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void *grow(struct output *o, void *array, size_t count, size_t size)
{
	if (count & (count - 1)) /* capacities are powers of two */
		return array;
	void *larger = reallocarray(array, count ? count * 2 : 1, size);
	if (!larger)
		o->failed = true;
	return larger ? larger : array;
}

static char *format_text(struct output *o, const char *fmt, va_list args)
{
	char *text;
	if (vasprintf(&text, fmt, args) < 0) {
		o->failed = true;
		return NULL;
	}
	return text;
}

struct output *output_open(FILE *file, enum output_format format, const char *title)
{
	struct output *o = calloc(1, sizeof *o);
	if (!o) {
		fail(ST_NOMEM, "out of memory while preparing the output");
		exit(2);
	}
	o->file = file;
	o->format = format;
	o->title = title;
	return o;
}

void output_column(struct output *o, const char *name, const char *unit, int text_decimals)
{
	assert(o->columns < OUTPUT_COLUMNS);
	o->column = grow(o, o->column, o->columns, sizeof *o->column);
	if (!o->failed)
		o->column[o->columns++] = (struct output_column){name, unit, text_decimals};
}

void output_row(struct output *o)
{
	o->rows++;
}

static void add_cell(struct output *o, struct cell cell)
{
	o->cell = grow(o, o->cell, o->cells, sizeof *o->cell);
	if (!o->failed)
		o->cell[o->cells++] = cell;
	else
		free(cell.text);
}

void output_number(struct output *o, double value)
{
	add_cell(o, (struct cell){.value = value});
}

void output_text(struct output *o, enum output_tone tone, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	add_cell(o, (struct cell){.tone = tone, .text = format_text(o, fmt, args)});
	va_end(args);
}

void output_note(struct output *o, enum output_tone tone, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	struct line line = {.tone = tone, .below = o->rows > 0, .text = format_text(o, fmt, args)};
	va_end(args);
	o->note = grow(o, o->note, o->notes, sizeof *o->note);
	if (!o->failed)
		o->note[o->notes++] = line;
	else
		free(line.text);
}

void output_fact(struct output *o, const char *name, enum output_tone tone, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	struct line line = {.name = name, .tone = tone, .text = format_text(o, fmt, args)};
	va_end(args);
	o->fact = grow(o, o->fact, o->facts, sizeof *o->fact);
	if (!o->failed)
		o->fact[o->facts++] = line;
	else
		free(line.text);
}

void output_fold(struct output *o)
{
	o->fold = true;
}

static void print_csv(const struct output *o)
{
	for (size_t c = 0; c < o->columns; c++) {
		fputs(c ? "," : "", o->file);
		csv_field(o->file, o->column[c].name);
	}
	fputs("\r\n", o->file);
	for (size_t i = 0; i < o->cells; i++) {
		const struct cell *cell = &o->cell[i];
		if (cell->text)
			csv_field(o->file, cell->text);
		else if (!isnan(cell->value))
			fprintf(o->file, "%.15g", cell->value);
		fputs(i % o->columns + 1 < o->columns ? "," : "\r\n", o->file);
	}
}

static void free_lines(struct line *line, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(line[i].text);
	free(line);
}

int output_close(struct output *o)
{
	static void (*const print[])(const struct output *) = {
	        [OUTPUT_TEXT] = output_print_text,
	        [OUTPUT_CSV] = print_csv,
	        [OUTPUT_JSON] = output_print_json,
	        [OUTPUT_HTML] = output_print_html,
	};
	bool failed = o->failed;
	if (!failed) {
		print[o->format](o);
		failed = fflush(o->file) || ferror(o->file);
	}
	for (size_t i = 0; i < o->cells; i++)
		free(o->cell[i].text);
	free(o->cell);
	free(o->column);
	free_lines(o->note, o->notes);
	free_lines(o->fact, o->facts);
	free(o);
	if (failed)
		fail(ST_SYSTEM,
		        "the output could not be written in full: the disk is full, or its reader went away");
	return failed ? -1 : 0;
}

int output_format_find(const char *name)
{
	static const char *const names[] = {
	        [OUTPUT_TEXT] = "text", [OUTPUT_CSV] = "csv", [OUTPUT_JSON] = "json"};
	for (int i = 0; i < 3; i++)
		if (!strcmp(name, names[i]))
			return i;
	return -1;
}
