/* pairs_put.h - pair bandwidths of all rails, judged. */
#ifndef ANALYSIS_PAIRS_PUT_H
#define ANALYSIS_PAIRS_PUT_H

#include "analysis/output.h"
#include "analysis/pairs_read.h"

struct pairs_task {
	struct pairs_input in;
	struct pairs_report report[PAIRS_RAILS];
	double common_gbs; /* level of the good rails */
	int judged, faults, questions;
};

extern const struct pairs_limits pairs_default;

/* Judges t->in. */
enum status pairs_task_judge(struct pairs_task *t, const struct pairs_limits *);
void pairs_task_free(struct pairs_task *);
/* Fills the output; returns the exit code. */
int pairs_put(struct output *, const struct pairs_task *, double effect);
/* Every measured pair as numbers and names, for pairs.gp and spreadsheets. */
void pairs_print_matrix(FILE *, const struct pairs_task *);
enum status pairs_write_matrix(const struct pairs_task *, const char *path);

#endif
