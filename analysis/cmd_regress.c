/* cmd_regress.c - busbar regress: has anything become slower, since which run, and what else changed there?
 */
#include "analysis/arguments.h"
#include "analysis/regress_put.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int answer(const struct regress_task *t, const struct regress_limits *limits,
        enum output_format format, bool every_key)
{
	struct output *o = output_open(stdout, format, "");
	int code = regress_put(o, t, limits, every_key || format != OUTPUT_TEXT);
	return output_close(o) ? EXIT_UNREADABLE : code;
}

static const char more[] =
        "HISTORY is written by busbar history add (default results/history.csv). The newest run of every\n"
        "configuration is held against up to 63 runs before it; a step within them and a drift along them "
        "are\n"
        "sought too.\n";

static int run_regress(int argc, char **argv)
{
	struct regress_task t = {0};
	struct regress_limits limits = regress_default;
	enum output_format format = OUTPUT_TEXT;
	bool every_key = false;
	const char *from = NULL;
	const struct argument table[] = {
	        {"effect", ARGUMENT_SHARE, &limits.effect, "a smaller loss is nothing (default 1%)"},
	        {"false-alarm", ARGUMENT_SHARE, &limits.false_alarm,
	                "false-discovery rate over all configurations (default 0.001)"},
	        {"from", ARGUMENT_TEXT, &from, "judge from this run on (default: the pinned one, else all)"},
	        {"rows", ARGUMENT_FLAG, &every_key,
	                "print steady configurations too (csv and json always do)"},
	        {"format", ARGUMENT_FORMAT, &format, "how to print"},
	        {NULL, 0, NULL, NULL},
	};
	struct arguments arguments = {
	        .command = &command_regress,
	        .table = table,
	        .more = more,
	        .most = 1,
	};
	int code = arguments_parse(&arguments, argc, argv);
	if (code != ARGUMENTS_GO_ON)
		return code;
	const char *path = arguments.operands ? arguments.operand[0] : history_default;
	if (!from && strcmp(path, "-") && history_pinned(path, t.pin, sizeof t.pin))
		return EXIT_UNREADABLE;
	if (history_read(path, from ? from : t.pin, &t.h))
		return EXIT_UNREADABLE;
	code = EXIT_UNREADABLE;
	if (!t.h.runs)
		fail(ST_USAGE, "'%s' holds no run", t.h.source);
	else if (!regress_task_judge(&t, &limits))
		code = answer(&t, &limits, format, every_key);
	free(t.at);
	history_free(&t.h);
	return code;
}

const struct command command_regress = {
        .name = "regress",
        .synopsis = "[HISTORY] [--effect SHARE] [--from RUN-NAME]",
        .help = "what became slower, since which run, and what else changed there",
        .run = run_regress,
};
