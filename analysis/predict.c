/* predict.c - time / steps over bytes / steps is a straight line for every number of ranks: all of them go
 * into one fit. */
#include "analysis/predict.h"

#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool predict_same_kind(const struct record *a, const struct record *b)
{
	return a->group == b->group && !strcmp(a->collective, b->collective) &&
	       !strcmp(a->backend, b->backend) && !strcmp(a->placement, b->placement) &&
	       !strcmp(a->memory, b->memory) && !strcmp(row_transport(a), row_transport(b));
}

static bool is_selected(const struct selection *s, const struct record *r)
{
	return r->ranks > 1 && r->ranks >= s->least_ranks && r->ranks <= s->most_ranks && r->bytes > 0 &&
	       row_ns(r) > 0 && !r->wrong_elems && (r->nodes < 2 || r->ranks % r->nodes == 0) &&
	       predict_same_kind(s->like, r);
}

static struct model_question question_of(const struct record *r)
{
	return (struct model_question){.collective = collective_find(r->collective),
	        .size_bytes = (double)r->bytes,
	        .ranks = r->ranks,
	        .nodes = r->nodes > 0 ? r->nodes : 1,
	        .shape = MODEL_RING,
	        .wire = {1e9, 0}};
}

/* One level's line. between: from runs over several nodes, else from those within one. */
static bool learn_level(const struct rows *rows, const struct selection *s, bool between,
        struct line_point *point, struct line_fit *fit, size_t *rows_p)
{
	size_t count = 0;
	for (size_t i = 0; i < rows->count; i++) {
		const struct record *r = &rows->row[i];
		struct model_question q = question_of(r);
		struct model_answer a;
		if (!is_selected(s, r) || (r->nodes > 1) != between || !q.collective ||
		        model_answer_of(&q, &a) || a.steps < 1)
			continue;
		point[count++] = (struct line_point){a.wire_bytes / a.steps, row_ns(r) / a.steps};
	}
	*rows_p += count;
	return count >= 2 && line_fit_of(point, count, fit);
}

/* What crosses a node's border in a flat ring of g ranks a node is one hop in g: the rest of a step's cost is
 * inside. */
static void take_inside_off(struct levels *l, int g)
{
	if (!l->has_wire || !l->has_inside || g < 2)
		return;
	double mixed = l->wire.alpha_ns.value;
	l->wire.alpha_ns.value = fmax(g * mixed - (g - 1) * l->inside.alpha_ns.value, mixed);
}

bool predict_learn(const struct rows *rows, const struct selection *s, struct levels *out)
{
	*out = (struct levels){0};
	struct line_point *point = malloc((rows->count + 1) * sizeof *point);
	if (!point)
		return false;
	out->has_inside = learn_level(rows, s, false, point, &out->inside, &out->rows);
	out->has_wire = learn_level(rows, s, true, point, &out->wire, &out->rows);
	free(point);
	for (size_t i = 0; i < rows->count; i++)
		if (is_selected(s, &rows->row[i]) && rows->row[i].nodes > 1) {
			take_inside_off(out, rows->row[i].ranks / rows->row[i].nodes);
			break;
		}
	return out->has_inside || out->has_wire;
}

static struct link_rate rate_of(const struct line_fit *f)
{
	return (struct link_rate){isinf(f->bytes_per_s.value) ? 0 : f->bytes_per_s.value, f->alpha_ns.value};
}

bool predict_time(const struct levels *l, const struct model_question *asked, struct model_answer *out)
{
	struct model_question q = *asked;
	bool between = q.nodes > 1;
	if (between ? !l->has_wire : !l->has_inside)
		return false;
	q.wire = rate_of(between ? &l->wire : &l->inside);
	q.inside = between && l->has_inside && q.ranks > q.nodes ? rate_of(&l->inside)
	                                                         : (struct link_rate){0, 0};
	return !model_answer_of(&q, out);
}

static void largest_and_next(const struct rows *rows, const struct record *like, int *largest_p, int *next_p)
{
	*largest_p = *next_p = 0;
	const struct selection all = {like, 2, 1 << 30};
	for (size_t i = 0; i < rows->count; i++)
		if (is_selected(&all, &rows->row[i]) && rows->row[i].ranks > *largest_p)
			*largest_p = rows->row[i].ranks;
	for (size_t i = 0; i < rows->count; i++)
		if (is_selected(&all, &rows->row[i]) && rows->row[i].ranks < *largest_p &&
		        rows->row[i].ranks > *next_p)
			*next_p = rows->row[i].ranks;
}

bool predict_check(const struct rows *rows, const struct record *like, struct self_check *out)
{
	int largest, next;
	struct levels l;
	largest_and_next(rows, like, &largest, &next);
	*out = (struct self_check){.ranks = largest, .median = NAN, .worst = NAN};
	double *miss = malloc((rows->count + 1) * sizeof *miss);
	if (!miss || !next || !predict_learn(rows, &(struct selection){like, 2, next}, &l)) {
		free(miss);
		return false;
	}
	const struct selection held_out = {like, largest, largest};
	for (size_t i = 0; i < rows->count; i++) {
		const struct record *r = &rows->row[i];
		struct model_answer a;
		if (!is_selected(&held_out, r))
			continue;
		struct model_question q = question_of(r);
		out->nodes = r->nodes;
		if (q.collective && predict_time(&l, &q, &a))
			miss[out->rows++] = fabs(a.time_ns / row_ns(r) - 1);
	}
	if (out->rows) {
		out->worst = gsl_stats_max(miss, 1, out->rows);
		out->median = gsl_stats_median(miss, 1, out->rows);
	}
	free(miss);
	return out->rows > 0;
}
