/* cmd_schema.c - busbar schema: results/README.md, made from the same lists that write and read the files. */
#include "analysis/arguments.h"
#include "bench/core/raw.h"
#include "bench/core/record.h"

#include <stdio.h>

static const char *const files[][2] = {
        {"plan", "what was asked for, one program and its options a line"},
        {"facts",
                "what it ran on: one block a launch, `key value` lines; nothing from outside an allow-list"},
        {"topology.xml", "the machine as hwloc sees it"},
        {"summary.csv", "one row a placement, size and group"},
        {"raw.csv", "one row an iteration: every statistic can be computed again"},
        {"verdict", "what `busbar verdict` said"},
};

static int run(int argc, char **argv)
{
	static const struct argument none[] = {{.name = NULL}};
	struct arguments a = {.command = &command_schema, .table = none};
	int code = arguments_parse(&a, argc, argv);
	if (code != ARGUMENTS_GO_ON)
		return code;
	printf("# Results\n\n"
	       "Made by `make schema`; a test compares.\n\n"
	       "`runs/DATE_HOST_PLAN/` is one run, `history.csv` the rows that are kept for comparison.\n\n"
	       "| file | what it holds |\n|---|---|\n");
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		printf("| %s | %s |\n", files[i][0], files[i][1]);
	printf("\nCSV is RFC 4180 with a header line. Times are nanoseconds, sizes bytes, 1 GB/s is 1e9 "
	       "bytes\n"
	       "per second. An empty field is unknown. Columns marked as key are what was chosen, the "
	       "others\n"
	       "what was measured. Lines are appended whole; programs that write other columns refuse the\n"
	       "folder.\n");
	printf("\n## summary.csv, schema version %d\n\n", RECORD_SCHEMA);
	record_print_schema(stdout);
	printf("\n## raw.csv\n\n");
	raw_print_schema(stdout);
	return EXIT_PASS;
}

const struct command command_schema = {
        .name = "schema",
        .synopsis = "",
        .help = "the columns of summary.csv and raw.csv, as results/README.md has them",
        .run = run,
};
