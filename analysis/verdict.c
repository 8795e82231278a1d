/* verdict.c - judges row by row and keeps, for each collective over each transport, the counts and the worst.
 */
#include "analysis/verdict.h"

#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct tolerance verdict_tolerance = {.bytes = 0.5, .steps = 1.5, .wire = 0.03};

static bool same_group(const struct record *a, const struct record *b)
{
	return a->ranks == b->ranks && a->nodes == b->nodes && !strcmp(a->collective, b->collective) &&
	       !strcmp(a->backend, b->backend) && !strcmp(row_transport(a), row_transport(b));
}

static struct verdict_group *group_of(struct verdict *v, const struct record *r)
{
	for (size_t i = 0; i < v->groups; i++)
		if (same_group(v->group[i].like, r))
			return &v->group[i];
	struct verdict_group *larger = realloc(v->group, (v->groups + 1) * sizeof *larger);
	if (!larger)
		return NULL;
	v->group = larger;
	v->group[v->groups] = (struct verdict_group){.like = r};
	return &v->group[v->groups++];
}

static double slowness(const struct judgement *j)
{
	return isnan(j->predicted_ns) || j->predicted_ns <= 0 ? 0 : j->measured_ns / j->predicted_ns;
}

static bool is_worse(const struct judgement *a, const struct judgement *b)
{
	bool a_fails = a->outcome == OUTCOME_FAIL, b_fails = b->outcome == OUTCOME_FAIL;
	if (a_fails != b_fails)
		return a_fails;
	if (a_fails && a->reason != b->reason)
		return a->reason > b->reason;
	return slowness(a) > slowness(b);
}

static void add(struct verdict *v, struct verdict_group *g, const struct record *r, const struct judgement *j)
{
	g->rows++;
	g->count[j->outcome]++;
	v->count[j->outcome]++;
	if (!g->worst || is_worse(j, g->worst)) {
		g->worst = j;
		g->worst_row = r;
	}
	g->best_busbw_gbs = fmax(g->best_busbw_gbs, r->busbw_gbs);
	if (j->outcome == OUTCOME_NOT_JUDGED || j->outcome == OUTCOME_UNCHECKED)
		v->unjudged = j->reason > v->unjudged ? j->reason : v->unjudged;
}

static bool same_series(const struct record *a, const struct record *b)
{
	return same_group(a, b) && a->dtype == b->dtype && a->redop == b->redop && a->root == b->root &&
	       a->group == b->group && !strcmp(a->transport_asked, b->transport_asked) &&
	       !strcmp(a->host_set, b->host_set);
}

/* The judged row of this placement whose size comes next, upwards or downwards. */
static const struct judgement *next_size(const struct verdict *v, const struct record *r, bool upwards)
{
	size_t best = v->rows->count;
	for (size_t i = 0; i < v->rows->count; i++) {
		const struct record *o = &v->rows->row[i];
		bool beyond = upwards ? o->bytes > r->bytes : o->bytes < r->bytes;
		bool nearer = best == v->rows->count || (upwards ? o->bytes < v->rows->row[best].bytes
		                                                 : o->bytes > v->rows->row[best].bytes);
		if (beyond && nearer && same_series(o, r) && !strcmp(o->placement, r->placement) &&
		        !isnan(v->at[i].predicted_ns))
			best = i;
	}
	return best < v->rows->count ? &v->at[best] : NULL;
}

static const struct judgement *other_placement(const struct verdict *v, const struct record *r)
{
	for (size_t i = 0; i < v->rows->count; i++) {
		const struct record *o = &v->rows->row[i];
		if (o->bytes == r->bytes && o->cycle == r->cycle && same_series(o, r) &&
		        strcmp(o->placement, r->placement) && !isnan(v->at[i].predicted_ns))
			return &v->at[i];
	}
	return NULL;
}

static bool is_too_slow(const struct judgement *j)
{
	return j->reason == REASON_SLOW || j->reason == REASON_LATENCY;
}

/* Small operations are short: a busy machine disturbs many in a row. Only when most of them are slow, in both
 * placements, is it their own fault. */
static bool most_steps_are_slow(const struct verdict *v, const struct record *r)
{
	size_t seen = 0, slow = 0;
	for (size_t i = 0; i < v->rows->count; i++)
		if (!isnan(v->at[i].predicted_ns) && v->at[i].bound == BOUND_LATENCY &&
		        same_series(&v->rows->row[i], r)) {
			seen++;
			slow += v->at[i].reason == REASON_LATENCY;
		}
	return 2 * slow > seen;
}

/* A fault slows most of its neighbours too; what is slow among rows that are fast is a disturbance of the
 * machine. */
static bool is_alone(const struct verdict *v, size_t i)
{
	const struct record *r = &v->rows->row[i];
	if (v->at[i].reason == REASON_LATENCY)
		return !most_steps_are_slow(v, r);
	const struct judgement *witness[] = {
	        next_size(v, r, false), next_size(v, r, true), other_placement(v, r)};
	size_t seen = 0, slow = 0;
	for (size_t k = 0; k < 3; k++) {
		seen += witness[k] ? 1 : 0;
		slow += witness[k] && is_too_slow(witness[k]) ? 1 : 0;
	}
	return 2 * slow < seen;
}

static void take_median(const struct verdict *v, struct verdict_group *g, double *scratch)
{
	size_t count = 0;
	uint64_t largest = 0;
	for (size_t i = 0; i < v->rows->count; i++) {
		const struct record *r = &v->rows->row[i];
		const struct judgement *j = &v->at[i];
		if (!same_group(g->like, r) || isnan(j->predicted_ns))
			continue;
		scratch[count++] = j->predicted_ns / j->measured_ns;
		if (r->bytes >= largest) {
			largest = r->bytes;
			g->bound = j->bound;
		}
	}
	g->share = count ? gsl_stats_median(scratch, 1, count) : NAN;
}

enum status verdict_of(const struct judge *judge, const struct rows *rows, struct verdict *out)
{
	*out = (struct verdict){.judge = judge, .rows = rows};
	out->at = calloc(rows->count + 1, sizeof *out->at);
	double *scratch = malloc((rows->count + 1) * sizeof *scratch);
	if (!scratch || !out->at) {
		free(scratch);
		return fail(ST_NOMEM, "out of memory for %zu rows", rows->count);
	}
	for (size_t i = 0; i < rows->count; i++) {
		if (!group_of(out, &rows->row[i])) {
			free(scratch);
			return fail(ST_NOMEM, "out of memory for %zu rows", rows->count);
		}
		judge_row(judge, &rows->row[i], &out->at[i]);
	}
	for (size_t i = 0; i < rows->count; i++)
		if (is_too_slow(&out->at[i]) && is_alone(out, i))
			out->at[i].outcome = OUTCOME_OUTLIER;
	for (size_t i = 0; i < rows->count; i++)
		add(out, group_of(out, &rows->row[i]), &rows->row[i], &out->at[i]);
	for (size_t i = 0; i < out->groups; i++)
		take_median(out, &out->group[i], scratch);
	free(scratch);
	return ST_OK;
}

void verdict_free(struct verdict *v)
{
	free(v->at);
	free(v->group);
	*v = (struct verdict){0};
}
