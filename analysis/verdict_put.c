/* verdict_put.c - the verdict in words: first the judgement, then what to do next, then what it was held
 * against. */
#include "analysis/verdict.h"
#include "bench/core/types.h"

#include <math.h>
#include <string.h>

static const char *transport_of(const struct record *r)
{
	const char *name = row_transport(r);
	return *name ? name : "?";
}

static enum output_tone tone_of(enum outcome outcome)
{
	static const enum output_tone tone[] = {
	        [OUTCOME_PASS] = TONE_GOOD,
	        [OUTCOME_UNCHECKED] = TONE_WARN,
	        [OUTCOME_CALIBRATES] = TONE_DIM,
	        [OUTCOME_NOT_JUDGED] = TONE_DIM,
	        [OUTCOME_OUTLIER] = TONE_WARN,
	        [OUTCOME_FAIL] = TONE_BAD,
	};
	return tone[outcome];
}

/* The group with the worst row speaks for the run. */
static const struct verdict_group *worst_group(const struct verdict *v)
{
	const struct verdict_group *worst = NULL;
	for (size_t i = 0; i < v->groups; i++) {
		const struct verdict_group *g = &v->group[i];
		if (g->count[OUTCOME_FAIL] &&
		        (!worst || g->worst->reason > worst->worst->reason ||
		                (g->worst->reason == worst->worst->reason &&
		                        g->count[OUTCOME_FAIL] > worst->count[OUTCOME_FAIL])))
			worst = g;
	}
	return worst;
}

static void put_counts(struct output *o, const struct verdict *v)
{
	output_fact(o, "rows", TONE_PLAIN,
	        "%zu: %zu passed, %zu failed, %zu disturbed, %zu unchecked, %zu calibrate, %zu not judged",
	        v->rows->count, v->count[OUTCOME_PASS], v->count[OUTCOME_FAIL], v->count[OUTCOME_OUTLIER],
	        v->count[OUTCOME_UNCHECKED], v->count[OUTCOME_CALIBRATES], v->count[OUTCOME_NOT_JUDGED]);
	if (v->count[OUTCOME_OUTLIER])
		output_note(o, TONE_WARN,
		        "%zu rows were slow alone, the sizes beside them were not: something disturbed them",
		        v->count[OUTCOME_OUTLIER]);
	if (v->rows->bad)
		output_fact(o, "unreadable", TONE_WARN, "%zu broken rows were left out", v->rows->bad);
	if (v->rows->unknown)
		output_note(o, TONE_DIM, "%zu columns of a newer schema were passed over", v->rows->unknown);
}

static int put_judgement(struct output *o, const struct verdict *v)
{
	const struct verdict_group *g = worst_group(v);
	char size[QUANTITY_BYTES], carrier[48];
	if (g) {
		const char *transport = row_transport(g->like);
		snprintf(carrier, sizeof carrier, "%s %s", *transport ? "over" : "by",
		        *transport ? transport : g->like->backend);
		output_quantity(size, (double)g->worst_row->bytes, "size", 0);
		output_fact(o, "verdict", TONE_BAD, "FAIL (%s), %s %s at %s: %s",
		        reason_name(g->worst->reason), g->like->collective, carrier, size, g->worst->detail);
		output_fact(o, "next", TONE_PLAIN, "%s", reason_advice(g->worst->reason));
		return EXIT_VERDICT_FAIL;
	}
	if (!v->count[OUTCOME_PASS]) {
		const char *why = v->rows->count ? reason_name(v->unjudged) : "there is no row";
		output_fact(o, "verdict", TONE_WARN, "NOT JUDGED (%s)", *why ? why : "only sendrecv was run");
		output_fact(o, "next", TONE_PLAIN, "%s",
		        v->unjudged ? reason_advice(v->unjudged)
		                    : "add a collective to the plan, or give --link RATE");
		return EXIT_NOT_JUDGED;
	}
	if (3 * v->count[OUTCOME_OUTLIER] > v->count[OUTCOME_PASS]) {
		output_fact(o, "verdict", TONE_WARN,
		        "NOT JUDGED (disturbed), single rows here and there are slow, no collective is");
		output_fact(o, "next", TONE_PLAIN, "run it again with nothing else on the machine");
		return EXIT_NOT_JUDGED;
	}
	output_fact(o, "verdict", TONE_GOOD, "PASS, every checked row is as fast as its links allow");
	return v->rows->bad ? EXIT_UNREADABLE : EXIT_PASS;
}

static void put_measure(struct output *o, const struct judge *judge)
{
	char alpha[QUANTITY_BYTES], rate[QUANTITY_BYTES];
	if (judge->given.bytes_per_s > 0) {
		output_quantity(rate, judge->given.bytes_per_s, "bytes", 0);
		output_note(o, TONE_DIM, "held against the given %s/s", rate);
		return;
	}
	for (size_t i = 0; i < judge->calibrations->count; i++) {
		const struct calibration *c = &judge->calibrations->at[i];
		output_quantity(alpha, c->fit.alpha_ns.value, "ns", 0);
		output_quantity(rate, c->fit.bytes_per_s.value, "bytes", 0);
		output_note(o, TONE_DIM,
		        "held against sendrecv, %s over %s, %d ranks on %d node%s: alpha %s, %s/s a link%s",
		        c->like->backend, transport_of(c->like), c->like->ranks, c->like->nodes,
		        c->like->nodes == 1 ? "" : "s", alpha, rate,
		        c->reduce_known && c->reduce_factor > 1.005 ? ", reducing takes longer than moving"
		                                                    : "");
	}
}

/* Of a failure the row that shows it best; of a group that could not be judged the reason. */
static void put_evidence(struct output *o, const struct verdict_group *g)
{
	char size[QUANTITY_BYTES];
	output_quantity(size, (double)g->worst_row->bytes, "size", 0);
	if (g->count[OUTCOME_FAIL])
		output_text(o, TONE_PLAIN, "%s: %s", size, g->worst->detail);
	else
		output_text(o, TONE_PLAIN, "%s", g->count[OUTCOME_PASS] ? "" : reason_name(g->worst->reason));
}

static void put_group(struct output *o, const struct verdict_group *g)
{
	enum outcome outcome = g->count[OUTCOME_FAIL]   ? OUTCOME_FAIL
	                       : g->count[OUTCOME_PASS] ? OUTCOME_PASS
	                                                : g->worst->outcome;
	output_row(o);
	output_text(o, tone_of(outcome), "%s", outcome_name(outcome));
	output_text(o, TONE_PLAIN, "%s", g->like->collective);
	output_text(o, TONE_PLAIN, "%s", g->like->backend);
	output_text(o, TONE_PLAIN, "%s", transport_of(g->like));
	output_number(o, g->like->ranks);
	output_number(o, (double)g->rows);
	output_number(o, (double)g->count[OUTCOME_FAIL]);
	output_number(o, g->best_busbw_gbs);
	output_number(o, 100 * g->share);
	output_text(o, TONE_PLAIN, "%s", isnan(g->share) ? "" : model_bound_name(g->bound));
	put_evidence(o, g);
}

static void put_groups(struct output *o, const struct verdict *v)
{
	output_column(o, "verdict", "", -1);
	output_column(o, "collective", "", -1);
	output_column(o, "backend", "", -1);
	output_column(o, "transport", "", -1);
	output_column(o, "ranks", "", 0);
	output_column(o, "rows", "", 0);
	output_column(o, "failed", "", 0);
	output_column(o, "best_busbw_gbs", "GB/s", 2);
	output_column(o, "speed", "% of predicted", 0);
	output_column(o, "bound", "", -1);
	output_column(o, "evidence", "", -1);
	for (size_t i = 0; i < v->groups; i++)
		put_group(o, &v->group[i]);
}

static const struct {
	const char *name, *unit;
	int decimals;
} row_columns[] = {
        {"verdict", "", -1},
        {"reason", "", -1},
        {"collective", "", -1},
        {"backend", "", -1},
        {"transport", "", -1},
        {"placement", "", -1},
        {"dtype", "", -1},
        {"redop", "", -1},
        {"ranks", "", 0},
        {"nodes", "", 0},
        {"bytes", "size", 0},
        {"measured_ns", "ns", 0},
        {"predicted_ns", "ns", 0},
        {"ratio", "", 2},
        {"bound", "", -1},
        {"busbw_gbs", "GB/s", 2},
        {"evidence", "", -1},
};

static void put_row(struct output *o, const struct record *r, const struct judgement *j)
{
	output_row(o);
	output_text(o, tone_of(j->outcome), "%s", outcome_name(j->outcome));
	output_text(o, TONE_PLAIN, "%s", reason_name(j->reason));
	output_text(o, TONE_PLAIN, "%s", r->collective);
	output_text(o, TONE_PLAIN, "%s", r->backend);
	output_text(o, TONE_PLAIN, "%s", transport_of(r));
	output_text(o, TONE_PLAIN, "%s", r->placement);
	output_text(o, TONE_PLAIN, "%s", dtype_name(r->dtype));
	output_text(o, TONE_PLAIN, "%s", redop_name(r->redop));
	output_number(o, r->ranks);
	output_number(o, r->nodes);
	output_number(o, (double)r->bytes);
	output_number(o, j->measured_ns);
	output_number(o, j->predicted_ns);
	output_number(o, j->measured_ns / j->predicted_ns);
	output_text(o, TONE_PLAIN, "%s", isnan(j->predicted_ns) ? "" : model_bound_name(j->bound));
	output_number(o, r->busbw_gbs);
	output_text(o, TONE_PLAIN, "%s", j->detail);
}

void verdict_put_rows(struct output *o, const struct verdict *v, const char *collective)
{
	for (size_t c = 0; c < sizeof row_columns / sizeof *row_columns; c++)
		output_column(o, row_columns[c].name, row_columns[c].unit, row_columns[c].decimals);
	for (size_t i = 0; i < v->rows->count; i++)
		if (!collective || !strcmp(collective, v->rows->row[i].collective))
			put_row(o, &v->rows->row[i], &v->at[i]);
}

int verdict_put(struct output *o, const struct verdict *v, bool every_row)
{
	int code = put_judgement(o, v);
	put_counts(o, v);
	put_measure(o, v->judge);
	if (every_row)
		verdict_put_rows(o, v, NULL);
	else
		put_groups(o, v);
	return code;
}
