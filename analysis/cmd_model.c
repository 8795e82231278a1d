/* cmd_model.c - busbar model: how long a collective must take, what each link carries and which term binds.
 */
#include "analysis/arguments.h"
#include "analysis/model.h"
#include "analysis/output.h"
#include "analysis/rates.h"
#include "bench/core/near.h"

#include <math.h>
#include <string.h>

struct asked {
	const char *collective, *tier, *shape;
	double bytes, link, nvlink, memory, alpha_ns, nvlink_alpha_ns;
	int ranks, nodes, gpus_per_node;
	enum output_format format;
};

static const struct collective *find_collective(const char *name)
{
	const struct collective *c = collective_find(name);
	if (c)
		return c;
	struct near near = near_begin(name);
	for (size_t i = 0; collectives[i]; i++)
		near_offer(&near, collectives[i]->name);
	const char *best = near_best(&near);
	fail(ST_USAGE, "there is no collective '%s'%s%s", name, best ? ": did you mean " : "",
	        best ? best : "");
	return NULL;
}

/* --ranks, --nodes and --gpus-per-node: any two give the third; --ranks alone is one rank a node or one node.
 */
static enum status settle_places(struct asked *a)
{
	if (!a->nodes && a->gpus_per_node && a->ranks)
		a->nodes = a->ranks / a->gpus_per_node;
	if (!a->ranks && a->nodes)
		a->ranks = a->nodes * (a->gpus_per_node ? a->gpus_per_node : 1);
	if (!a->ranks)
		return fail(ST_USAGE, "model needs --ranks, or --nodes with --gpus-per-node");
	if (!a->nodes)
		a->nodes = a->tier ? a->ranks : 1;
	if (a->ranks % a->nodes || (a->gpus_per_node && a->nodes * a->gpus_per_node != a->ranks))
		return fail(ST_USAGE,
		        "%d ranks do not fill %d nodes evenly: --ranks is --nodes times --gpus-per-node",
		        a->ranks, a->nodes);
	return ST_OK;
}

static enum status settle_link(struct asked *a)
{
	if (a->tier && a->link > 0)
		return fail(ST_USAGE, "--link and --tier both give the rate: use one");
	if (a->tier) {
		const struct tier *t = tier_find(a->tier);
		if (!t)
			return ST_USAGE;
		a->link = t->node_bytes_per_s;
	}
	if (a->link <= 0)
		return fail(ST_USAGE,
		        "model needs the rate of a link: --link 25GB/s, --link 400Gb/s or --tier 1.6T");
	return ST_OK;
}

static enum status settle(struct asked *a, struct model_question *q)
{
	if (!a->collective || a->bytes <= 0)
		return fail(ST_USAGE,
		        "model needs --collective and --bytes: --collective all_reduce --bytes 14e9");
	enum status s = settle_places(a);
	if (!s)
		s = settle_link(a);
	if (s)
		return s;
	const struct collective *c = find_collective(a->collective);
	if (!c)
		return ST_USAGE;
	*q = (struct model_question){
	        .collective = c,
	        .size_bytes = a->bytes,
	        .ranks = a->ranks,
	        .nodes = a->nodes,
	        .wire = {a->link, a->alpha_ns},
	        .inside = {a->nvlink, a->nvlink_alpha_ns},
	        .memory_bytes_per_s = a->memory,
	};
	return c->runs_on ? c->runs_on(a->ranks) : ST_OK;
}

static const struct {
	const char *name, *unit;
	int decimals;
} columns[] = {
        {"collective", "", -1},
        {"shape", "", -1},
        {"bytes", "size", 0},
        {"ranks", "", 0},
        {"nodes", "", 0},
        {"time_ns", "ns", 0},
        {"algbw_gbs", "GB/s", 2},
        {"busbw_gbs", "GB/s", 2},
        {"bound", "", -1},
        {"link_bytes", "bytes", 0},
        {"nvlink_bytes", "bytes", 0},
        {"latency_ns", "ns", 0},
        {"wire_ns", "ns", 0},
        {"nvlink_ns", "ns", 0},
        {"memory_ns", "ns", 0},
};

static double or_absent(double value)
{
	return value > 0 ? value : NAN;
}

static void put_answer(struct output *o, const struct model_question *q, const struct model_answer *a)
{
	output_row(o);
	output_text(o, TONE_PLAIN, "%s", q->collective->name);
	output_text(o, TONE_PLAIN, "%s", model_shape_name(q->shape));
	output_number(o, q->size_bytes);
	output_number(o, q->ranks);
	output_number(o, q->nodes);
	output_number(o, a->time_ns);
	output_number(o, a->algbw_gbs);
	output_number(o, a->busbw_gbs);
	output_text(o, TONE_PLAIN, "%s", model_bound_name(a->bound));
	output_number(o, a->wire_bytes);
	output_number(o, or_absent(a->inside_bytes));
	output_number(o, or_absent(a->latency_ns));
	output_number(o, a->wire_ns);
	output_number(o, or_absent(a->inside_ns));
	output_number(o, or_absent(a->memory_ns));
}

static void explain(struct output *o, const struct model_question *q, const struct model_answer *a)
{
	char sent[QUANTITY_BYTES], rate[QUANTITY_BYTES];
	output_quantity(sent, a->wire_bytes, "bytes", 0);
	output_quantity(rate, q->wire.bytes_per_s, "bytes", 0);
	const char *of_whom = q->nodes == 1 ? "each rank" : "each node";
	static const char *const assumed[] = {
	        [MODEL_RING] = "one ring over all ranks",
	        [MODEL_TREE] = "a double binary tree between nodes",
	        [MODEL_HIERARCHICAL] = "inside each node, between nodes, inside again",
	};
	if (a->bound == BOUND_NONE)
		output_note(o, TONE_PLAIN, "one rank: nothing to move, the model does not apply");
	else
		output_note(o, TONE_PLAIN, "%s (%s): %s sends %s at %s/s, %s binds",
		        model_shape_name(q->shape), assumed[q->shape], of_whom, sent, rate,
		        model_bound_name(a->bound));
}

/* Without --shape: the flat ring, and beside it the hierarchical way where nodes hold several ranks. */
static int answer(const struct asked *asked, struct model_question *q)
{
	enum model_shape wanted[2] = {MODEL_RING, MODEL_HIERARCHICAL};
	int count = 1;
	if (asked->shape) {
		int shape = model_shape_find(asked->shape);
		if (shape < 0) {
			fail(ST_USAGE, "'%s' is not a shape: flat, tree and hierarchical are", asked->shape);
			return EXIT_UNREADABLE;
		}
		wanted[0] = (enum model_shape)shape;
	} else if (q->nodes > 1 && q->ranks > q->nodes &&
	           model_has_shape(q->collective, MODEL_HIERARCHICAL)) {
		count = 2;
	}
	struct model_answer a[2];
	for (int i = 0; i < count; i++) {
		q->shape = wanted[i];
		if (model_answer_of(q, &a[i]))
			return EXIT_UNREADABLE;
	}
	struct output *o = output_open(stdout, asked->format, "");
	for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
		output_column(o, columns[c].name, columns[c].unit, columns[c].decimals);
	for (int i = 0; i < count; i++) {
		q->shape = wanted[i];
		explain(o, q, &a[i]);
	}
	for (int i = 0; i < count; i++) {
		q->shape = wanted[i];
		put_answer(o, q, &a[i]);
	}
	return output_close(o) ? EXIT_UNREADABLE : EXIT_PASS;
}

static const char more[] =
        "time = steps x alpha + the largest of bytes/rate over wire, nvlink and memory.\n"
        "GB is 1e9 bytes; Gb/s is 1e9 bits a second; 64K is 65536 bytes.\n"
        "\n"
        "  busbar model --collective all_reduce --bytes 14e9 --ranks 8 --link 25GB/s\n"
        "  busbar model --collective all_reduce --bytes 14e9 --nodes 8 --gpus-per-node 8 --tier 3.2T\n";

static int run_model(int argc, char **argv)
{
	struct asked a = {0};
	struct model_question q;
	const struct argument table[] = {
	        {"collective", ARGUMENT_TEXT, &a.collective, "all_reduce, all_gather, ..."},
	        {"bytes", ARGUMENT_SIZE, &a.bytes, "the size column: the larger buffer of one rank"},
	        {"ranks", ARGUMENT_COUNT, &a.ranks, "all ranks"},
	        {"nodes", ARGUMENT_COUNT, &a.nodes, "nodes (default 1, or one a rank with --tier)"},
	        {"gpus-per-node", ARGUMENT_COUNT, &a.gpus_per_node, "ranks on each node"},
	        {"link", ARGUMENT_RATE, &a.link, "one direction: of a node, or of a rank on one node"},
	        {"tier", ARGUMENT_TEXT, &a.tier, "1.6T, 3.2T, 8x200G or 8x400G instead of --link"},
	        {"nvlink", ARGUMENT_RATE, &a.nvlink, "inside a node, one direction of one rank"},
	        {"memory", ARGUMENT_RATE, &a.memory, "what one rank can copy and reduce"},
	        {"alpha", ARGUMENT_TIME, &a.alpha_ns, "one step without data"},
	        {"nvlink-alpha", ARGUMENT_TIME, &a.nvlink_alpha_ns,
	                "one step inside a node (default --alpha)"},
	        {"shape", ARGUMENT_TEXT, &a.shape,
	                "flat, tree or hierarchical (default flat, and hierarchical beside it)"},
	        {"format", ARGUMENT_FORMAT, &a.format, "how to print"},
	        {NULL, 0, NULL, NULL},
	};
	struct arguments arguments = {
	        .command = &command_model,
	        .table = table,
	        .more = more,
	};
	int code = arguments_parse(&arguments, argc, argv);
	if (code != ARGUMENTS_GO_ON)
		return code;
	if (settle(&a, &q))
		return EXIT_UNREADABLE;
	return answer(&a, &q);
}

const struct command command_model = {
        .name = "model",
        .synopsis = "--collective NAME --bytes BYTES --ranks COUNT (--link RATE | --tier NAME)",
        .help = "how long a collective must take, what each link carries, which term binds",
        .run = run_model,
};
