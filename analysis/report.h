/* report.h - one page that stands alone: sections with what the commands tell, plots drawn by gnuplot, the
 * rows behind them. */
#ifndef ANALYSIS_REPORT_H
#define ANALYSIS_REPORT_H

#include "analysis/output.h"
#include "bench/core/status.h"

enum { REPORT_PATH = 600 };

struct report {
	FILE *page;
	char folder[64];         /* of the plots' data, removed at the end */
	char plots[REPORT_PATH]; /* folder of the .gp files; "" when there are none, or no gnuplot */
	int figures;
	int worst; /* exit code of the gravest section: failure over unreadable over not judged over pass */
};

/* The page goes to `page`. */
enum status report_open(struct report *, FILE *page, const char *title);
/* Ends the page and removes the folder; false when the page could not be written in full. */
bool report_close(struct report *);

void report_section(struct report *, const char *title);
void report_section_end(struct report *);
/* A table or a judgement as part of the page; the code of the judgement counts for the page. */
struct output *report_output(struct report *, const char *title);
void report_judged(struct report *, int code);
/* A paragraph. */
void report_text(struct report *, const char *class, const char *text);

/* Data of the next figure: write csv to the file, then draw. NULL after a sentence, or in silence where
 * nothing can be drawn. */
FILE *report_data(struct report *);
/* Closes the data and draws them with this .gp file; `more` is what it wants behind DATA and OUTPUT, title
 * first, NULL at the end. */
void report_draw(struct report *, FILE *data, const char *script, const char *const *more);

/* The sections. Each reads its files itself; ST_USAGE after a sentence when it cannot. */
enum status report_run(struct report *, const char *path);
enum status report_tiers(struct report *, const char *a, const char *b);
enum status report_pairs(struct report *, const char *path);
enum status report_history(struct report *, const char *path);

#endif
