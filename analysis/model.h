/* model.h - the bandwidth model: how long a collective must take, and which term binds. Pure arithmetic.
 * Source of the formulas: the ring derivation, time = steps x alpha + bytes sent / bandwidth. */
#ifndef ANALYSIS_MODEL_H
#define ANALYSIS_MODEL_H

#include "bench/collective/collective.h"
#include "bench/core/status.h"

struct link_rate {
	double bytes_per_s; /* one direction */
	double alpha_ns;    /* one step without data; 0 when unknown */
};

enum model_shape { MODEL_RING, MODEL_TREE, MODEL_HIERARCHICAL };

struct model_question {
	const struct collective *collective;
	double size_bytes; /* the size column */
	int ranks, nodes;
	enum model_shape shape;
	struct link_rate wire;   /* between nodes, the whole node; or between ranks when nodes == 1 or nodes == ranks */
	struct link_rate inside; /* inside a node, per rank; 0 bytes_per_s: not a term */
	double memory_bytes_per_s; /* reduction and copy at one rank; 0: not a term */
};

enum model_bound { BOUND_NONE, BOUND_WIRE, BOUND_NVLINK, BOUND_MEMORY, BOUND_LATENCY }; /* NONE: one rank, nothing to move */

struct model_answer {
	double time_ns;
	double sent_bytes;     /* per rank (flat) or per node (hierarchical): over the binding link */
	double algbw_gbs, busbw_gbs;
	double latency_ns, wire_ns, inside_ns, memory_ns; /* the terms */
	enum model_bound bound;
};

enum status model_answer_of(const struct model_question *, struct model_answer *out);
const char *model_bound_name(enum model_bound);

/* "25GB/s", "400Gb/s", "200Gbps", "3.2Tbps": bytes per second. A bare number is refused: it has no unit. */
enum status parse_rate(const char *text, double *bytes_per_s_p);
/* "14e9", "64K", "1.5G" (binary suffixes as on the benchmark's command line). */
enum status parse_size(const char *text, double *bytes_p);

/* "1.6T", "3.2T": the whole node's rate and its rails, from one table. */
struct tier {
	const char *name;
	double node_bytes_per_s;
	int rails;
	const char *meaning;
};
const struct tier *tier_find(const char *name);

#endif
