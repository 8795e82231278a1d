/* regress_put.h - a history, judged. */
#ifndef ANALYSIS_REGRESS_PUT_H
#define ANALYSIS_REGRESS_PUT_H

#include "analysis/history.h"
#include "analysis/output.h"

struct regress_task {
	struct history h;
	struct regression *at; /* by the key's number */
	size_t count[CHANGE_DRIFT + 1];
	size_t compared, stale, fresh; /* keys: with enough runs; not in the newest run; only in the newest */
	char pin[256];
};

/* Judges t->h, which holds at least one run. Only configurations that the newest run measured are judged. */
enum status regress_task_judge(struct regress_task *t, const struct regress_limits *);
/* Fills the output; returns the exit code. */
int regress_put(struct output *, const struct regress_task *, const struct regress_limits *, bool every_key);

extern const struct regress_limits regress_default;

#endif
