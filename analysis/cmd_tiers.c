/* cmd_tiers.c - busbar tiers: what a faster network gives, beside what it should give. */
#include "analysis/arguments.h"
#include "analysis/tiers_put.h"

#include <math.h>
#include <string.h>

static int answer(struct tiers_task *task, enum output_format format, bool every_row)
{
	struct tiers t = {0};
	int code = EXIT_UNREADABLE;
	if (!tiers_prepare(&task->a) && !tiers_prepare(&task->b) &&
	        !tiers_compare(
	                &task->a.rows, &task->a.judge, &task->b.rows, &task->b.judge, task->tolerance, &t)) {
		struct output *o = output_open(stdout, format, "");
		code = tiers_put(o, task, &t, every_row || format != OUTPUT_TEXT);
		if (output_close(o))
			code = EXIT_UNREADABLE;
	}
	tiers_free(&t);
	tiers_release(&task->a);
	tiers_release(&task->b);
	return code;
}

static const char more[] =
        "ratio = time in A / time in B, of medians. The prediction takes each run's own links (or the rates\n"
        "given): rows bound by latency are expected near 1, rows bound by NVLink at what that allows.\n";

static int run_tiers(int argc, char **argv)
{
	struct tiers_task asked = {.tolerance = 0.1, .step_bytes = 14e9};
	double alpha_ns = 0, nvlink = 0;
	enum output_format format = OUTPUT_TEXT;
	bool every_row = false;
	const struct argument table[] = {
	        {"link-a", ARGUMENT_RATE, &asked.a.judge.given.bytes_per_s,
	                "a node's rate in the first run (default: its sendrecv rows)"},
	        {"link-b", ARGUMENT_RATE, &asked.b.judge.given.bytes_per_s, "the same in the second run"},
	        {"tier-a", ARGUMENT_TEXT, &asked.a.tier, "1.6T, 3.2T, 8x200G or 8x400G instead of --link-a"},
	        {"tier-b", ARGUMENT_TEXT, &asked.b.tier, "the same for the second run"},
	        {"nvlink", ARGUMENT_RATE, &nvlink, "inside the nodes of both, one direction of one rank"},
	        {"alpha", ARGUMENT_TIME, &alpha_ns, "one step without data in both (default: from sendrecv)"},
	        {"tolerance", ARGUMENT_SHARE, &asked.tolerance,
	                "how far a ratio may miss the prediction (default 10%)"},
	        {"step-bytes", ARGUMENT_SIZE, &asked.step_bytes,
	                "what a training step reduces (default 14e9)"},
	        {"rows", ARGUMENT_FLAG, &every_row, "print every row (csv and json always do)"},
	        {"format", ARGUMENT_FORMAT, &format, "how to print"},
	        {NULL, 0, NULL, NULL},
	};
	struct arguments arguments = {
	        .command = &command_tiers,
	        .table = table,
	        .more = more,
	        .least = 2,
	        .most = 2,
	};
	int code = arguments_parse(&arguments, argc, argv);
	if (code != ARGUMENTS_GO_ON)
		return code;
	asked.a.path = arguments.operand[0];
	asked.b.path = arguments.operand[1];
	asked.a.judge.given.alpha_ns = asked.b.judge.given.alpha_ns = alpha_ns;
	asked.a.judge.inside.bytes_per_s = asked.b.judge.inside.bytes_per_s = nvlink;
	return answer(&asked, format, every_row);
}

const struct command command_tiers = {
        .name = "tiers",
        .synopsis = "A B [--tier-a NAME --tier-b NAME]",
        .help = "measured ratio of two networks per collective and size, beside the model's",
        .run = run_tiers,
};
