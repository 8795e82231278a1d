/* fit.h - time over size as pieces of alpha + bytes / rate: a library that changes its protocol changes its
 * line. */
#ifndef ANALYSIS_FIT_H
#define ANALYSIS_FIT_H

#include "analysis/line_fit.h"

enum { FIT_PIECES = 4, FIT_POINTS = 64, FIT_PIECE_POINTS = 4 };

struct fit_piece {
	size_t first, count; /* of the points */
	struct line_fit line;
};

struct fit {
	struct fit_piece piece[FIT_PIECES];
	size_t pieces;
};

/* Points must be sorted by size, at most FIT_POINTS of them. A break must earn its place (Bayesian
 * information criterion, with noise as a share of the time, outliers capped). False when the points make no
 * line. */
bool fit_of(const struct line_point *, size_t count, double noise, struct fit *out);

#endif
