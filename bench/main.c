/* main.c - one benchmark program, compiled once for each collective: options -> plans -> ranks -> exit code.
 */
#include "bench/core/options.h"
#include "bench/core/provenance.h"
#include "bench/core/runner.h"
#include "bench/core/topology.h"
#include "bench/launch.h"

struct launch {
	const struct plan_list *plans;
	int exit_code; /* the worst of all plans */
};

/* In each rank thread. A plan that cannot be carried out here does not keep the next from running; anything
 * worse does. */
static enum status run_plans(struct world *w, void *arg)
{
	struct launch *launch = arg;
	enum status s = launch_check(w, launch->plans);
	if (s != ST_OK)
		return s;
	topology->bind(w->local_rank, w->local_ranks);
	for (int i = 0; i < launch->plans->count; i++) {
		int code = 0;
		s = runner_run(w, &launch->plans->plans[i], &code);
		if (w->thread == 0 && code > launch->exit_code)
			launch->exit_code = code;
		if (s != ST_OK && s != ST_UNSUPPORTED)
			return s;
	}
	return ST_OK;
}

static int run(const struct world_setup *setup, const struct plan_list *plans)
{
	struct launch launch = {plans, 0};
	int code = status_exit_code(world_run(setup, run_plans, &launch));
	return code > launch.exit_code ? code : launch.exit_code;
}

int main(int argc, char **argv)
{
	struct world_setup setup = {0};
	struct plan_list plans;
	bool go_on;
	setvbuf(stdout, NULL, _IOLBF, 0); /* each line as it is measured, also into a pipe */
	fail_program(provenance_program(argv[0]));
	enum status s = bootstrap_open(&argc, &argv, &setup.process, &setup.processes, &setup.bootstrap);
	if (s != ST_OK)
		return status_exit_code(s);
	provenance_start(argc, argv, setup.bootstrap);
	s = launch_plans(&setup, argc, argv, PROGRAM_COLLECTIVE, &plans, &go_on);
	int code = s == ST_OK && go_on ? run(&setup, &plans) : status_exit_code(s);
	options_free(&plans);
	setup.bootstrap->close(code);
	return code;
}
