/* moderate.h - many small variances learn from each other (empirical Bayes): when they are alike, each is as
 * good as known; when they differ, each keeps to its own. And the control of the false-discovery rate over
 * many tests. */
#ifndef ANALYSIS_MODERATE_H
#define ANALYSIS_MODERATE_H

#include <stddef.h>

struct moderation {
	double prior;         /* variance that the group shares */
	double prior_freedom; /* how many degrees of freedom that knowledge is worth; INFINITY: all are alike
	                       */
};

/* From at least three variances with their degrees of freedom; fewer give prior_freedom 0. Zero variances are
 * allowed. scratch: count doubles. */
struct moderation moderate(const double *variance, const double *freedom, size_t count, double *scratch);
/* This variance as moderated, and the degrees of freedom that it now has (at most most_freedom). */
double moderated(
        const struct moderation *, double variance, double freedom, double most_freedom, double *freedom_p);

/* Benjamini and Hochberg: the largest p that is still a discovery at rate q; 0 when none is. Sorts p. */
double discovery_threshold(double *p, size_t count, double q);

#endif
