/* cmd_fit.c - busbar fit: latency per step, effective bandwidth and protocol switches of every curve in a
 * run. */
#include "analysis/arguments.h"
#include "analysis/fit.h"
#include "analysis/model.h"
#include "analysis/output.h"
#include "analysis/rows.h"

#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct curve {
	const struct record *like;
	struct line_point point[FIT_POINTS];
	size_t points;
	double noise; /* share of the time, median over the points */
};

static bool same_curve(const struct record *a, const struct record *b)
{
	return a->ranks == b->ranks && a->nodes == b->nodes && a->dtype == b->dtype && a->redop == b->redop &&
	       a->group == b->group && !strcmp(a->collective, b->collective) &&
	       !strcmp(a->backend, b->backend) && !strcmp(a->placement, b->placement) &&
	       !strcmp(a->memory, b->memory) && !strcmp(a->tier, b->tier) &&
	       !strcmp(a->host_set, b->host_set) && !strcmp(row_transport(a), row_transport(b));
}

static int by_size(const void *a, const void *b)
{
	const struct line_point *x = a, *y = b;
	return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/* The shares by which medians are uncertain tell the noise; clocks and machines add 2 %. */
static double noise_of(const struct record *r)
{
	const struct stats *s = &r->time_ns;
	double own = s->count > 5 && s->ci_low > 0 ? (s->ci_high - s->ci_low) / (2 * 1.96 * s->p50) : 0;
	return hypot(own, 0.02);
}

static void gather(const struct rows *rows, const struct record *like, struct curve *c)
{
	double noise[FIT_POINTS];
	*c = (struct curve){.like = like};
	for (size_t i = 0; i < rows->count && c->points < FIT_POINTS; i++) {
		const struct record *r = &rows->row[i];
		if (!same_curve(like, r) || !r->bytes || !(row_ns(r) > 0))
			continue;
		noise[c->points] = noise_of(r);
		c->point[c->points++] = (struct line_point){(double)r->bytes, row_ns(r)};
	}
	c->noise = c->points ? gsl_stats_median(noise, 1, c->points) : 0;
	qsort(c->point, c->points, sizeof *c->point, by_size);
}

static bool is_first(const struct rows *rows, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (same_curve(&rows->row[k], &rows->row[i]))
			return false;
	return true;
}

static const struct {
	const char *name, *unit;
	int decimals;
} columns[] = {
        {"collective", "", -1},
        {"backend", "", -1},
        {"transport", "", -1},
        {"placement", "", -1},
        {"ranks", "", 0},
        {"nodes", "", 0},
        {"shape", "", -1},
        {"from_bytes", "size", 0},
        {"to_bytes", "size", 0},
        {"points", "", 0},
        {"alpha_ns", "ns", 0},
        {"step_ns", "ns", 0},
        {"step_low_ns", "ns", 0},
        {"step_high_ns", "ns", 0},
        {"link_gbs", "GB/s", 3},
        {"link_low_gbs", "GB/s", 3},
        {"link_high_gbs", "GB/s", 3},
        {"busbw_limit_gbs", "GB/s", 3},
        {"half_bytes", "bytes", 0},
        {"spread", "%", 1},
};

/* What one byte of the size column puts on the wire, and in how many steps: by the shape. */
static bool wire_per_byte(const struct record *r, enum model_shape shape, double *bytes_p, double *steps_p)
{
	const struct collective *c = collective_find(r->collective);
	struct model_answer a;
	if (!c || r->ranks < 2 || (r->nodes > 1 && r->ranks % r->nodes) || !model_has_shape(c, shape))
		return false;
	struct model_question q = {.collective = c,
	        .size_bytes = 1e9,
	        .ranks = r->ranks,
	        .nodes = r->nodes,
	        .shape = shape,
	        .wire = {1e9, 0}};
	if (model_answer_of(&q, &a))
		return false;
	*bytes_p = a.wire_bytes / 1e9;
	*steps_p = a.steps;
	return true;
}

static void put_piece(
        struct output *o, const struct curve *c, const struct fit_piece *p, enum model_shape shape)
{
	const struct record *r = c->like;
	const struct line_fit *l = &p->line;
	double bytes = NAN, steps = NAN;
	const struct collective *collective = collective_find(r->collective);
	bool known = wire_per_byte(r, shape, &bytes, &steps);
	output_row(o);
	output_text(o, TONE_PLAIN, "%s", r->collective);
	output_text(o, TONE_PLAIN, "%s", r->backend);
	output_text(o, TONE_PLAIN, "%s", row_transport(r));
	output_text(o, TONE_PLAIN, "%s", r->placement);
	output_number(o, r->ranks);
	output_number(o, r->nodes);
	output_text(o, TONE_PLAIN, "%s", known ? model_shape_name(shape) : "");
	output_number(o, c->point[p->first].bytes);
	output_number(o, c->point[p->first + p->count - 1].bytes);
	output_number(o, (double)p->count);
	output_number(o, l->alpha_ns.value);
	output_number(o, l->alpha_ns.value / steps);
	output_number(o, l->alpha_ns.low / steps);
	output_number(o, l->alpha_ns.high / steps);
	output_number(o, l->bytes_per_s.value * bytes / 1e9);
	output_number(o, l->bytes_per_s.low * bytes / 1e9);
	output_number(o, l->bytes_per_s.high * bytes / 1e9);
	output_number(o, known ? l->bytes_per_s.value / 1e9 * collective->bus_factor(r->ranks) : NAN);
	output_number(o, l->alpha_ns.value * l->bytes_per_s.value / 1e9);
	output_number(o, 100 * l->spread);
}

static int answer(const struct rows *rows, enum model_shape shape, enum output_format format)
{
	struct output *o = output_open(stdout, format, "");
	size_t fitted = 0, refused = 0;
	output_fold(o);
	for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
		output_column(o, columns[c].name, columns[c].unit, columns[c].decimals);
	for (size_t i = 0; i < rows->count; i++) {
		struct curve c;
		struct fit f;
		if (!is_first(rows, i))
			continue;
		gather(rows, &rows->row[i], &c);
		bool ok = c.points >= 3 && fit_of(c.point, c.points, c.noise, &f);
		for (size_t k = 0; ok && k < f.pieces; k++)
			put_piece(o, &c, &f.piece[k], shape);
		fitted += ok;
		refused += !ok;
	}
	if (refused)
		output_note(o, TONE_WARN,
		        "%zu curves have fewer than three sizes, or times that make no line", refused);
	if (rows->bad)
		output_note(o, TONE_WARN, "%zu broken rows were left out", rows->bad);
	if (output_close(o) || rows->bad)
		return EXIT_UNREADABLE;
	return fitted ? EXIT_PASS : EXIT_NOT_JUDGED;
}

static const char more[] =
        "Each curve (collective, transport, placement ...) is fitted with time = alpha + bytes / rate, in "
        "pieces\n"
        "where a switch of protocol shows; outliers weigh little. step is alpha / steps of the shape, link "
        "the\n"
        "rate of a link (of a node where there are several), half the size that reaches half the bandwidth,\n"
        "spread the residuals.\n";

static int run_fit(int argc, char **argv)
{
	struct rows rows;
	enum output_format format = OUTPUT_TEXT;
	const char *shape_name = "flat";
	const struct argument table[] = {
	        {"shape", ARGUMENT_TEXT, &shape_name,
	                "flat, tree or hierarchical: turns the fit into steps and links (default flat)"},
	        {"format", ARGUMENT_FORMAT, &format, "how to print"},
	        {NULL, 0, NULL, NULL},
	};
	struct arguments arguments = {
	        .command = &command_fit,
	        .table = table,
	        .more = more,
	        .least = 1,
	        .most = 1,
	};
	int code = arguments_parse(&arguments, argc, argv);
	if (code != ARGUMENTS_GO_ON)
		return code;
	int shape = model_shape_find(shape_name);
	if (shape < 0) {
		fail(ST_USAGE, "'%s' is not a shape: flat, tree and hierarchical are", shape_name);
		return EXIT_UNREADABLE;
	}
	if (rows_read(arguments.operand[0], &rows))
		return EXIT_UNREADABLE;
	code = answer(&rows, (enum model_shape)shape, format);
	rows_free(&rows);
	return code;
}

const struct command command_fit = {
        .name = "fit",
        .synopsis = "RUN [--shape flat|tree|hierarchical]",
        .help = "latency per step, effective bandwidth and protocol switches of every curve",
        .run = run_fit,
};
