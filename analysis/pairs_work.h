/* pairs_work.h - what pairs.c prepares and pairs_blame.c judges; nobody else includes it. */
#ifndef ANALYSIS_PAIRS_WORK_H
#define ANALYSIS_PAIRS_WORK_H

#include "analysis/pairs.h"

#include <math.h>

/* A part that is slow is slow with nearly all its partners. */
#define PAIRS_NEARLY_ALL 0.8

enum role { SENDS, RECEIVES, ROLES };

struct part { /* one node in one role */
	int measured, slow;
	int evidence;  /* slow pairs whose other end is fast elsewhere */
	double effect; /* log of the share, median over its pairs */
	bool cleared;  /* fast with some partners */
	bool convicted;
};

struct work {
	const struct pairs *p;
	const struct pairs_limits *limits;
	struct pairs_report *report;
	double *residual; /* log of the share of the level; NaN not measured */
	double *scratch;  /* nodes x nodes */
	bool *slow;
	struct part *part[ROLES]; /* undirected: both point to the same, */
	enum role roles;          /* and only the first is gone through */
	double noise, cut;        /* log; cut is below 0 */
	double fast_pairs;        /* that told the noise */
	double surely;            /* standard deviations */
};

static inline size_t pairs_at(const struct work *w, int from, int to)
{
	return (size_t)from * (size_t)w->p->nodes + (size_t)to;
}

static inline bool pairs_measured(const struct work *w, int from, int to)
{
	return !isnan(w->residual[pairs_at(w, from, to)]);
}

/* Fills the report's findings. */
enum status pairs_blame(struct work *);

#endif
