/* pairs.c - level and groups first, then slow pairs, then who is convicted, then what is left over
 * (pairs_blame.c). */
#include "analysis/pairs_work.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewer pairs than this do not tell the noise; it is then taken as 2 % at least. */
enum { FEW_PAIRS = 8 };
static const double assumed_noise = 0.02;

/* Most nodes have some fast partner, however few of the pairs are fast. */
static double first_guess(struct work *w)
{
	int n = w->p->nodes;
	size_t count = 0;
	for (int i = 0; i < n; i++) {
		double best = -INFINITY;
		for (int j = 0; j < n; j++) {
			if (pairs_measured(w, i, j))
				best = fmax(best, w->residual[pairs_at(w, i, j)]);
			if (pairs_measured(w, j, i))
				best = fmax(best, w->residual[pairs_at(w, j, i)]);
		}
		if (isfinite(best))
			w->scratch[count++] = best;
	}
	gsl_sort(w->scratch, 1, count);
	return w->scratch[count * 3 / 4];
}

/* Level and noise of the fast pairs, by turns: the window follows the noise that it lets in. */
static void settle_level(struct work *w, double *level_p)
{
	size_t all = (size_t)w->p->nodes * (size_t)w->p->nodes, count = 0;
	double level = first_guess(w), noise = w->limits->effect / 4;
	for (int turn = 0; turn < 12; turn++) {
		double window = fmax(w->limits->effect, 4 * noise);
		count = 0;
		for (size_t i = 0; i < all; i++)
			if (w->residual[i] >= level - window)
				w->scratch[count++] = w->residual[i];
		gsl_sort(w->scratch, 1, count);
		level = gsl_stats_median_from_sorted_data(w->scratch, 1, count);
		double quartiles = gsl_stats_quantile_from_sorted_data(w->scratch, 1, count, 0.75) -
		                   gsl_stats_quantile_from_sorted_data(w->scratch, 1, count, 0.25);
		noise = quartiles / 2 / gsl_cdf_ugaussian_Pinv(0.75);
	}
	*level_p = level;
	w->fast_pairs = (double)count;
	w->noise = count < FEW_PAIRS ? fmax(noise, assumed_noise) : noise;
}

static void shift_level(struct work *w, double level)
{
	size_t all = (size_t)w->p->nodes * (size_t)w->p->nodes;
	for (size_t i = 0; i < all; i++)
		w->residual[i] -= level;
	/* So many comparisons, of pairs and of roles, so rare must a false alarm be in each. Quartiles tell
	 * the noise as well as the standard deviation of 0.37 times as many values would. */
	double comparisons = w->report->measured + (double)w->roles * w->p->nodes;
	double each = w->limits->false_alarm / comparisons;
	w->surely = w->fast_pairs < FEW_PAIRS ? gsl_cdf_ugaussian_Qinv(each)
	                                      : gsl_cdf_tdist_Qinv(each, 0.37 * w->fast_pairs);
	w->cut = -fmax(-log1p(-w->limits->effect), w->surely * w->noise);
}

static int find_group(int *group, int node)
{
	while (group[node] != node)
		node = group[node] = group[group[node]];
	return node;
}

/* Nodes that reach each other at full level share a group; a node alone joins the one that it reaches best.
 */
static void join_groups(struct work *w, int *group)
{
	int n = w->p->nodes;
	for (int i = 0; i < n; i++)
		group[i] = i;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			if (pairs_measured(w, i, j) && w->residual[pairs_at(w, i, j)] > w->cut)
				group[find_group(group, i)] = find_group(group, j);
	for (int i = 0; i < n; i++)
		group[i] = find_group(group, i);
}

static int group_size(const struct work *w, const int *group, int which)
{
	int size = 0;
	for (int i = 0; i < w->p->nodes; i++)
		size += group[i] == which;
	return size;
}

/* The median over all pairs whose ends stand in different groups of at least two; NaN when too few were
 * measured. */
static double between_groups(struct work *w, const int *group)
{
	int n = w->p->nodes;
	size_t count = 0, possible = 0;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			if (group[i] == group[j] || group_size(w, group, group[i]) < 2 ||
			        group_size(w, group, group[j]) < 2)
				continue;
			possible++;
			if (pairs_measured(w, i, j))
				w->scratch[count++] = w->residual[pairs_at(w, i, j)];
		}
	return count >= 4 && 2 * count >= possible ? gsl_stats_median(w->scratch, 1, count) : NAN;
}

static bool is_level(struct work *w, const int *group, double between)
{
	int n = w->p->nodes, near = 0, all = 0;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			if (pairs_measured(w, i, j) && group[i] != group[j] &&
			        group_size(w, group, group[i]) > 1 && group_size(w, group, group[j]) > 1) {
				all++;
				near += fabs(w->residual[pairs_at(w, i, j)] - between) < -w->cut;
			}
	return near >= PAIRS_NEARLY_ALL * all;
}

static void adopt_single(struct work *w, int *group, int node)
{
	int best = node;
	double reached = -INFINITY;
	for (int j = 0; j < w->p->nodes; j++)
		if (pairs_measured(w, node, j) && group_size(w, group, group[j]) > 1 &&
		        w->residual[pairs_at(w, node, j)] > reached) {
			reached = w->residual[pairs_at(w, node, j)];
			best = group[j];
		}
	group[node] = best;
}

/* Racks behind a narrower switch are no fault: the pairs between groups get a level of their own. */
static void settle_groups(struct work *w)
{
	struct pairs_report *r = w->report;
	int n = w->p->nodes;
	join_groups(w, r->group);
	double between = between_groups(w, r->group);
	r->groups = 1;
	r->between = 1;
	if (isnan(between) || !is_level(w, r->group, between)) {
		memset(r->group, 0, (size_t)n * sizeof *r->group);
		return;
	}
	for (int i = 0; i < n; i++)
		if (group_size(w, r->group, r->group[i]) == 1)
			adopt_single(w, r->group, i);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			if (r->group[i] != r->group[j])
				w->residual[pairs_at(w, i, j)] -= between;
	r->between = exp(between);
	r->groups = 0;
	for (int i = 0; i < n; i++)
		r->groups += r->group[i] == i;
}

static enum status allocate(struct work *w)
{
	size_t n = (size_t)w->p->nodes, all = n * n;
	w->residual = malloc(all * sizeof *w->residual);
	w->scratch = malloc(all * sizeof *w->scratch);
	w->slow = calloc(all, sizeof *w->slow);
	w->part[SENDS] = calloc(2 * n, sizeof **w->part);
	w->part[RECEIVES] = w->p->directed && w->part[SENDS] ? w->part[SENDS] + n : w->part[SENDS];
	w->report->group = calloc(n, sizeof *w->report->group);
	if (w->residual && w->scratch && w->slow && w->part[SENDS] && w->report->group)
		return ST_OK;
	return fail(ST_NOMEM, "out of memory for %zu nodes", n);
}

static void release(struct work *w)
{
	free(w->residual);
	free(w->scratch);
	free(w->slow);
	free(w->part[SENDS]);
}

enum status pairs_judge(const struct pairs *p, const struct pairs_limits *limits, struct pairs_report *out)
{
	struct work w = {.p = p, .limits = limits, .report = out, .roles = p->directed ? ROLES : RECEIVES};
	*out = (struct pairs_report){0};
	enum status s = allocate(&w);
	double level = 0;
	size_t all = (size_t)p->nodes * (size_t)p->nodes;
	for (size_t i = 0; !s && i < all; i++) {
		bool usable = p->gbs[i] > 0 && i / (size_t)p->nodes != i % (size_t)p->nodes;
		w.residual[i] = usable ? log(p->gbs[i]) : NAN;
		out->measured += usable;
	}
	if (!s && out->measured) {
		settle_level(&w, &level);
		shift_level(&w, level);
		settle_groups(&w);
		out->level_gbs = exp(level);
		out->noise = w.noise;
		out->threshold = -expm1(w.cut);
		s = pairs_blame(&w);
	}
	if (!p->directed) { /* every pair stands in the matrix twice */
		out->measured /= 2;
		out->slow /= 2;
	}
	release(&w);
	if (s)
		pairs_report_free(out);
	return s;
}

void pairs_report_free(struct pairs_report *r)
{
	for (size_t i = 0; i < r->findings; i++)
		free(r->finding[i].member);
	free(r->finding);
	free(r->group);
	*r = (struct pairs_report){0};
}
