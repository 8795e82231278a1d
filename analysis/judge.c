/* judge.c - asks of a row in turn: may it be judged, are its data right, did it go the asked way, was it fast
 * enough. */
#include "analysis/judge.h"

#include <math.h>
#include <string.h>

static void settle(struct judgement *j, enum outcome outcome, enum reason reason)
{
	j->outcome = outcome;
	j->reason = reason;
}

/* What is wrong whatever the time was. */
static bool is_disqualified(const struct judge *judge, const struct record *r, struct judgement *j)
{
	if (r->checked == CHECK_DONE && r->wrong_elems) {
		settle(j, OUTCOME_FAIL, REASON_WRONG_DATA);
		snprintf(j->detail, sizeof j->detail,
		        "%llu wrong elements, the first at rank %lld, index %lld",
		        (unsigned long long)r->wrong_elems, (long long)r->wrong_rank,
		        (long long)r->wrong_index);
		return true;
	}
	if (*r->transport_asked && *r->transport_seen && strcmp(r->transport_asked, r->transport_seen)) {
		settle(j, OUTCOME_FAIL, REASON_TRANSPORT);
		snprintf(j->detail, sizeof j->detail, "asked for %s, carried by %s", r->transport_asked,
		        r->transport_seen);
		return true;
	}
	if (wire_of(r, judge->tolerance.wire, j->detail, sizeof j->detail) == WIRE_MISROUTED) {
		settle(j, OUTCOME_FAIL, REASON_MISROUTE);
		return true;
	}
	return false;
}

/* How many times longer than moving the bytes takes what happens to them in memory: reducing, and over shared
 * memory, where moving is copying, the copy of a rank's own share. */
static double memory_factor(const struct collective *c, const struct calibration *cal, const struct record *r)
{
	if (c->reduces)
		return cal->reduce_factor;
	bool copies = strstr(row_transport(r), "shm") && strcmp(r->placement, "in-place");
	return copies ? 1 + model_own_share(c, r->ranks) : 1;
}

enum reason judge_predict(const struct judge *judge, const struct record *r, struct model_answer *out)
{
	const struct collective *c = collective_find(r->collective);
	if (!c || !model_has_shape(c, MODEL_RING) || (r->nodes > 1 && r->ranks % r->nodes))
		return REASON_NO_MODEL;
	const struct calibration *cal = calibration_for(judge->calibrations, r);
	struct model_question q = {.collective = c,
	        .size_bytes = (double)r->bytes,
	        .ranks = r->ranks,
	        .nodes = r->nodes,
	        .wire = judge->given,
	        .inside = judge->inside};
	if (q.wire.alpha_ns <= 0 && cal)
		q.wire.alpha_ns = cal->fit.alpha_ns.value;
	if (q.wire.bytes_per_s <= 0) {
		if (!cal)
			return REASON_NO_CALIBRATION;
		double message = model_step_bytes(c, q.size_bytes, r->ranks);
		double bytes_ns = calibration_ns(cal, message) - cal->fit.alpha_ns.value;
		q.wire.bytes_per_s = bytes_ns > 0 ? message / bytes_ns * 1e9 : 0;
		q.memory_bytes_per_s = q.wire.bytes_per_s / memory_factor(c, cal, r);
	}
	return model_answer_of(&q, out) ? REASON_NO_MODEL : REASON_NONE;
}

/* The time that the row surely took: the low end of the median's interval; where steps bind, its fastest
 * operation, because what delays a few microseconds of work on a busy machine delays most of them, but not
 * all. */
static double surely_ns(const struct record *r, bool latency)
{
	const struct stats *s = &r->time_ns;
	if (latency && s->count > 1 && s->min > 0)
		return s->min;
	return s->count > 5 && s->ci_low > 0 ? s->ci_low : row_ns(r);
}

static void judge_time(
        const struct judge *judge, const struct record *r, const struct model_answer *a, struct judgement *j)
{
	bool latency = a->bound == BOUND_LATENCY;
	double allowed = 1 + (latency ? judge->tolerance.steps : judge->tolerance.bytes);
	j->predicted_ns = a->time_ns;
	j->bound = a->bound;
	if (surely_ns(r, latency) <= a->time_ns * allowed)
		return;
	settle(j, OUTCOME_FAIL, latency ? REASON_LATENCY : REASON_SLOW);
	snprintf(j->detail, sizeof j->detail, "takes %.2f times the predicted time, %s binds",
	        j->measured_ns / a->time_ns, model_bound_name(a->bound));
}

void judge_row(const struct judge *judge, const struct record *r, struct judgement *j)
{
	struct model_answer a;
	*j = (struct judgement){.measured_ns = row_ns(r), .predicted_ns = NAN};
	if (is_disqualified(judge, r, j))
		return;
	settle(j, OUTCOME_NOT_JUDGED, REASON_NO_MODEL);
	if (r->ranks == 1 || r->bytes == 0)
		j->reason = r->ranks == 1 ? REASON_ONE_RANK : REASON_EMPTY;
	if (r->ranks < 2 || !strcmp(r->backend, "null") || r->bytes == 0 || !(j->measured_ns > 0))
		return;
	/* Without a given rate a sendrecv is the measure itself. */
	if (judge->given.bytes_per_s <= 0 && !strcmp(r->collective, "sendrecv")) {
		settle(j, OUTCOME_CALIBRATES, REASON_NONE);
		return;
	}
	j->reason = judge_predict(judge, r, &a);
	if (j->reason != REASON_NONE)
		return;
	settle(j, OUTCOME_PASS, REASON_NONE);
	judge_time(judge, r, &a, j);
	if (j->outcome == OUTCOME_PASS && r->checked != CHECK_DONE)
		settle(j, OUTCOME_UNCHECKED, REASON_UNCHECKED);
}

const char *outcome_name(enum outcome outcome)
{
	static const char *const names[] = {
	        [OUTCOME_PASS] = "PASS",
	        [OUTCOME_UNCHECKED] = "UNCHECKED",
	        [OUTCOME_CALIBRATES] = "CALIBRATES",
	        [OUTCOME_NOT_JUDGED] = "NOT JUDGED",
	        [OUTCOME_OUTLIER] = "OUTLIER",
	        [OUTCOME_FAIL] = "FAIL",
	};
	return names[outcome];
}

static const struct {
	const char *name, *advice;
} reasons[REASONS] = {
        [REASON_NONE] = {"", ""},
        [REASON_ONE_RANK] = {"one-rank", "one rank moves nothing: run with two or more"},
        [REASON_EMPTY] = {"empty", "every size is too small to be shared among the ranks: give larger ones"},
        [REASON_NO_MODEL] = {"no-model", "the model does not know this backend or collective"},
        [REASON_NO_CALIBRATION] = {"no-calibration",
                "add sendrecv with the same backend, transport and ranks to the plan, or give --link RATE"},
        [REASON_UNCHECKED] = {"unchecked",
                "run with -c 1: a fast row whose data nobody checked proves nothing"},
        [REASON_SLOW] = {"slow", "run it again on an idle machine; if it stays, busbar fit shows whether the "
                                 "steps or the bytes are slow"},
        [REASON_LATENCY] = {"slow-steps",
                "each step waits too long: look for busy cores, spinning ranks and interrupt moderation"},
        [REASON_TRANSPORT] = {"wrong-transport",
                "the asked transport could not reach every pair: --list says why"},
        [REASON_MISROUTE] = {"misroute", "name the data interfaces: --ifname or NCCL_SOCKET_IFNAME=ens "
                                         "(UCX_NET_DEVICES for the mpi backend)"},
        [REASON_WRONG_DATA] = {"wrong-data",
                "nothing else counts until the data are right: rerun this row with -c 10"},
};

const char *reason_name(enum reason reason)
{
	return reasons[reason].name;
}

const char *reason_advice(enum reason reason)
{
	return reasons[reason].advice;
}
