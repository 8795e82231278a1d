/* judge.h - the verdict on one row: right data, right transport, right wire, right time. Arithmetic; prints
 * nothing. */
#ifndef ANALYSIS_JUDGE_H
#define ANALYSIS_JUDGE_H

#include "analysis/calibrate.h"
#include "analysis/model.h"

enum outcome {
	OUTCOME_PASS,
	OUTCOME_UNCHECKED,
	OUTCOME_CALIBRATES,
	OUTCOME_NOT_JUDGED,
	OUTCOME_OUTLIER, /* slow, but neither the next sizes nor the other placement are: a disturbance */
	OUTCOME_FAIL,
	OUTCOMES,
};

enum reason { /* worst last */
	REASON_NONE,
	REASON_ONE_RANK,       /* nothing to move */
	REASON_EMPTY,          /* too small to be shared among the ranks: 0 bytes */
	REASON_NO_MODEL,       /* null backend, unknown collective, no time */
	REASON_NO_CALIBRATION, /* no sendrecv rows of the kind, and no rate given */
	REASON_UNCHECKED,      /* nobody looked at the data */
	REASON_LATENCY,        /* slow where steps make the time */
	REASON_SLOW,
	REASON_TRANSPORT, /* another one than was asked for */
	REASON_MISROUTE,  /* the bytes left through another interface, or through none that is known */
	REASON_WRONG_DATA,
	REASONS,
};

struct tolerance {    /* shares by which a row may be slower than predicted */
	double bytes; /* where bytes bind */
	double steps; /* where latency binds */
	double wire;  /* of the model's bytes that may be missing on the data interfaces */
};

struct judge {
	const struct calibrations *calibrations;
	struct tolerance tolerance;
	struct link_rate given;  /* --link or --tier; bytes_per_s 0: calibrate */
	struct link_rate inside; /* of a node, per rank; 0: not a term */
};

struct judgement {
	enum outcome outcome;
	enum reason reason;
	double measured_ns, predicted_ns; /* NaN where not judged */
	enum model_bound bound;
	char detail[160]; /* the evidence, "" for a pass */
};

/* Ring arithmetic on the given rate, or on what the links of this run showed at the size of one step. */
enum reason judge_predict(const struct judge *, const struct record *, struct model_answer *out);

void judge_row(const struct judge *, const struct record *, struct judgement *out);

const char *outcome_name(enum outcome);
const char *reason_name(enum reason); /* stable codes: "wrong-data", "eth0-misroute" ... */
const char *reason_advice(enum reason);

/* Where the bytes of a row went, by its interface counters. */
enum wire { WIRE_PROVEN, WIRE_UNKNOWN, WIRE_MISROUTED };
enum wire wire_of(const struct record *, double tolerance, char *detail, size_t detail_bytes);

#endif
