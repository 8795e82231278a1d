/* output.h - one result, three faces: text for people, csv, json. A subcommand describes its columns and rows
 * once. Text is aligned and scales its units (980.0 ms, 24.50 GB); csv and json carry the plain numbers under
 * the columns' full names. Colours only on a terminal and never with NO_COLOR. */
#ifndef ANALYSIS_OUTPUT_H
#define ANALYSIS_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

enum output_format { OUTPUT_TEXT, OUTPUT_CSV, OUTPUT_JSON, OUTPUT_HTML /* a fragment, for reports only */ };
enum output_tone { TONE_PLAIN, TONE_GOOD, TONE_WARN, TONE_BAD, TONE_DIM };

struct output; /* a table being filled */

struct output *output_open(FILE *, enum output_format, const char *title);
/* unit: "ns", "bytes" and "size" (binary) are scaled in text, every other is printed in the heading ("GB/s");
 * "" is none. text_decimals: -1 for a column of text. The column "busbw_gbs" is headed "busbw" in text. */
void output_column(struct output *, const char *name, const char *unit, int text_decimals);
void output_row(struct output *);
void output_number(struct output *, double value); /* NaN prints as empty (csv), null (json), - (text) */
void output_text(struct output *, enum output_tone, const char *fmt, ...)
        __attribute__((format(printf, 3, 4)));
/* A line of explanation: text above the table when noted before its first row, else below; "notes" in json,
 * nothing in csv. */
void output_note(struct output *, enum output_tone, const char *fmt, ...)
        __attribute__((format(printf, 3, 4)));
/* A named single value of the whole result ("verdict": "PASS"): json member, text line above everything else,
 * not in csv. */
void output_fact(struct output *, const char *name, enum output_tone, const char *fmt, ...)
        __attribute__((format(printf, 4, 5)));
/* In text, columns that say the same in every row are told once above the table instead. */
void output_fold(struct output *);
/* Prints everything and frees. 0, or -1 after a sentence when it could not all be written. */
int output_close(struct output *);

/* "text", "csv", "json", or -1. */
int output_format_find(const char *name);

/* A quantity as text shows it: value 980e6, unit "ns" is "980.0 ms". Returns its buffer. */
enum { QUANTITY_BYTES = 32 };
char *output_quantity(char text[QUANTITY_BYTES], double value, const char *unit, int decimals);

#endif
