/* verdict.c - judges row by row and keeps, for each collective over each transport, the counts and the worst.
 */
#include "analysis/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct tolerance verdict_tolerance = {.bytes = 0.5, .steps = 1.5, .wire = 0.03};

static const char *carried_by(const struct record *r)
{
	return *r->transport_seen ? r->transport_seen : r->transport_asked;
}

static bool same_group(const struct record *a, const struct record *b)
{
	return a->ranks == b->ranks && a->nodes == b->nodes && !strcmp(a->collective, b->collective) &&
	       !strcmp(a->backend, b->backend) && !strcmp(carried_by(a), carried_by(b));
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
	if (a->outcome != b->outcome)
		return a->outcome > b->outcome;
	if (a->reason != b->reason)
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

enum status verdict_of(const struct judge *judge, const struct rows *rows, struct verdict *out)
{
	*out = (struct verdict){.judge = judge, .rows = rows};
	out->at = calloc(rows->count + 1, sizeof *out->at);
	for (size_t i = 0; out->at && i < rows->count; i++) {
		struct verdict_group *g = group_of(out, &rows->row[i]);
		if (!g)
			return fail(ST_NOMEM, "out of memory for %zu rows", rows->count);
		judge_row(judge, &rows->row[i], &out->at[i]);
		add(out, g, &rows->row[i], &out->at[i]);
	}
	return out->at ? ST_OK : fail(ST_NOMEM, "out of memory for %zu rows", rows->count);
}

void verdict_free(struct verdict *v)
{
	free(v->at);
	free(v->group);
	*v = (struct verdict){0};
}
