/* options_table.h - every option and variable as a row of data, and what can be done with a row: read a value
 * into a plan, write it out, describe it. Private to options*.c. */
#ifndef BENCH_CORE_OPTIONS_TABLE_H
#define BENCH_CORE_OPTIONS_TABLE_H

#include "bench/core/plan.h"
#include "bench/core/status.h"

enum option_kind {
	OPTION_INT,    /* a whole number, strtol's base 0 */
	OPTION_FLAG,   /* 0 or 1 */
	OPTION_SWITCH, /* true when given; takes no argument */
	OPTION_REAL,
	OPTION_SHARE, /* 0.02 or 2% */
	OPTION_BYTES,
	OPTION_TEXT,
	OPTION_INDEX, /* a name of a list, kept as its place there; "all" is PLAN_ALL */
	OPTION_NAME,  /* a name of a list, kept as text */
	OPTION_OTHER, /* handled by the parser itself: --plan, --help */
};

struct option_row {
	const char *name; /* long name, or that of a variable of the environment */
	char letter;      /* 0: long only */
	enum option_kind kind;
	const char *argument; /* what --help calls it; NULL when it takes none */
	const char *initial;  /* the default, as it would be typed; NULL: zero, nothing */
	const char *help;
	size_t offset, bytes;        /* in struct plan */
	double min, max;             /* INT and REAL */
	const char *(*names)(int i); /* INDEX and NAME: NULL after the last */
	bool cuda;                   /* means something to CUDA backends alone */
	bool whole_launch;           /* has no place in a plan file */
};

extern const struct option_row option_rows[];
extern const int option_row_count;
extern const struct option_row variable_rows[];
extern const int variable_row_count;

/* Where a text came from, for the sentence: "" or "quick.plan:3: ". */
struct option_source {
	const char *place;
};

/* Sets the row's field of the plan. */
enum status option_scan(
        const struct option_row *, const char *text, const struct option_source *, struct plan *);

enum { OPTION_TEXT_BYTES = PLAN_PATH_BYTES };

/* The value as it would be typed. */
void option_print(const struct option_row *, const struct plan *, char text[OPTION_TEXT_BYTES]);

/* "-b (--minbytes)", "--csv", "NCCL_TESTS_MIN_BW": how sentences call it. */
void option_title(const struct option_row *, char text[64]);

/* fail() with the source in front. */
enum status option_fail(const struct option_source *, enum status, const char *fmt, ...)
        __attribute__((format(printf, 3, 4)));

#endif
