/* tiers_put.h - two runs, compared. */
#ifndef ANALYSIS_TIERS_PUT_H
#define ANALYSIS_TIERS_PUT_H

#include "analysis/output.h"
#include "analysis/tiers.h"

struct tiers_side {
	const char *path, *tier;
	struct judge judge;
	struct rows rows;
	struct calibrations calibrations;
};

struct tiers_task {
	struct tiers_side a, b;
	double tolerance;  /* share by which a ratio may miss the prediction */
	double step_bytes; /* what a training step reduces */
};

/* Reads s->path and calibrates. */
enum status tiers_prepare(struct tiers_side *s);
void tiers_release(struct tiers_side *s);
/* Fills the output; returns the exit code. */
int tiers_put(struct output *, const struct tiers_task *, const struct tiers *, bool every_row);
void tiers_put_rows(struct output *, const struct tiers *);

#endif
