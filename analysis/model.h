/* model.h - the bandwidth model: how long a collective must take, and which term binds. Pure arithmetic.
 * time = steps x alpha + the largest of bytes / bandwidth over the wire, inside a node and through memory: a
 * ring pipelines its chunks, so those three overlap; latency does not. */
#ifndef ANALYSIS_MODEL_H
#define ANALYSIS_MODEL_H

#include "bench/collective/collective.h"
#include "bench/core/status.h"

struct link_rate {
	double bytes_per_s; /* one direction */
	double alpha_ns;    /* one step without data; 0 when unknown */
};

enum model_shape {
	MODEL_RING,         /* flat: one ring over all ranks, consecutive ranks share a node */
	MODEL_TREE,         /* double binary tree between nodes, all_reduce only */
	MODEL_HIERARCHICAL, /* inside each node, then between nodes on 1/g of the data per rail, then inside
	                       again */
};

struct model_question {
	const struct collective *collective;
	double size_bytes; /* the size column */
	int ranks, nodes;
	enum model_shape shape;
	struct link_rate
	        wire; /* between nodes, the whole node; or between ranks when nodes == 1 or nodes == ranks */
	struct link_rate
	        inside; /* inside a node, per rank; 0 bytes_per_s: not a term; 0 alpha_ns: as on the wire */
	double memory_bytes_per_s; /* what one rank can copy and reduce, in bytes that it sends; 0: not a term
	                            */
};

enum model_bound {
	BOUND_NONE,
	BOUND_WIRE,
	BOUND_NVLINK,
	BOUND_MEMORY,
	BOUND_LATENCY
}; /* NONE: one rank, nothing to move */

struct model_answer {
	double time_ns;
	double wire_bytes;   /* each node sends (each rank where nodes == 1), over the wire */
	double inside_bytes; /* each rank sends inside its node */
	double steps;
	double algbw_gbs, busbw_gbs;
	double latency_ns, wire_ns, inside_ns, memory_ns; /* the terms */
	enum model_bound bound;
};

bool model_has_shape(const struct collective *, enum model_shape);
/* ST_OK, or ST_UNSUPPORTED after a sentence: this collective has no such shape. */
enum status model_answer_of(const struct model_question *, struct model_answer *out);

/* What a rank sends in one step of the flat ring. */
double model_step_bytes(const struct collective *, double size_bytes, int ranks);

/* What a rank copies to itself out of place, as a share of what it sends. */
double model_own_share(const struct collective *, int ranks);

const char *model_bound_name(enum model_bound);
const char *model_shape_name(enum model_shape);
/* MODEL_RING for "flat" or "ring", ...; -1 when there is none of that name. */
int model_shape_find(const char *name);

#endif
