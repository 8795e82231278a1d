/* cmd_shares.c - busbar shares: does every node get its even share while all of them send at once? The share
 * is measured, not the aggregate divided by the number of nodes. */
#include "analysis/arguments.h"
#include "analysis/output.h"
#include "analysis/pairs_read.h"
#include "bench/core/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

struct shares {
	struct pairs_input in;
	int nodes;
	double *own_gbs; /* [nodes] the median over partners; NaN: not measured */
	double level_gbs, total_gbs, least_gbs, most_gbs;
	int measured, short_of;
};

/* A slow partner costs a node a pair or two, not its median. */
static double own_rate(const struct pairs *p, int node, double *scratch)
{
	size_t count = 0;
	for (int peer = 0; peer < p->nodes; peer++)
		if (!isnan(p->gbs[node * p->nodes + peer]))
			scratch[count++] = p->gbs[node * p->nodes + peer];
	struct stats s;
	stats_of(scratch, count, &s);
	return count ? s.p50 : NAN;
}

/* The level is what the upper half gives: one node in three may be short without lowering what it is held
 * against. */
static enum status measure(struct shares *s)
{
	const struct pairs *p = &s->in.rail[0];
	s->nodes = p->nodes;
	s->own_gbs = calloc((size_t)p->nodes, sizeof *s->own_gbs);
	double *scratch = calloc((size_t)p->nodes, sizeof *scratch);
	if (!s->own_gbs || !scratch) {
		free(scratch);
		return fail(ST_NOMEM, "out of memory for %d nodes", p->nodes);
	}
	for (int i = 0; i < p->nodes; i++)
		s->own_gbs[i] = own_rate(p, i, scratch);
	for (int i = 0; i < p->nodes; i++)
		if (!isnan(s->own_gbs[i])) {
			scratch[s->measured++] = s->own_gbs[i];
			s->total_gbs += s->own_gbs[i];
		}
	struct stats all;
	stats_of(scratch, (size_t)s->measured, &all);
	if (s->measured)
		s->level_gbs = stats_percentile(scratch, (size_t)s->measured, 2.0 / 3);
	s->least_gbs = all.min;
	s->most_gbs = all.max;
	free(scratch);
	return ST_OK;
}

static void put_node(struct output *o, const struct shares *s, int node, double tolerance)
{
	double own = s->own_gbs[node];
	bool lacks = own < s->level_gbs * (1 - tolerance);
	output_row(o);
	output_text(o, lacks ? TONE_BAD : TONE_GOOD, "%s", lacks ? "SHORT" : "EVEN");
	output_text(o, TONE_PLAIN, "%s", s->in.rail[0].name[node]);
	output_number(o, own);
	output_number(o, 100 * own / s->total_gbs);
	output_number(o, 100 * own / s->level_gbs);
}

static int put(struct output *o, struct shares *s, double tolerance)
{
	int worst = -1;
	for (int i = 0; i < s->nodes; i++) {
		s->short_of += s->own_gbs[i] < s->level_gbs * (1 - tolerance);
		if (!isnan(s->own_gbs[i]) && (worst < 0 || s->own_gbs[i] < s->own_gbs[worst]))
			worst = i;
	}
	if (s->measured < 2) {
		output_fact(o, "verdict", TONE_WARN, "UNDECIDED, fewer than two nodes were measured");
		return EXIT_NOT_JUDGED;
	}
	if (s->short_of)
		output_fact(o, "verdict", TONE_BAD,
		        "FAIL, %s gets %.0f %% of what the others get (%d of %d nodes are short)",
		        s->in.rail[0].name[worst], 100 * s->own_gbs[worst] / s->level_gbs, s->short_of,
		        s->measured);
	else
		output_fact(o, "verdict", TONE_GOOD, "PASS, every node gets its even share");
	output_note(o, TONE_DIM, "all %d nodes at once: %.4g GB/s together, imbalance (most / least) %.3f",
	        s->measured, s->total_gbs, s->most_gbs / s->least_gbs);
	output_column(o, "share", "", -1);
	output_column(o, "node", "", -1);
	output_column(o, "own_gbs", "GB/s", 4);
	output_column(o, "of_total", "%", 1);
	output_column(o, "of_level", "%", 1);
	for (int i = 0; i < s->nodes; i++)
		if (!isnan(s->own_gbs[i]))
			put_node(o, s, i, tolerance);
	return s->short_of ? EXIT_VERDICT_FAIL : EXIT_PASS;
}

static const char more[] = "RUN is a folder that holds shares.csv (sendrecv_perf --pairs --csv RUN writes "
                           "it), such a file, or '-'.\n"
                           "A node's own rate is the median over its partners while every node sends and "
                           "receives at once. The level\n"
                           "is that of the upper half of the nodes.\n";

/* A folder stands for the shares.csv in it. */
static void find_file(const char *path, char *file, size_t bytes)
{
	struct stat at;
	bool folder = !stat(path, &at) && S_ISDIR(at.st_mode);
	snprintf(file, bytes, folder ? "%s/shares.csv" : "%s", path);
}

static int run_shares(int argc, char **argv)
{
	double tolerance = 0.07;
	enum output_format format = OUTPUT_TEXT;
	const struct argument table[] = {
	        {"tolerance", ARGUMENT_SHARE, &tolerance,
	                "how far below the level a node may be (default 7%)"},
	        {"format", ARGUMENT_FORMAT, &format, "how to print"},
	        {NULL, 0, NULL, NULL},
	};
	struct arguments arguments = {
	        .command = &command_shares, .table = table, .more = more, .least = 1, .most = 1};
	int code = arguments_parse(&arguments, argc, argv);
	if (code != ARGUMENTS_GO_ON)
		return code;
	struct shares s = {0};
	char file[4096];
	find_file(arguments.operand[0], file, sizeof file);
	if (pairs_read(file, &s.in) != ST_OK)
		return EXIT_UNREADABLE;
	code = EXIT_UNREADABLE;
	if (measure(&s) == ST_OK) {
		struct output *o = output_open(stdout, format, "");
		code = put(o, &s, tolerance);
		if (output_close(o))
			code = EXIT_UNREADABLE;
	}
	free(s.own_gbs);
	pairs_input_free(&s.in);
	return code;
}

const struct command command_shares = {
        .name = "shares",
        .synopsis = "RUN [--tolerance SHARE]",
        .help = "does every node get its even share while all send at once",
        .run = run_shares,
};
