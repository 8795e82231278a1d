/* tiers_put.c - two runs read and compared, and how that is told. */
#include "analysis/tiers_put.h"
#include "analysis/command.h"
#include "analysis/rates.h"
#include "bench/core/types.h"

#include <math.h>
#include <string.h>

enum status tiers_prepare(struct tiers_side *s)
{
	const struct tier *tier = s->tier ? tier_find(s->tier) : NULL;
	if (s->tier && !tier)
		return ST_USAGE;
	if (tier && s->judge.given.bytes_per_s > 0)
		return fail(ST_USAGE, "a link and a tier are both given for '%s': use one", s->path);
	if (tier)
		s->judge.given.bytes_per_s = tier->node_bytes_per_s;
	enum status status = rows_read(s->path, &s->rows);
	if (status)
		return status;
	s->judge.calibrations = &s->calibrations;
	return calibrations_of(&s->rows, &s->calibrations);
}

void tiers_release(struct tiers_side *s)
{
	calibrations_free(&s->calibrations);
	rows_free(&s->rows);
}

static bool misses(const struct tier_summary *s, double tolerance)
{
	return !isnan(s->predicted) && fabs(s->ratio / s->predicted - 1) > tolerance;
}

static int put_verdict(struct output *o, const struct tiers_task *asked, const struct tiers *t)
{
	const struct tier_summary *worst = NULL;
	size_t judged = 0;
	for (size_t i = 0; i < t->summaries; i++) {
		const struct tier_summary *s = &t->summary[i];
		judged += isnan(s->predicted) ? 0 : 1;
		if (misses(s, asked->tolerance) &&
		        (!worst || fabs(log(s->ratio / s->predicted)) >
		                           fabs(log(worst->ratio / worst->predicted))))
			worst = s;
	}
	if (worst) {
		output_fact(o, "verdict", TONE_BAD, "FAIL, %s gains %.2f times where the model expects %.2f",
		        worst->like->collective, worst->ratio, worst->predicted);
		return EXIT_VERDICT_FAIL;
	}
	if (!judged) {
		const char *why = !t->pairs ? "the runs have no row in common"
		                            : "no row is bound by bytes on rates that are known: add "
		                              "sendrecv to both runs, or give "
		                              "--link-a and --link-b";
		output_fact(o, "verdict", TONE_WARN, "NOT JUDGED, %s", why);
		return EXIT_NOT_JUDGED;
	}
	output_fact(o, "verdict", TONE_GOOD, "PASS, where bytes bind the times differ as the model says");
	return asked->a.rows.bad + asked->b.rows.bad ? EXIT_UNREADABLE : EXIT_PASS;
}

static double link_rate(const struct tiers_side *s, const struct record *like)
{
	const struct calibration *c = calibration_for(&s->calibrations, like);
	return s->judge.given.bytes_per_s > 0 ? s->judge.given.bytes_per_s
	       : c                            ? c->fit.bytes_per_s.value
	                                      : NAN;
}

/* What each network's links carry, and what that means for a training step that reduces its gradients. */
static void put_meaning(struct output *o, const struct tiers_task *asked, const struct tiers *t)
{
	const struct tier_pair *largest = NULL;
	char a[QUANTITY_BYTES], b[QUANTITY_BYTES], step[QUANTITY_BYTES];
	for (size_t i = 0; i < t->pairs; i++)
		if (!strcmp(t->pair[i].a->collective, "all_reduce") &&
		        (!largest || t->pair[i].a->bytes > largest->a->bytes))
			largest = &t->pair[i];
	if (t->pairs) {
		double rate_a = link_rate(&asked->a, t->pair[0].a),
		       rate_b = link_rate(&asked->b, t->pair[0].b);
		if (!isnan(rate_a) && !isnan(rate_b))
			output_note(o, TONE_DIM, "a link carries %s/s and %s/s: %.2f times",
			        output_quantity(a, rate_a, "bytes", 0),
			        output_quantity(b, rate_b, "bytes", 0), rate_b / rate_a);
	}
	if (largest) {
		double scale = asked->step_bytes / (double)largest->a->bytes;
		output_note(o, TONE_DIM,
		        "a step that reduces %s would wait %s and %s at the rate of the largest all_reduce",
		        output_quantity(step, asked->step_bytes, "bytes", 0),
		        output_quantity(a, largest->a_ns * scale, "ns", 0),
		        output_quantity(b, largest->b_ns * scale, "ns", 0));
	}
	if (t->unmatched)
		output_note(o, TONE_DIM, "%zu rows stand in one of the runs only", t->unmatched);
	if (asked->a.rows.bad + asked->b.rows.bad)
		output_note(
		        o, TONE_WARN, "%zu broken rows were left out", asked->a.rows.bad + asked->b.rows.bad);
}

static void put_summaries(struct output *o, const struct tiers_task *asked, const struct tiers *t)
{
	output_column(o, "verdict", "", -1);
	output_column(o, "collective", "", -1);
	output_column(o, "backend", "", -1);
	output_column(o, "transport", "", -1);
	output_column(o, "ranks", "", 0);
	output_column(o, "rows", "", 0);
	output_column(o, "ratio", "", 2);
	output_column(o, "predicted", "", 2);
	output_column(o, "rows_off", "", 0);
	output_column(o, "pays_from", "size", 0);
	for (size_t i = 0; i < t->summaries; i++) {
		const struct tier_summary *s = &t->summary[i];
		bool off = misses(s, asked->tolerance), known = !isnan(s->predicted);
		output_row(o);
		output_text(o,
		        off     ? TONE_BAD
		        : known ? TONE_GOOD
		                : TONE_DIM,
		        "%s",
		        off     ? "DISAGREES"
		        : known ? "AGREES"
		                : "NOT JUDGED");
		output_text(o, TONE_PLAIN, "%s", s->like->collective);
		output_text(o, TONE_PLAIN, "%s", s->like->backend);
		output_text(o, TONE_PLAIN, "%s", row_transport(s->like));
		output_number(o, s->like->ranks);
		output_number(o, (double)s->rows);
		output_number(o, s->ratio);
		output_number(o, s->predicted);
		output_number(o, (double)s->disagree);
		output_number(o, s->pays_from_bytes);
	}
}

static const struct {
	const char *name, *unit;
	int decimals;
} row_columns[] = {
        {"verdict", "", -1},
        {"collective", "", -1},
        {"backend", "", -1},
        {"transport", "", -1},
        {"placement", "", -1},
        {"dtype", "", -1},
        {"ranks", "", 0},
        {"nodes", "", 0},
        {"bytes", "size", 0},
        {"a_ns", "ns", 0},
        {"b_ns", "ns", 0},
        {"ratio", "", 3},
        {"ratio_low", "", 3},
        {"ratio_high", "", 3},
        {"predicted", "", 3},
        {"bound_a", "", -1},
        {"bound_b", "", -1},
};

static void put_row(struct output *o, const struct tier_pair *p)
{
	static const struct {
		enum output_tone tone;
		const char *name;
	} says[] = {[AGREES] = {TONE_GOOD, "AGREES"},
	        [DISAGREES] = {TONE_BAD, "DISAGREES"},
	        [UNPREDICTED] = {TONE_DIM, "NOT JUDGED"}};
	bool known = !isnan(p->predicted);
	output_row(o);
	output_text(o, says[p->agreement].tone, "%s", says[p->agreement].name);
	output_text(o, TONE_PLAIN, "%s", p->a->collective);
	output_text(o, TONE_PLAIN, "%s", p->a->backend);
	output_text(o, TONE_PLAIN, "%s", row_transport(p->a));
	output_text(o, TONE_PLAIN, "%s", p->a->placement);
	output_text(o, TONE_PLAIN, "%s", dtype_name(p->a->dtype));
	output_number(o, p->a->ranks);
	output_number(o, p->a->nodes);
	output_number(o, (double)p->a->bytes);
	output_number(o, p->a_ns);
	output_number(o, p->b_ns);
	output_number(o, p->ratio.value);
	output_number(o, p->ratio.low);
	output_number(o, p->ratio.high);
	output_number(o, p->predicted);
	output_text(o, TONE_PLAIN, "%s", known ? model_bound_name(p->a_bound) : "");
	output_text(o, TONE_PLAIN, "%s", known ? model_bound_name(p->b_bound) : "");
}

void tiers_put_rows(struct output *o, const struct tiers *t)
{
	for (size_t c = 0; c < sizeof row_columns / sizeof *row_columns; c++)
		output_column(o, row_columns[c].name, row_columns[c].unit, row_columns[c].decimals);
	for (size_t i = 0; i < t->pairs; i++)
		put_row(o, &t->pair[i]);
}

int tiers_put(struct output *o, const struct tiers_task *asked, const struct tiers *t, bool every_row)
{
	output_fold(o);
	int code = put_verdict(o, asked, t);
	put_meaning(o, asked, t);
	if (every_row)
		tiers_put_rows(o, t);
	else
		put_summaries(o, asked, t);
	return code;
}
