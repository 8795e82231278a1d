/* options.c - from argv and the environment to plans; see options.h. */
#include "bench/core/options.h"

#include "bench/core/options_parse.h"

#include <stdlib.h>
#include <string.h>

static const struct option_source command_line = {""};

static void read_defaults(const struct option_row *rows, int count, struct plan *plan)
{
	for (int i = 0; i < count; i++)
		if (rows[i].initial)
			option_scan(&rows[i], rows[i].initial, &command_line, plan);
}

static enum status read_environment(struct plan *plan)
{
	for (int i = 0; i < variable_row_count; i++) {
		const char *value = getenv(variable_rows[i].name);
		if (!value || !*value)
			continue;
		enum status s = option_scan(&variable_rows[i], value, &command_line, plan);
		if (s != ST_OK)
			return s;
	}
	return ST_OK;
}

static enum status single_plan(const struct plan *plan, struct plan_list *out)
{
	out->plans = malloc(sizeof *plan);
	if (!out->plans)
		return fail(ST_NOMEM, "no memory for a plan");
	*out->plans = *plan;
	out->count = 1;
	return options_check(&command_line, out->plans);
}

void options_defaults(const char *collective, struct plan *out)
{
	memset(out, 0, sizeof *out); /* padding too: plans are sent and compared as bytes */
	strncpy(out->collective, collective, sizeof out->collective - 1);
	read_defaults(option_rows, option_row_count, out);
	read_defaults(variable_rows, variable_row_count, out);
}

enum status options_parse(
        int argc, char **argv, const char *collective, struct plan_list *out, enum options_result *what_p)
{
	struct plan plan;
	struct option_input input = {.source = command_line, .plan = &plan};
	*out = (struct plan_list){0};
	options_defaults(collective, &plan);
	enum status s = read_environment(&plan);
	if (s == ST_OK)
		s = options_arguments(&input, argc, argv);
	*what_p = input.help ? OPTIONS_HELP : OPTIONS_RUN;
	if (s == ST_OK && !input.help)
		s = input.plan_path ? options_file(input.plan_path, &plan, out) : single_plan(&plan, out);
	if (s != ST_OK)
		options_free(out);
	return s;
}

void options_free(struct plan_list *list)
{
	free(list->plans);
	*list = (struct plan_list){0};
}
