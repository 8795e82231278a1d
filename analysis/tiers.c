/* tiers.c - pairs the rows of two runs, then takes ratios; what each run's links can do comes from its own
 * judge. */
#include "analysis/tiers.h"

#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pays = 1.1; /* a tenth faster is worth having */

/* The same measurement, whatever network and hosts it ran on. */
static bool same_measurement(const struct record *a, const struct record *b)
{
	return a->bytes == b->bytes && a->ranks == b->ranks && a->nodes == b->nodes && a->dtype == b->dtype &&
	       a->redop == b->redop && a->root == b->root && a->group == b->group && a->cycle == b->cycle &&
	       !strcmp(a->collective, b->collective) && !strcmp(a->placement, b->placement) &&
	       !strcmp(a->backend, b->backend) && !strcmp(a->memory, b->memory) &&
	       !strcmp(row_transport(a), row_transport(b));
}

static const struct record *find_twin(const struct rows *rows, const struct record *r)
{
	for (size_t i = 0; i < rows->count; i++)
		if (same_measurement(&rows->row[i], r))
			return &rows->row[i];
	return NULL;
}

/* Standard error of the logarithm of a median, from its interval. */
static double log_error(const struct record *r)
{
	const struct stats *s = &r->time_ns;
	return s->count > 5 && s->ci_low > 0 ? log(s->ci_high / s->ci_low) / (2 * 1.96) : NAN;
}

static struct interval ratio_of(const struct record *a, const struct record *b)
{
	double ratio = row_ns(a) / row_ns(b), half = 1.96 * hypot(log_error(a), log_error(b));
	return (struct interval){ratio, ratio * exp(-half), ratio * exp(half)};
}

static enum agreement agreement_of(const struct tier_pair *p, double tolerance)
{
	if (isnan(p->predicted))
		return UNPREDICTED;
	double low = p->predicted * (1 - tolerance), high = p->predicted * (1 + tolerance);
	bool meets = (p->ratio.value >= low && p->ratio.value <= high) ||
	             (p->ratio.high >= low && p->ratio.low <= high);
	return meets ? AGREES : DISAGREES;
}

static void compare(
        struct tier_pair *p, const struct judge *judge_a, const struct judge *judge_b, double tolerance)
{
	struct model_answer a, b;
	p->a_ns = row_ns(p->a);
	p->b_ns = row_ns(p->b);
	p->ratio = ratio_of(p->a, p->b);
	p->predicted = NAN;
	/* A sendrecv that calibrates predicts itself. */
	bool itself = !strcmp(p->a->collective, "sendrecv") &&
	              (judge_a->given.bytes_per_s <= 0 || judge_b->given.bytes_per_s <= 0);
	if (!itself && judge_predict(judge_a, p->a, &a) == REASON_NONE &&
	        judge_predict(judge_b, p->b, &b) == REASON_NONE && b.time_ns > 0) {
		p->predicted = a.time_ns / b.time_ns;
		p->a_bound = a.bound;
		p->b_bound = b.bound;
	}
	p->agreement = agreement_of(p, tolerance);
}

static bool is_same_curve(const struct record *a, const struct record *b)
{
	return a->ranks == b->ranks && a->nodes == b->nodes && !strcmp(a->collective, b->collective) &&
	       !strcmp(a->backend, b->backend) && !strcmp(row_transport(a), row_transport(b));
}

static struct tier_summary *summary_for(struct tiers *t, const struct record *r)
{
	for (size_t i = 0; i < t->summaries; i++)
		if (is_same_curve(t->summary[i].like, r))
			return &t->summary[i];
	struct tier_summary *larger = realloc(t->summary, (t->summaries + 1) * sizeof *larger);
	if (!larger)
		return NULL;
	t->summary = larger;
	t->summary[t->summaries] =
	        (struct tier_summary){.like = r, .ratio = NAN, .predicted = NAN, .pays_from_bytes = NAN};
	return &t->summary[t->summaries++];
}

static double median_where_bytes_bind(
        const struct tiers *t, const struct record *like, bool predicted, double *scratch)
{
	size_t count = 0;
	for (size_t i = 0; i < t->pairs; i++) {
		const struct tier_pair *p = &t->pair[i];
		if (is_same_curve(p->a, like) && !isnan(p->predicted) && p->a_bound != BOUND_LATENCY &&
		        p->b_bound != BOUND_LATENCY)
			scratch[count++] = predicted ? p->predicted : p->ratio.value;
	}
	return count ? gsl_stats_median(scratch, 1, count) : NAN;
}

/* The smallest size such that it and every larger one are faster by a tenth. */
static double pays_from(const struct tiers *t, const struct record *like)
{
	double last_that_does_not = -1, from = NAN;
	for (size_t i = 0; i < t->pairs; i++)
		if (is_same_curve(t->pair[i].a, like) && !(t->pair[i].ratio.value >= pays))
			last_that_does_not = fmax(last_that_does_not, (double)t->pair[i].a->bytes);
	for (size_t i = 0; i < t->pairs; i++) {
		double bytes = (double)t->pair[i].a->bytes;
		if (is_same_curve(t->pair[i].a, like) && bytes > last_that_does_not)
			from = fmin(from, bytes); /* fmin passes NaN over */
	}
	return from;
}

static enum status summarize(struct tiers *t)
{
	double *scratch = malloc((t->pairs + 1) * sizeof *scratch);
	bool ok = scratch;
	for (size_t i = 0; ok && i < t->pairs; i++) {
		struct tier_summary *s = summary_for(t, t->pair[i].a);
		ok = s;
		if (ok) {
			s->rows++;
			s->disagree += t->pair[i].agreement == DISAGREES;
		}
	}
	for (size_t i = 0; ok && i < t->summaries; i++) {
		struct tier_summary *s = &t->summary[i];
		s->ratio = median_where_bytes_bind(t, s->like, false, scratch);
		s->predicted = median_where_bytes_bind(t, s->like, true, scratch);
		s->pays_from_bytes = pays_from(t, s->like);
	}
	free(scratch);
	return ok ? ST_OK : fail(ST_NOMEM, "out of memory for %zu rows", t->pairs);
}

enum status tiers_compare(const struct rows *a, const struct judge *judge_a, const struct rows *b,
        const struct judge *judge_b, double tolerance, struct tiers *out)
{
	*out = (struct tiers){.pair = calloc(a->count + 1, sizeof *out->pair)};
	if (!out->pair)
		return fail(ST_NOMEM, "out of memory for %zu rows", a->count);
	for (size_t i = 0; i < a->count; i++) {
		const struct record *twin = find_twin(b, &a->row[i]);
		if (!twin || !(row_ns(&a->row[i]) > 0) || !(row_ns(twin) > 0)) {
			out->unmatched++;
			continue;
		}
		struct tier_pair *p = &out->pair[out->pairs++];
		p->a = &a->row[i];
		p->b = twin;
		compare(p, judge_a, judge_b, tolerance);
	}
	for (size_t i = 0; i < b->count; i++)
		out->unmatched += !find_twin(a, &b->row[i]);
	return summarize(out);
}

void tiers_free(struct tiers *t)
{
	free(t->pair);
	free(t->summary);
	*t = (struct tiers){0};
}
