/* options_parse.h - the steps of reading options. Private to options*.c. */
#ifndef BENCH_CORE_OPTIONS_PARSE_H
#define BENCH_CORE_OPTIONS_PARSE_H

#include "bench/core/options.h"
#include "bench/core/options_table.h"

struct option_input {
	struct option_source source;
	bool in_plan_file;
	struct plan *plan; /* what the options are laid over */
	/* found on the way */
	bool help;
	const char *plan_path;
};

/* argv[0] is skipped. Stops at the first wrong option, and at --help. */
enum status options_arguments(struct option_input *, int argc, char **argv);

/* Judges the options of one plan together; corrects what nccl-tests corrects. */
enum status options_check(const struct option_source *, struct plan *);

/* Adds one plan a line of the file. */
enum status options_file(const char *path, const struct plan *base, struct plan_list *out);

#endif
