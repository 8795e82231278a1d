/* options.h - the command line and plan files, as one table that parses, checks, prints help and shows defaults. */
#ifndef BENCH_CORE_OPTIONS_H
#define BENCH_CORE_OPTIONS_H

#include "bench/core/plan.h"
#include "bench/core/status.h"

enum { PLAN_CASES = 256 };

struct plan_list {
	int count;
	struct plan *plans; /* freed by options_free */
};

enum options_result { OPTIONS_RUN, OPTIONS_HELP };

/* Fills plan defaults, reads the environment that nccl-tests reads, then argv. --plan FILE gives one plan a
 * line: an optional collective name, then options laid over those of the command line; '#' starts a comment.
 * Clamps (see the contract) print to stderr and go on; anything wrong is one sentence by fail() that names
 * the value, the reason and the fix (a near name is suggested). */
enum status options_parse(int argc, char **argv, const char *collective, struct plan_list *out, enum options_result *what_p);
void options_free(struct plan_list *);

/* The complete --help text, to stdout. */
void options_help(const char *program);

/* "8", "64K", "1.5G": nccl-tests' grammar (binary, either case, only the first letter is read). */
enum status parse_bytes(const char *text, uint64_t *bytes_p);

#endif
