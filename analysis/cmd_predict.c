/* cmd_predict.c - busbar predict: what measured runs let expect of a larger cluster, and how far such
 * predictions can be trusted. */
#include "analysis/arguments.h"
#include "analysis/output.h"
#include "analysis/predict.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODE_COUNTS = 32 };

struct asked {
	struct rows rows;
	const char *nodes_text, *only;
	int nodes[NODE_COUNTS], node_counts, gpus_per_node;
	double bytes, tolerance;
	enum output_format format;
};

static enum status parse_nodes(struct asked *a)
{
	const char *at = a->nodes_text;
	for (a->node_counts = 0; at && *at && a->node_counts < NODE_COUNTS; a->node_counts++) {
		char *end;
		errno = 0;
		long value = strtol(at, &end, 10);
		if (end == at || (*end && *end != ',') || errno || value < 1 || value > INT_MAX / 4096)
			return fail(ST_USAGE, "'%s' is not a list of node counts: --nodes 16,64,1250",
			        a->nodes_text);
		a->nodes[a->node_counts] = (int)value;
		at = *end ? end + 1 : end;
	}
	return a->node_counts ? ST_OK : fail(ST_USAGE, "predict needs --nodes: --nodes 16,64,1250");
}

static bool is_first_of_kind(const struct asked *a, size_t i)
{
	if (a->only && strcmp(a->only, a->rows.row[i].collective))
		return false;
	for (size_t k = 0; k < i; k++)
		if (predict_same_kind(&a->rows.row[k], &a->rows.row[i]))
			return false;
	return true;
}

/* Ranks a node: as asked, else as in the largest measured run. Runs within one node scale by ranks, one a
 * node. */
static int ranks_a_node(const struct asked *a, const struct record *like)
{
	int ranks = 0, g = 1;
	if (a->gpus_per_node)
		return a->gpus_per_node;
	for (size_t i = 0; i < a->rows.count; i++) {
		const struct record *r = &a->rows.row[i];
		if (predict_same_kind(r, like) && r->ranks > ranks && r->nodes > 1) {
			ranks = r->ranks;
			g = r->ranks / r->nodes;
		}
	}
	return g;
}

static double largest_bytes(const struct asked *a, const struct record *like)
{
	double bytes = a->bytes;
	for (size_t i = 0; a->bytes <= 0 && i < a->rows.count; i++)
		if (predict_same_kind(&a->rows.row[i], like))
			bytes = fmax(bytes, (double)a->rows.row[i].bytes);
	return bytes;
}

static void put_row(struct output *o, const struct record *like, const struct model_question *q,
        const struct model_answer *a)
{
	output_row(o);
	output_text(o, TONE_PLAIN, "%s", like->collective);
	output_text(o, TONE_PLAIN, "%s", like->backend);
	output_text(o, TONE_PLAIN, "%s", row_transport(like));
	output_text(o, TONE_PLAIN, "%s", like->placement);
	output_text(o, TONE_PLAIN, "%s", model_shape_name(q->shape));
	output_number(o, q->nodes);
	output_number(o, q->ranks);
	output_number(o, q->size_bytes);
	output_number(o, a->time_ns);
	output_number(o, a->busbw_gbs);
	output_text(o, TONE_PLAIN, "%s", model_bound_name(a->bound));
	output_number(o, a->latency_ns);
	output_number(o, a->wire_ns);
}

static size_t put_kind(struct output *o, const struct asked *a, const struct record *like)
{
	struct levels l;
	size_t put = 0;
	if (!predict_learn(&a->rows, &(struct selection){like, 2, INT_MAX}, &l))
		return 0;
	/* Learned within one node only: there every rank is a node of its own. */
	if (!l.has_wire) {
		l.wire = l.inside;
		l.has_wire = true;
		l.has_inside = false;
	}
	int g = ranks_a_node(a, like);
	for (int i = 0; i < a->node_counts; i++)
		for (enum model_shape shape = MODEL_RING; shape <= MODEL_HIERARCHICAL; shape++) {
			struct model_question q = {.collective = collective_find(like->collective),
			        .size_bytes = largest_bytes(a, like),
			        .ranks = a->nodes[i] * g,
			        .nodes = a->nodes[i],
			        .shape = shape};
			struct model_answer answer;
			bool same_as_flat = shape == MODEL_HIERARCHICAL && g == 1;
			if (!q.collective || !model_has_shape(q.collective, shape) || same_as_flat ||
			        q.collective->runs_on(q.ranks) || !predict_time(&l, &q, &answer))
				continue;
			put_row(o, like, &q, &answer);
			put++;
		}
	return put;
}

struct trust {
	size_t checked, good;
	double worst; /* of the medians */
	const struct record *like;
	struct self_check at;
};

static struct trust check_all(const struct asked *a)
{
	struct trust t = {0};
	for (size_t i = 0; i < a->rows.count; i++) {
		struct self_check c;
		if (!is_first_of_kind(a, i) || !predict_check(&a->rows, &a->rows.row[i], &c))
			continue;
		t.checked++;
		t.good += c.median <= a->tolerance;
		if (!t.like || c.median > t.worst) {
			t.worst = c.median;
			t.like = &a->rows.row[i];
			t.at = c;
		}
	}
	return t;
}

static int put_trust(struct output *o, const struct trust *t)
{
	if (!t->checked) {
		output_fact(o, "check", TONE_WARN,
		        "none: all runs have the same number of ranks, add a smaller or a larger one");
		return EXIT_PASS;
	}
	bool good = t->good == t->checked;
	output_fact(o, "check", good ? TONE_GOOD : TONE_BAD,
	        "%s, %zu of %zu curves of the largest run (%d ranks) are predicted from the smaller ones; "
	        "the worst, %s over %s, misses by "
	        "%.0f %% in the middle, %.0f %% at most",
	        good ? "PASS" : "FAIL", t->good, t->checked, t->at.ranks, t->like->collective,
	        row_transport(t->like), 100 * t->at.median, 100 * t->at.worst);
	return good ? EXIT_PASS : EXIT_VERDICT_FAIL;
}

static const struct {
	const char *name, *unit;
	int decimals;
} columns[] = {
        {"collective", "", -1},
        {"backend", "", -1},
        {"transport", "", -1},
        {"placement", "", -1},
        {"shape", "", -1},
        {"nodes", "", 0},
        {"ranks", "", 0},
        {"bytes", "size", 0},
        {"time_ns", "ns", 0},
        {"busbw_gbs", "GB/s", 2},
        {"bound", "", -1},
        {"latency_ns", "ns", 0},
        {"wire_ns", "ns", 0},
};

static int answer(const struct asked *a)
{
	struct output *o = output_open(stdout, a->format, "");
	struct trust trust = check_all(a);
	size_t put = 0;
	output_fold(o);
	int code = put_trust(o, &trust);
	for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
		output_column(o, columns[c].name, columns[c].unit, columns[c].decimals);
	for (size_t i = 0; i < a->rows.count; i++)
		if (is_first_of_kind(a, i))
			put += put_kind(o, a, &a->rows.row[i]);
	if (!put) {
		output_note(
		        o, TONE_WARN, "no row has a time, a model and two ranks: nothing can be predicted");
		code = EXIT_NOT_JUDGED;
	}
	if (a->rows.bad)
		output_note(o, TONE_WARN, "%zu broken rows were left out", a->rows.bad);
	if (output_close(o) || (a->rows.bad && code == EXIT_PASS))
		return EXIT_UNREADABLE;
	return code;
}

static enum status read_all(struct asked *a, char **path, int paths)
{
	for (int i = 0; i < paths; i++) {
		struct rows more;
		enum status s = rows_read(path[i], &more);
		for (size_t k = 0; !s && k < more.count; k++)
			s = rows_append(&a->rows, &more.row[k]);
		a->rows.bad += more.bad;
		rows_free(&more);
		if (s)
			return s;
	}
	return ST_OK;
}

static const char more[] =
        "RUNs are measured on fewer nodes: within one node they tell what a step costs and a link carries "
        "there,\n"
        "over several what it is between nodes. alltoall as hierarchical is rail-aligned. With runs of two "
        "sizes the\n"
        "largest is predicted from the others first, which tells what the rest is worth.\n";

static int run_predict(int argc, char **argv)
{
	struct asked a = {.tolerance = 0.2};
	const struct argument table[] = {
	        {"nodes", ARGUMENT_TEXT, &a.nodes_text, "node counts, with commas between: 16,64,1250"},
	        {"gpus-per-node", ARGUMENT_COUNT, &a.gpus_per_node,
	                "ranks on each (default: as in the largest run)"},
	        {"bytes", ARGUMENT_SIZE, &a.bytes, "the size (default: the largest measured)"},
	        {"collective", ARGUMENT_TEXT, &a.only, "only this one"},
	        {"tolerance", ARGUMENT_SHARE, &a.tolerance,
	                "how far the check may miss in the middle (default 20%)"},
	        {"format", ARGUMENT_FORMAT, &a.format, "how to print"},
	        {NULL, 0, NULL, NULL},
	};
	struct arguments arguments = {
	        .command = &command_predict, .table = table, .more = more, .least = 1, .most = 64};
	int code = arguments_parse(&arguments, argc, argv);
	if (code != ARGUMENTS_GO_ON)
		return code;
	if (parse_nodes(&a))
		return EXIT_UNREADABLE;
	code = read_all(&a, arguments.operand, arguments.operands) ? EXIT_UNREADABLE : answer(&a);
	rows_free(&a.rows);
	return code;
}

const struct command command_predict = {
        .name = "predict",
        .synopsis = "RUN... --nodes COUNTS [--bytes BYTES]",
        .help = "what measured runs let expect of a larger cluster, checked on the largest run",
        .run = run_predict,
};
