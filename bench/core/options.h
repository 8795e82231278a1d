/* options.h - the command line, the environment and plan files, as one table that parses, checks, prints help
 * and shows defaults. Rank 0 alone reads them; what is wrong is one sentence by fail() that names the value,
 * the reason and the fix. Values that nccl-tests corrects are corrected with a message on stderr. */
#ifndef BENCH_CORE_OPTIONS_H
#define BENCH_CORE_OPTIONS_H

#include "bench/core/plan.h"
#include "bench/core/status.h"

#include <stdio.h>

enum { PLAN_CASES = 256 };

struct plan_list {
	int count;
	struct plan *plans; /* freed by options_free */
};

enum options_result { OPTIONS_RUN, OPTIONS_HELP };

/* Fills plan defaults, reads the environment that nccl-tests reads, then argv. --plan FILE gives one plan a
 * line: an optional collective name, then options laid over those of the command line; '#' starts a comment.
 */
enum status options_parse(
        int argc, char **argv, const char *collective, struct plan_list *out, enum options_result *what_p);
void options_free(struct plan_list *);

/* The complete --help text. */
void options_help(FILE *, const char *program);

/* One line of a plan file that gives this plan again: the collective, and each option that is not at its
 * default. */
void options_print(FILE *, const struct plan *);

/* What could not be judged before the ranks are known: ranks is that of the smallest group. */
enum status plan_check(const struct plan *, int ranks);

/* "-G (--cudagraph)": the first option given that means something to CUDA alone; NULL when there is none.
 * The text is valid until the next call in this thread. */
const char *options_needing_cuda(const struct plan *);

/* A plan with every option at its default. */
void options_defaults(const char *collective, struct plan *out);

/* Ranks of a process. */
int plan_threads(const struct plan *);

#endif
