/* output.h - one result, three faces: text for people, csv, json. A subcommand describes its columns and rows once.
 * Text is aligned; colours only on a terminal and never with NO_COLOR. */
#ifndef ANALYSIS_OUTPUT_H
#define ANALYSIS_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

enum output_format { OUTPUT_TEXT, OUTPUT_CSV, OUTPUT_JSON };
enum output_tone { TONE_PLAIN, TONE_GOOD, TONE_WARN, TONE_BAD, TONE_DIM };

struct output; /* a table being filled */

struct output *output_open(FILE *, enum output_format, const char *title);
void output_column(struct output *, const char *name, const char *unit, int text_decimals); /* decimals -1: text */
void output_row(struct output *);
void output_number(struct output *, double value); /* NaN prints as empty (csv), null (json), - (text) */
void output_text(struct output *, enum output_tone, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A line of explanation: text only above/below the table, "notes" in json, nothing in csv. */
void output_note(struct output *, enum output_tone, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A named single value of the whole result ("verdict": "PASS"): json member, text line, not in csv. */
void output_fact(struct output *, const char *name, enum output_tone, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Prints everything and frees. */
int output_close(struct output *);

/* "text", "csv", "json", or -1. */
int output_format_find(const char *name);

#endif
