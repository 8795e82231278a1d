/* predict.h - from runs at a few sizes to one at another: what a step costs and a link carries inside nodes
 * and between them, learned per collective from all its rows, then put into the model. */
#ifndef ANALYSIS_PREDICT_H
#define ANALYSIS_PREDICT_H

#include "analysis/line_fit.h"
#include "analysis/model.h"
#include "analysis/rows.h"

struct levels {
	struct line_fit inside, wire;
	bool has_inside, has_wire;
	size_t rows; /* they were learned from */
};

struct selection {                 /* rows to learn from, or to check against */
	const struct record *like; /* collective, backend, transport, placement */
	int least_ranks, most_ranks;
};

struct self_check {
	int ranks, nodes;     /* of the largest run, held out */
	size_t rows;          /* compared */
	double median, worst; /* share by which predictions miss, without sign; NaN without rows */
};

/* Rows of a run that belong to one curve: the same collective, backend, transport and placement, whatever its
 * size. */
bool predict_same_kind(const struct record *, const struct record *);
bool predict_learn(const struct rows *, const struct selection *, struct levels *out);
/* The model at this place; false where the levels do not reach (nodes, but nothing learned between nodes). */
bool predict_time(const struct levels *, const struct model_question *, struct model_answer *out);
/* Learns from all but the largest number of ranks, and predicts that. False when all runs are of one size. */
bool predict_check(const struct rows *, const struct record *like, struct self_check *out);

#endif
