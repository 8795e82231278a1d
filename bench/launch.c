/* launch.c - see launch.h. */
#include "bench/launch.h"

#include "bench/core/provenance.h"
#include "bench/core/sweep.h"
#include "bench/registry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --dry-run: a plan file, and beside each run what it would take. */
static void print_run(const struct plan *plan, const struct world_setup *setup)
{
	int threads = plan_threads(plan), ranks = setup->processes * threads;
	const struct collective *collective = collective_find(plan->collective);
	bool has_op = collective->reduces || collective->prints_redop;
	uint64_t rows = sweep_count(plan) * 2;
	rows *= plan->dtype == PLAN_ALL ? DTYPES : 1;
	rows *= has_op && plan->redop == PLAN_ALL ? REDOPS : 1;
	rows *= collective->rooted && plan->root == PLAN_ALL ? (uint64_t)ranks : 1;
	printf("# %" PRIu64 " rows a cycle, %d ranks (%d processes x %d threads), backend %s, memory %s\n",
	        rows, ranks, setup->processes, threads, plan->backend, plan->memory);
	options_print(stdout, plan);
}

/* Every run gets its backend and memory kind here, so that all ranks start with the same or not at all. */
static enum status choose(struct plan *plan)
{
	struct choice choice;
	enum status s = registry_choose(plan, &choice);
	if (s != ST_OK)
		return s;
	snprintf(plan->backend, sizeof plan->backend, "%s", choice.backend->name);
	snprintf(plan->memory, sizeof plan->memory, "%s", choice.memory->name);
	return ST_OK;
}

static enum status choose_all(struct plan_list *plans)
{
	enum status s = ST_OK;
	char cause[512];
	fail_keep(plans->count > 1); /* to say which run it is */
	int i = 0;
	while (i < plans->count && s == ST_OK)
		s = choose(&plans->plans[i++]);
	snprintf(cause, sizeof cause, "%s", fail_sentence());
	fail_keep(false);
	if (s != ST_OK && plans->count > 1)
		fail(s, "run %d of the plan, %s: %s", i, plans->plans[i - 1].collective, cause);
	return s;
}

static enum status answered(void)
{
	return fflush(stdout) == 0 && !ferror(stdout)
	               ? ST_OK
	               : fail(ST_SYSTEM,
	                         "\"stdout\": cannot be written, is its reader gone or the disk full?");
}

/* Rank 0: reads, answers what only asks, chooses. */
static enum status read_plans(const struct world_setup *setup, int argc, char **argv, const char *collective,
        struct plan_list *out, bool *go_on_p)
{
	enum options_result what;
	*go_on_p = false;
	enum status s = options_parse(argc, argv, collective, out, &what);
	if (s != ST_OK)
		return s;
	if (what == OPTIONS_HELP) {
		options_help(stdout, provenance_program(argv[0]));
		return answered();
	}
	if (out->plans[0].list) {
		registry_list(stdout, &out->plans[0]);
		return answered();
	}
	s = choose_all(out);
	*go_on_p = s == ST_OK && !out->plans[0].dry_run;
	for (int i = 0; s == ST_OK && !*go_on_p && i < out->count; i++)
		print_run(&out->plans[i], setup);
	return s == ST_OK ? answered() : s;
}

enum status launch_plans(struct world_setup *setup, int argc, char **argv, const char *collective,
        struct plan_list *out, bool *go_on_p)
{
	struct {
		enum status status;
		int count;
		bool go_on;
	} news = {0};
	*out = (struct plan_list){0};
	if (setup->process == 0) {
		news.status = read_plans(setup, argc, argv, collective, out, &news.go_on);
		news.count = out->count;
	}
	enum status s = setup->bootstrap->broadcast(&news, sizeof news);
	*go_on_p = s == ST_OK && news.go_on;
	if (s != ST_OK || !news.go_on)
		return s == ST_OK ? news.status : s;
	if (setup->process != 0)
		*out = (struct plan_list){news.count, calloc((size_t)news.count, sizeof *out->plans)};
	if (!out->plans) {
		fail(ST_NOMEM, "no memory for %d runs", news.count);
		setup->bootstrap->abort(status_exit_code(ST_NOMEM));
		return ST_NOMEM;
	}
	s = setup->bootstrap->broadcast(out->plans, (size_t)news.count * sizeof *out->plans);
	const struct plan *first = out->plans;
	setup->threads = plan_threads(first);
	setup->device_base = first->device_base;
	setup->split = first->split;
	setup->split_mask = first->split_mask;
	*go_on_p = s == ST_OK;
	return s;
}

static int smallest_group(const struct world *w)
{
	int smallest = w->ranks;
	for (int i = 0; i < w->ranks; i++) {
		int size = 0;
		for (int j = 0; j < w->ranks; j++)
			size += w->places[j].group == w->places[i].group;
		smallest = size < smallest ? size : smallest;
	}
	return smallest;
}

enum status launch_check(struct world *w, const struct plan_list *plans)
{
	enum status s = ST_OK;
	for (int i = 0; s == ST_OK && w->rank == 0 && i < plans->count; i++)
		s = plan_check(&plans->plans[i], smallest_group(w));
	return world_agree(w, s);
}
