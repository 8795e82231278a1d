/* verdict.h - all rows of a run judged and summed up, and how that is told. */
#ifndef ANALYSIS_VERDICT_H
#define ANALYSIS_VERDICT_H

#include "analysis/command.h"
#include "analysis/judge.h"
#include "analysis/output.h"

/* Rows that are told in one line: one collective over one transport. */
struct verdict_group {
	const struct record *like;
	size_t count[OUTCOMES];
	size_t rows;
	const struct record *worst_row; /* a failure, the gravest; else the slowest against its prediction */
	const struct judgement *worst;
	double best_busbw_gbs;
	double share;           /* predicted / measured, median of the judged rows; NaN without */
	enum model_bound bound; /* at the largest size */
};

struct verdict {
	const struct judge *judge;
	const struct rows *rows;
	struct judgement *at; /* of each row */
	struct verdict_group *group;
	size_t groups;
	size_t count[OUTCOMES];
	enum reason unjudged; /* the gravest reason for which a row could neither pass nor fail */
};

extern const struct tolerance verdict_tolerance; /* the default */

enum status verdict_of(const struct judge *, const struct rows *, struct verdict *out);
void verdict_free(struct verdict *);

/* Fills the output; returns the exit code. */
int verdict_put(struct output *, const struct verdict *, bool every_row);
/* The rows alone: of one collective, or NULL for all. */
void verdict_put_rows(struct output *, const struct verdict *, const char *collective);

#endif
