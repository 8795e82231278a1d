/* tiers.h - two runs of the same rows on two networks: measured ratio of times beside the ratio that the
 * model expects there. */
#ifndef ANALYSIS_TIERS_H
#define ANALYSIS_TIERS_H

#include "analysis/judge.h"

enum agreement { AGREES, DISAGREES, UNPREDICTED };

struct tier_pair { /* one measurement on both */
	const struct record *a, *b;
	double a_ns, b_ns;
	struct interval
	        ratio;    /* a over b: above 1 the second is faster; 95 %, NaN where samples are missing */
	double predicted; /* NaN where a model lacks its rates */
	enum model_bound a_bound, b_bound;
	enum agreement agreement;
};

struct tier_summary { /* of one collective */
	const struct record *like;
	size_t rows, disagree;
	double ratio, predicted; /* medians over the rows where bytes bind on both; NaN without such */
	double pays_from_bytes;  /* from this size on the second is faster by a tenth or more; NaN: nowhere */
};

struct tiers {
	struct tier_pair *pair;
	size_t pairs;
	size_t unmatched; /* rows that only one run has */
	struct tier_summary *summary;
	size_t summaries;
};

/* tolerance: share by which the ratio may miss the prediction. The rows must outlive it. */
enum status tiers_compare(const struct rows *a, const struct judge *judge_a, const struct rows *b,
        const struct judge *judge_b, double tolerance, struct tiers *out);
void tiers_free(struct tiers *);

#endif
