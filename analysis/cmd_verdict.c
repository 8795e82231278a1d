/* cmd_verdict.c - busbar verdict: judges every row of a run against its own links or a given rate, and sums
 * up. */
#include "analysis/arguments.h"
#include "analysis/output.h"
#include "analysis/rates.h"
#include "analysis/verdict.h"

#include <string.h>

static enum status settle_rate(struct judge *judge, const char *tier)
{
	if (!tier)
		return ST_OK;
	if (judge->given.bytes_per_s > 0)
		return fail(ST_USAGE, "--link and --tier both give the rate: use one");
	const struct tier *t = tier_find(tier);
	if (!t)
		return ST_USAGE;
	judge->given.bytes_per_s = t->node_bytes_per_s;
	return ST_OK;
}

static int answer(const char *path, struct judge *judge, enum output_format format, bool every_row)
{
	struct rows rows;
	struct calibrations calibrations = {0};
	struct verdict v = {0};
	if (rows_read(path, &rows))
		return EXIT_UNREADABLE;
	int code = EXIT_UNREADABLE;
	judge->calibrations = &calibrations;
	if (!calibrations_of(&rows, &calibrations) && !verdict_of(judge, &rows, &v)) {
		struct output *o = output_open(stdout, format, "");
		code = verdict_put(o, &v, every_row || format != OUTPUT_TEXT);
		if (output_close(o))
			code = EXIT_UNREADABLE;
	}
	verdict_free(&v);
	calibrations_free(&calibrations);
	rows_free(&rows);
	return code;
}

static const char more[] =
        "RUN is a folder that holds summary.csv, such a file, or '-'.\n"
        "\n"
        "Without --link or --tier the run's own sendrecv rows tell what its links can do, all loaded at\n"
        "once: alpha from a robust fit over all sizes, the rate at the size of one step from the curve.\n"
        "predicted = steps x alpha + bytes / rate; reductions take longer where reduce_scatter rows beside\n"
        "all_gather rows say so; over shared memory the copy of a rank's own share counts.\n"
        "\n"
        "A row fails when its data are wrong, when another transport or interface carried it, or when it is\n"
        "slower than predicted by more than the tolerance: surely (by the low end of the 95 % interval of "
        "its\n"
        "median; where steps bind, by its fastest operation) and not alone (the next sizes and the other\n"
        "placement are slow too, or most of the small sizes). A row whose data nobody checked never "
        "passes.\n";

static int run_verdict(int argc, char **argv)
{
	struct judge judge = {.tolerance = verdict_tolerance};
	enum output_format format = OUTPUT_TEXT;
	const char *tier = NULL;
	bool every_row = false;
	const struct argument table[] = {
	        {"link", ARGUMENT_RATE, &judge.given.bytes_per_s,
	                "judge against this rate of a node (of a rank on one node)"},
	        {"tier", ARGUMENT_TEXT, &tier, "1.6T, 3.2T, 8x200G or 8x400G instead of --link"},
	        {"alpha", ARGUMENT_TIME, &judge.given.alpha_ns,
	                "one step without data, instead of the run's own"},
	        {"tolerance", ARGUMENT_SHARE, &judge.tolerance.bytes,
	                "how much slower than predicted passes (default 50%)"},
	        {"latency-tolerance", ARGUMENT_SHARE, &judge.tolerance.steps,
	                "the same where latency binds (default 150%)"},
	        {"wire-tolerance", ARGUMENT_SHARE, &judge.tolerance.wire,
	                "bytes that the counters may miss (default 3%)"},
	        {"rows", ARGUMENT_FLAG, &every_row,
	                "print every row, not one line a collective (csv and json always do)"},
	        {"format", ARGUMENT_FORMAT, &format, "how to print"},
	        {NULL, 0, NULL, NULL},
	};
	struct arguments arguments = {
	        .command = &command_verdict,
	        .table = table,
	        .more = more,
	        .least = 1,
	        .most = 1,
	};
	int code = arguments_parse(&arguments, argc, argv);
	if (code != ARGUMENTS_GO_ON)
		return code;
	if (settle_rate(&judge, tier))
		return EXIT_UNREADABLE;
	return answer(arguments.operand[0], &judge, format, every_row);
}

const struct command command_verdict = {
        .name = "verdict",
        .synopsis = "RUN [--link RATE | --tier NAME] [--tolerance SHARE]",
        .help = "judges every row of a run: data, transport, wire, time against the ring model",
        .run = run_verdict,
};
