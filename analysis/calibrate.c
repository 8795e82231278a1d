/* calibrate.c - groups sendrecv rows by what carried them, takes medians by size, fits. */
#include "analysis/calibrate.h"

#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same_links(const struct record *a, const struct record *b)
{
	return a->ranks == b->ranks && a->nodes == b->nodes && a->group == b->group &&
	       !strcmp(a->backend, b->backend) && !strcmp(row_transport(a), row_transport(b)) &&
	       !strcmp(a->memory, b->memory) && !strcmp(a->host_set, b->host_set) &&
	       !strcmp(a->cluster, b->cluster) && !strcmp(a->tier, b->tier);
}

/* In place a sendrecv reads and writes the same bytes: another experiment. Wrong data prove nothing about
 * speed. */
static bool calibrates(const struct record *r)
{
	return !strcmp(r->collective, "sendrecv") && strcmp(r->placement, "in-place") && r->ranks > 1 &&
	       r->bytes > 0 && !r->wrong_elems && row_ns(r) > 0;
}

static int by_size(const void *a, const void *b)
{
	const struct line_point *x = a, *y = b;
	return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/* Several rows of one size (datatypes, cycles) become one point: their median. Returns how many sizes are
 * left. */
static size_t merge_sizes(struct line_point *all, size_t count, double *scratch)
{
	size_t sizes = 0;
	qsort(all, count, sizeof *all, by_size);
	for (size_t i = 0; i < count;) {
		size_t same = 0;
		double bytes = all[i].bytes;
		for (; i < count && all[i].bytes == bytes; i++)
			scratch[same++] = all[i].ns;
		all[sizes++] = (struct line_point){bytes, gsl_stats_median(scratch, 1, same)};
	}
	return sizes;
}

static double median_of_3(double a, double b, double c)
{
	return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* A single disturbed row must not fail all collectives of its size: each point's departure from the fit
 * becomes the median of its own and its neighbours', at the ends of its own, its neighbour's and the line
 * through the next two (Tukey's rule). */
static void smooth(struct calibration *c)
{
	double departure[CALIBRATION_SIZES], smoothed[CALIBRATION_SIZES];
	size_t last = c->points - 1;
	if (c->points < 5)
		return;
	for (size_t i = 0; i <= last; i++)
		departure[i] = log(c->point[i].ns / line_fit_ns(&c->fit, c->point[i].bytes));
	for (size_t i = 1; i < last; i++)
		smoothed[i] = median_of_3(departure[i - 1], departure[i], departure[i + 1]);
	smoothed[0] = median_of_3(departure[0], smoothed[1], 3 * smoothed[1] - 2 * smoothed[2]);
	smoothed[last] = median_of_3(
	        departure[last], smoothed[last - 1], 3 * smoothed[last - 1] - 2 * smoothed[last - 2]);
	for (size_t i = 0; i <= last; i++)
		c->point[i].ns = exp(smoothed[i]) * line_fit_ns(&c->fit, c->point[i].bytes);
}

static bool fill(struct calibration *c, const struct rows *rows, struct line_point *all, double *scratch)
{
	size_t count = 0;
	for (size_t i = 0; i < rows->count; i++)
		if (calibrates(&rows->row[i]) && same_links(c->like, &rows->row[i]))
			all[count++] = (struct line_point){(double)rows->row[i].bytes, row_ns(&rows->row[i])};
	c->points = merge_sizes(all, count, scratch);
	if (c->points > CALIBRATION_SIZES)
		c->points = CALIBRATION_SIZES;
	memcpy(c->point, all, c->points * sizeof *all);
	if (!line_fit_of(c->point, c->points, &c->fit))
		return false;
	smooth(c);
	return true;
}

static const struct record *gather_twin(const struct rows *rows, const struct record *scatter)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct record *r = &rows->row[i];
		if (!strcmp(r->collective, "all_gather") && r->bytes == scatter->bytes &&
		        !strcmp(r->placement, scatter->placement) && same_links(r, scatter) && row_ns(r) > 0)
			return r;
	}
	return NULL;
}

static void learn_reduction(struct calibration *c, const struct rows *rows, double *scratch)
{
	size_t count = 0;
	for (size_t i = 0; i < rows->count; i++) {
		const struct record *r = &rows->row[i];
		const struct record *twin = strcmp(r->collective, "reduce_scatter") || !same_links(c->like, r)
		                                    ? NULL
		                                    : gather_twin(rows, r);
		double latency = (c->like->ranks - 1) * c->fit.alpha_ns.value;
		/* Only where bytes and not steps make the time does reducing show. */
		if (twin && row_ns(r) > 3 * latency && row_ns(twin) > 3 * latency)
			scratch[count++] = (row_ns(r) - latency) / (row_ns(twin) - latency);
	}
	c->reduce_known = count >= 3;
	c->reduce_factor = c->reduce_known ? fmin(fmax(gsl_stats_median(scratch, 1, count), 1), 2) : 1;
}

static bool add_group(struct calibrations *cs, const struct record *like)
{
	for (size_t i = 0; i < cs->count; i++)
		if (same_links(cs->at[i].like, like))
			return true;
	struct calibration *larger = realloc(cs->at, (cs->count + 1) * sizeof *larger);
	if (!larger)
		return false;
	cs->at = larger;
	cs->at[cs->count++] = (struct calibration){.like = like, .reduce_factor = 1};
	return true;
}

enum status calibrations_of(const struct rows *rows, struct calibrations *out)
{
	struct line_point *all = malloc((rows->count + 1) * sizeof *all);
	double *scratch = malloc((rows->count + 1) * sizeof *scratch);
	*out = (struct calibrations){0};
	bool ok = all && scratch;
	for (size_t i = 0; ok && i < rows->count; i++)
		ok = !calibrates(&rows->row[i]) || add_group(out, &rows->row[i]);
	size_t kept = 0;
	for (size_t i = 0; ok && i < out->count; i++)
		if (fill(&out->at[i], rows, all, scratch)) {
			learn_reduction(&out->at[i], rows, scratch);
			out->at[kept++] = out->at[i];
		}
	out->count = kept;
	free(all);
	free(scratch);
	if (ok)
		return ST_OK;
	calibrations_free(out);
	return fail(ST_NOMEM, "out of memory for %zu rows", rows->count);
}

void calibrations_free(struct calibrations *cs)
{
	free(cs->at);
	*cs = (struct calibrations){0};
}

const struct calibration *calibration_for(const struct calibrations *cs, const struct record *r)
{
	for (size_t i = 0; i < cs->count; i++)
		if (same_links(cs->at[i].like, r))
			return &cs->at[i];
	return NULL;
}

double calibration_ns(const struct calibration *c, double bytes)
{
	const struct line_point *p = c->point, *last = &p[c->points - 1];
	if (bytes <= p[0].bytes || bytes > last->bytes)
		return line_fit_ns(&c->fit, bytes);
	while (p[1].bytes < bytes)
		p++;
	double t = log(bytes / p[0].bytes) / log(p[1].bytes / p[0].bytes);
	return exp(log(p[0].ns) + t * log(p[1].ns / p[0].ns));
}
