/* line_fit.h - time = alpha + bytes / rate, fitted so that outliers and the largest sizes do not rule:
 * residuals count as shares of the time, and weigh less the farther out they are. */
#ifndef ANALYSIS_LINE_FIT_H
#define ANALYSIS_LINE_FIT_H

#include <stdbool.h>
#include <stddef.h>

struct line_point {
	double bytes, ns;
};

struct interval {
	double value, low, high; /* 95 % */
};

struct line_fit {
	struct interval alpha_ns;
	struct interval bytes_per_s; /* INFINITY where time does not grow with the size */
	double spread;               /* of the residuals, robust, as a share of the time */
	size_t points;
};

/* Needs two different sizes; false when there are none or the points make no line. Times must be positive. */
bool line_fit_of(const struct line_point *, size_t count, struct line_fit *out);

/* The fit's time for this many bytes. */
double line_fit_ns(const struct line_fit *, double bytes);

#endif
