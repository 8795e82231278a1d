/* step.c - two tables: which collectives each way of parallel training needs, and which state it spreads over
 * the ranks. */
#include "analysis/step.h"

#include <string.h>

enum state { PARAMETERS, GRADIENTS, OPTIMIZER, STATES };

static const char *const state_names[STATES] = {"parameters", "gradients", "optimizer"};
static const double optimizer_bytes = 3 * 4; /* master weights and both moments, FP32 */

struct way {
	const char *name;
	struct {
		const char *collective, *of;
		double count;
	} needs[STEP_PARTS];
	bool spread[STATES]; /* over all ranks */
};

static const struct way ways[PARALLELS] = {
        [PARALLEL_DDP] = {"ddp", {{"all_reduce", "gradients", 1}}, {false, false, false}},
        [PARALLEL_ZERO1] = {"zero1", {{"reduce_scatter", "gradients", 1}, {"all_gather", "parameters", 1}},
                {false, false, true}},
        [PARALLEL_ZERO2] = {"zero2", {{"reduce_scatter", "gradients", 1}, {"all_gather", "parameters", 1}},
                {false, true, true}},
        [PARALLEL_ZERO3] = {"zero3",
                {{"all_gather", "parameters, forward and backward", 2}, {"reduce_scatter", "gradients", 1}},
                {true, true, true}},
        [PARALLEL_TP] = {"tp", {{"all_reduce", "activations", 4}}, {true, true, true}},
};

static enum status add_part(const struct step_question *q, int i, struct step_answer *a)
{
	const struct way *way = &ways[q->parallel];
	bool tensor = q->parallel == PARALLEL_TP;
	struct step_part *part = &a->part[a->parts];
	part->name = way->needs[i].collective;
	part->of = way->needs[i].of;
	part->count = way->needs[i].count * (tensor ? q->layers : 1);
	part->bytes = (tensor ? q->tokens * q->hidden : q->params) * q->bytes_per_param;
	struct model_question m = {.collective = collective_find(part->name),
	        .size_bytes = part->bytes,
	        .ranks = q->nodes * q->gpus_per_node,
	        .nodes = q->nodes,
	        .shape = q->gpus_per_node > 1 ? q->shape : MODEL_RING,
	        .wire = q->wire,
	        .inside = q->inside};
	if (tensor) { /* inside the node: its links are the wire */
		m.ranks = q->gpus_per_node;
		m.nodes = 1;
		m.shape = MODEL_RING;
		m.wire = q->inside;
	}
	enum status s = model_answer_of(&m, &part->each);
	if (s)
		return s;
	a->parts++;
	a->time_ns += part->count * part->each.time_ns;
	a->wire_bytes += tensor ? 0 : part->count * part->each.wire_bytes;
	return ST_OK;
}

static void count_memory(const struct step_question *q, struct step_answer *a)
{
	const double each[STATES] = {q->bytes_per_param, q->bytes_per_param, optimizer_bytes};
	double ranks = q->parallel == PARALLEL_TP ? q->gpus_per_node : (double)q->nodes * q->gpus_per_node;
	for (enum state s = PARAMETERS; s < STATES; s++) {
		double bytes = q->params * each[s];
		a->memory[s] = (struct step_memory){
		        state_names[s], bytes, ways[q->parallel].spread[s] ? bytes / ranks : bytes};
	}
	a->memory[STATES] = (struct step_memory){"parameters and optimizer",
	        a->memory[PARAMETERS].bytes + a->memory[OPTIMIZER].bytes,
	        a->memory[PARAMETERS].gpu_bytes + a->memory[OPTIMIZER].gpu_bytes};
}

enum status step_answer_of(const struct step_question *q, struct step_answer *out)
{
	*out = (struct step_answer){0};
	for (int i = 0; i < STEP_PARTS && ways[q->parallel].needs[i].collective; i++) {
		enum status s = add_part(q, i, out);
		if (s)
			return s;
	}
	count_memory(q, out);
	return ST_OK;
}

int parallel_find(const char *name)
{
	for (int i = 0; i < PARALLELS; i++)
		if (!strcmp(ways[i].name, name))
			return i;
	return -1;
}

const char *parallel_name(enum parallel parallel)
{
	return ways[parallel].name;
}

double step_dtype_bytes(const char *name)
{
	static const struct {
		const char *name;
		double bytes;
	} types[] = {
	        {"bf16", 2},
	        {"bfloat16", 2},
	        {"fp16", 2},
	        {"half", 2},
	        {"fp32", 4},
	        {"float", 4},
	        {"fp8", 1},
	        {"f8e4m3", 1},
	        {"f8e5m2", 1},
	};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (!strcmp(types[i].name, name))
			return types[i].bytes;
	return 0;
}
