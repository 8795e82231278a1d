/* fit.c - all pieces of four points and more are fitted, then the cheapest way through them is taken. */
#include "analysis/fit.h"

#include <math.h>

/* What a point adds is capped: one outlier must not buy a break. */
static const double capped = 9;

static double cost_of(const struct line_point *p, size_t count, const struct line_fit *line, double noise)
{
	double cost = 0;
	for (size_t i = 0; i < count; i++)
		cost += fmin(pow((line_fit_ns(line, p[i].bytes) / p[i].ns - 1) / noise, 2), capped);
	return cost;
}

struct way { /* the cheapest up to a point, with so many pieces */
	double cost;
	size_t from; /* where its last piece begins */
};

bool fit_of(const struct line_point *p, size_t count, double noise, struct fit *out)
{
	struct way way[FIT_PIECES + 1][FIT_POINTS + 1];
	struct line_fit line;
	if (count > FIT_POINTS || !line_fit_of(p, count, &line))
		return false;
	for (size_t k = 0; k <= FIT_PIECES; k++)
		for (size_t end = 0; end <= count; end++)
			way[k][end] = (struct way){k || end ? INFINITY : 0, 0};
	/* Two terms, the place of a break and the freedom to search for it. */
	double penalty = 5 * log((double)count);
	for (size_t from = 0; from < count; from++)
		for (size_t end = from + FIT_PIECE_POINTS; end <= count; end++) {
			if (!line_fit_of(p + from, end - from, &line))
				continue;
			double cost = cost_of(p + from, end - from, &line, noise) + penalty;
			for (size_t k = 0; k < FIT_PIECES; k++)
				if (way[k][from].cost + cost < way[k + 1][end].cost)
					way[k + 1][end] = (struct way){way[k][from].cost + cost, from};
		}
	size_t best = 1;
	for (size_t k = 2; k <= FIT_PIECES; k++)
		if (way[k][count].cost < way[best][count].cost)
			best = k;
	out->pieces = isinf(way[best][count].cost) ? 1 : best;
	size_t end = count;
	for (size_t k = out->pieces; k > 0; k--) {
		size_t from = isinf(way[best][count].cost) ? 0 : way[k][end].from;
		out->piece[k - 1] = (struct fit_piece){.first = from, .count = end - from};
		line_fit_of(p + from, end - from, &out->piece[k - 1].line);
		end = from;
	}
	return true;
}
