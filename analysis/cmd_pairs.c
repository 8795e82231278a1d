/* cmd_pairs.c - busbar pairs: judges a matrix of pair bandwidths, rail by rail, and says it in words. */
#include "analysis/arguments.h"
#include "analysis/pairs_put.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int answer(const struct pairs_task *t, enum output_format format, double effect)
{
	struct output *o = output_open(stdout, format, "");
	int code = pairs_put(o, t, effect);
	return output_close(o) ? EXIT_UNREADABLE : code;
}

static const char more[] =
        "Reads a csv with columns from,to,gbs (rail and bytes if there are any), lines such as\n"
        "'node-1,node-2 49.3', or a square matrix with names on top and at the left.\n";

static int run_pairs(int argc, char **argv)
{
	static struct pairs_task t;
	struct pairs_limits limits = pairs_default;
	enum output_format format = OUTPUT_TEXT;
	const char *matrix = NULL;
	const struct argument table[] = {
	        {"effect", ARGUMENT_SHARE, &limits.effect, "a smaller loss is nothing (default 5%)"},
	        {"false-alarm", ARGUMENT_SHARE, &limits.false_alarm,
	                "chance of one in a faultless matrix (default 0.001)"},
	        {"matrix", ARGUMENT_TEXT, &matrix, "also write every pair with its share to this csv file"},
	        {"format", ARGUMENT_FORMAT, &format, "how to print"},
	        {NULL, 0, NULL, NULL},
	};
	struct arguments arguments = {
	        .command = &command_pairs,
	        .table = table,
	        .more = more,
	        .least = 1,
	        .most = 1,
	};
	int code = arguments_parse(&arguments, argc, argv);
	if (code != ARGUMENTS_GO_ON)
		return code;
	if (pairs_read(arguments.operand[0], &t.in))
		return EXIT_UNREADABLE;
	code = EXIT_UNREADABLE;
	if (!pairs_task_judge(&t, &limits) && !(matrix && pairs_write_matrix(&t, matrix)))
		code = answer(&t, format, limits.effect);
	pairs_task_free(&t);
	return code;
}

const struct command command_pairs = {
        .name = "pairs",
        .synopsis = "FILE [--effect SHARE] [--matrix FILE]",
        .help = "which node, direction, link or rail is slow in bandwidths between pairs",
        .run = run_pairs,
};
