/* cmd_step.c - busbar step: what a network means for a training step: bytes, time, share of the step, memory.
 */
#include "analysis/arguments.h"
#include "analysis/output.h"
#include "analysis/rates.h"
#include "analysis/step.h"

#include <math.h>
#include <string.h>

struct asked {
	const char *dtype, *parallel, *tier, *shape;
	double step_ns, overlap;
	enum output_format format;
	struct step_question q;
};

static enum status settle_wire(struct asked *a)
{
	if (a->tier && a->q.wire.bytes_per_s > 0)
		return fail(ST_USAGE, "--link and --tier both give the rate: use one");
	if (a->tier) {
		const struct tier *t = tier_find(a->tier);
		if (!t)
			return ST_USAGE;
		a->q.wire.bytes_per_s = t->node_bytes_per_s;
	}
	if (a->q.wire.bytes_per_s <= 0 && a->q.parallel != PARALLEL_TP)
		return fail(ST_USAGE, "step needs the rate of a node: --link 25GB/s or --tier 1.6T");
	return ST_OK;
}

static enum status settle_tensors(const struct step_question *q)
{
	if (q->parallel != PARALLEL_TP)
		return ST_OK;
	if (q->layers <= 0 || q->hidden <= 0 || q->tokens <= 0)
		return fail(ST_USAGE, "tp reduces activations: it needs --layers, --hidden and --tokens");
	if (q->inside.bytes_per_s <= 0)
		return fail(
		        ST_USAGE, "tp stays inside a node: it needs --nvlink, the rate of one rank there");
	return ST_OK;
}

static enum status settle(struct asked *a)
{
	int parallel = parallel_find(a->parallel), shape = model_shape_find(a->shape);
	a->q.bytes_per_param = step_dtype_bytes(a->dtype);
	if (a->q.params <= 0)
		return fail(ST_USAGE, "step needs --params: --params 7e9");
	if (a->q.bytes_per_param <= 0)
		return fail(
		        ST_USAGE, "'%s' is not a type of parameters: bf16, fp16, fp32 and fp8 are", a->dtype);
	if (parallel < 0)
		return fail(ST_USAGE,
		        "'%s' is no way to train in parallel: ddp, zero1, zero2, zero3 and tp are",
		        a->parallel);
	if (shape < 0 || shape == MODEL_TREE)
		return fail(ST_USAGE, "'%s' is not a shape of a step: flat and hierarchical are", a->shape);
	if (a->overlap > 1)
		return fail(ST_USAGE, "'%g' is more than all: --overlap is a share up to 1", a->overlap);
	a->q.parallel = (enum parallel)parallel;
	a->q.shape = (enum model_shape)shape;
	enum status s = settle_tensors(&a->q);
	return s ? s : settle_wire(a);
}

static const struct {
	const char *name, *unit;
	int decimals;
} columns[] = {
        {"part", "", -1},
        {"name", "", -1},
        {"of", "", -1},
        {"count", "", 0},
        {"total_bytes", "bytes", 0},
        {"node_bytes", "bytes", 0},
        {"gpu_bytes", "bytes", 0},
        {"time_ns", "ns", 0},
        {"share", "% of step", 1},
        {"bound", "", -1},
};

static void put_part(struct output *o, const struct asked *a, const struct step_part *p)
{
	bool tensor = a->q.parallel == PARALLEL_TP;
	output_row(o);
	output_text(o, TONE_PLAIN, "communication");
	output_text(o, TONE_PLAIN, "%s", p->name);
	output_text(o, TONE_PLAIN, "%s", p->of);
	output_number(o, p->count);
	output_number(o, p->count * p->bytes);
	output_number(o, tensor ? NAN : p->count * p->each.wire_bytes);
	output_number(o, tensor ? p->count * p->each.wire_bytes : NAN);
	output_number(o, p->count * p->each.time_ns);
	output_number(o, a->step_ns > 0 ? 100 * p->count * p->each.time_ns / a->step_ns : NAN);
	output_text(o, TONE_PLAIN, "%s", model_bound_name(p->each.bound));
}

static void put_memory(struct output *o, const struct step_memory *m)
{
	output_row(o);
	output_text(o, TONE_PLAIN, "memory");
	output_text(o, TONE_PLAIN, "%s", m->name);
	output_text(o, TONE_PLAIN, "%s", "");
	output_number(o, NAN);
	output_number(o, m->bytes);
	output_number(o, NAN);
	output_number(o, m->gpu_bytes);
	output_number(o, NAN);
	output_number(o, NAN);
	output_text(o, TONE_PLAIN, "%s", "");
}

static int answer(const struct asked *a, const struct step_answer *s)
{
	struct output *o = output_open(stdout, a->format, "");
	char time[QUANTITY_BYTES], sent[QUANTITY_BYTES], step[QUANTITY_BYTES], exposed[QUANTITY_BYTES];
	output_quantity(time, s->time_ns, "ns", 0);
	output_fact(o, "communication", TONE_PLAIN, "%s a step%s%s%s", time,
	        s->wire_bytes > 0 ? ", each node sends " : "",
	        s->wire_bytes > 0 ? output_quantity(sent, s->wire_bytes, "bytes", 0) : "",
	        a->q.gpus_per_node > 1 && a->q.parallel != PARALLEL_TP && a->q.shape == MODEL_HIERARCHICAL
	                ? ", node by node"
	                : "");
	if (a->step_ns > 0)
		output_fact(o, "exposed", TONE_PLAIN, "%.1f %% of %s: %s, %s",
		        100 * s->time_ns * (1 - a->overlap) / a->step_ns,
		        output_quantity(step, a->step_ns, "ns", 0),
		        output_quantity(exposed, s->time_ns * (1 - a->overlap), "ns", 0),
		        a->overlap > 0 ? "the rest hides behind computation"
		                       : "if nothing hides behind computation");
	for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
		output_column(o, columns[c].name, columns[c].unit, columns[c].decimals);
	for (int i = 0; i < s->parts; i++)
		put_part(o, a, &s->part[i]);
	for (int i = 0; i < STEP_PARTS; i++)
		put_memory(o, &s->memory[i]);
	output_note(o, TONE_DIM,
	        "memory without activations and communication buffers; the optimizer keeps three FP32 "
	        "copies");
	return output_close(o) ? EXIT_UNREADABLE : EXIT_PASS;
}

static const char more[] =
        "ddp reduces the gradients; zero1 and zero2 scatter them and gather the parameters; zero3 gathers "
        "the\n"
        "parameters forward and backward; tp reduces the activations of every layer inside the node.\n\n"
        "  busbar step --params 7e9 --parallel ddp --nodes 8 --tier 3.2T --step-time 2s\n";

static int run_step(int argc, char **argv)
{
	struct asked a = {.dtype = "bf16",
	        .parallel = "ddp",
	        .shape = "hierarchical",
	        .q = {.nodes = 1, .gpus_per_node = 1}};
	struct step_answer s;
	const struct argument table[] = {
	        {"params", ARGUMENT_NUMBER, &a.q.params, "parameters of the model"},
	        {"dtype", ARGUMENT_TEXT, &a.dtype, "of parameters and gradients (default bf16)"},
	        {"parallel", ARGUMENT_TEXT, &a.parallel, "ddp, zero1, zero2, zero3 or tp (default ddp)"},
	        {"nodes", ARGUMENT_COUNT, &a.q.nodes, "nodes (default 1)"},
	        {"gpus-per-node", ARGUMENT_COUNT, &a.q.gpus_per_node, "ranks on each (default 1)"},
	        {"link", ARGUMENT_RATE, &a.q.wire.bytes_per_s, "of a node, one direction"},
	        {"tier", ARGUMENT_TEXT, &a.tier, "1.6T, 3.2T, 8x200G or 8x400G instead of --link"},
	        {"alpha", ARGUMENT_TIME, &a.q.wire.alpha_ns, "one step of a collective without data"},
	        {"nvlink", ARGUMENT_RATE, &a.q.inside.bytes_per_s,
	                "inside a node, one direction of one rank"},
	        {"shape", ARGUMENT_TEXT, &a.shape, "flat or hierarchical (default hierarchical)"},
	        {"step-time", ARGUMENT_TIME, &a.step_ns, "of a training step: 2s"},
	        {"overlap", ARGUMENT_SHARE, &a.overlap,
	                "share of the communication that hides behind computation (default 0)"},
	        {"layers", ARGUMENT_NUMBER, &a.q.layers, "tp: layers"},
	        {"hidden", ARGUMENT_NUMBER, &a.q.hidden, "tp: width of a layer"},
	        {"tokens", ARGUMENT_NUMBER, &a.q.tokens, "tp: tokens of a step on one node"},
	        {"format", ARGUMENT_FORMAT, &a.format, "how to print"},
	        {NULL, 0, NULL, NULL},
	};
	struct arguments arguments = {.command = &command_step, .table = table, .more = more};
	int code = arguments_parse(&arguments, argc, argv);
	if (code != ARGUMENTS_GO_ON)
		return code;
	if (settle(&a) || step_answer_of(&a.q, &s))
		return EXIT_UNREADABLE;
	return answer(&a, &s);
}

const struct command command_step = {
        .name = "step",
        .synopsis = "--params NUMBER --parallel NAME --nodes COUNT (--link RATE | --tier NAME)",
        .help = "what a network means for a training step: bytes, time, share, memory",
        .run = run_step,
};
