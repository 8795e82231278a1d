/* step.h - what one training step sends and what its state takes, by the way in which it is made parallel.
 * Pure arithmetic. */
#ifndef ANALYSIS_STEP_H
#define ANALYSIS_STEP_H

#include "analysis/model.h"

enum { STEP_PARTS = 4 };

enum parallel { PARALLEL_DDP, PARALLEL_ZERO1, PARALLEL_ZERO2, PARALLEL_ZERO3, PARALLEL_TP, PARALLELS };

struct step_question {
	double params,
	        bytes_per_param; /* of parameters and gradients; the optimizer keeps three copies in FP32 */
	enum parallel parallel;
	int nodes, gpus_per_node;
	struct link_rate wire, inside;
	enum model_shape shape;
	/* PARALLEL_TP: the ranks of a node share every layer and reduce its activations, twice forward and
	 * twice backward */
	double layers, hidden, tokens;
};

struct step_part {           /* one kind of collective */
	const char *name;    /* "all_reduce" */
	const char *of;      /* "gradients" */
	double count, bytes; /* a step; of each */
	struct model_answer each;
};

struct step_memory {
	const char *name;
	double bytes, gpu_bytes; /* all of it; on each GPU */
};

struct step_answer {
	struct step_part part[STEP_PARTS];
	int parts;
	struct step_memory
	        memory[STEP_PARTS]; /* parameters, gradients, optimizer, and parameters with optimizer */
	double time_ns, wire_bytes; /* of all parts; a node sends */
};

enum status step_answer_of(const struct step_question *, struct step_answer *out);

/* "ddp", "zero1", ...; -1 when there is none of that name. */
int parallel_find(const char *name);
const char *parallel_name(enum parallel);
/* "bf16", "fp32", ... in bytes; 0 when it is none. */
double step_dtype_bytes(const char *name);

#endif
