/* calibrate.h - what the links of a run can do, learned from the run's own sendrecv rows: the ring's
 * neighbours, all links loaded at once. alpha and the rate come from a robust fit over all sizes; beside it
 * stands the curve itself, because a rate is another one inside a cache than beyond it. */
#ifndef ANALYSIS_CALIBRATE_H
#define ANALYSIS_CALIBRATE_H

#include "analysis/line_fit.h"
#include "analysis/rows.h"

enum { CALIBRATION_SIZES = 64 };

struct calibration {
	const struct record *like;                  /* one of its rows: who, over what, with how many */
	struct line_point point[CALIBRATION_SIZES]; /* by size, the median of its rows */
	size_t points;
	struct line_fit fit;
	/* What reducing adds to moving, at most as much again; from reduce_scatter against all_gather, which
	 * move the same. 1 where the run does not tell. */
	double reduce_factor;
	bool reduce_known;
};

struct calibrations {
	struct calibration *at;
	size_t count;
};

/* ST_OK even when the rows hold no sendrecv: then count is 0. The rows must outlive it. */
enum status calibrations_of(const struct rows *, struct calibrations *out);
void calibrations_free(struct calibrations *);

/* The one for this row's backend, transport, memory, ranks and nodes; NULL when the run has none. */
const struct calibration *calibration_for(const struct calibrations *, const struct record *);

/* Nanoseconds that a sendrecv of this size takes, from the curve; beyond its ends from the fit. */
double calibration_ns(const struct calibration *, double bytes);

#endif
