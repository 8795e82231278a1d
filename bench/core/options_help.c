/* options_help.c - the rows for people: --help, and a plan as the line of a plan file. */
#include "bench/core/options_table.h"

#include "bench/core/options.h"

#include <stdio.h>
#include <string.h>

static void print_names(FILE *out, const struct option_row *row)
{
	if (!row->names || !row->names(0))
		return;
	fprintf(out, "\n%32s", "");
	for (int i = 0; row->names(i); i++)
		fprintf(out, "%s ", row->names(i));
	if (row->kind == OPTION_INDEX)
		fputs("all", out);
}

static void print_row(FILE *out, const struct option_row *row, const char *dashes)
{
	char left[64], letter[8] = "    ";
	if (row->letter)
		snprintf(letter, sizeof letter, "-%c, ", row->letter);
	snprintf(left, sizeof left, "%s%s%s %s", *dashes ? letter : "", dashes, row->name,
	        row->argument ? row->argument : "");
	fprintf(out, "  %-30s%s%s", left, strlen(left) > 29 ? "\n                                " : "",
	        row->help);
	if (row->initial)
		fprintf(out, " (%s)", row->initial);
	print_names(out, row);
	fputc('\n', out);
}

void options_help(FILE *out, const char *program)
{
	fprintf(out, "USAGE: %s [OPTIONS]\n\nOptions of nccl-tests (default):\n", program);
	for (int i = 0; i < option_row_count; i++) {
		if (!option_rows[i].letter && option_rows[i - 1].letter)
			fputs("\nMore options:\n", out);
		print_row(out, &option_rows[i], "--");
	}
	fputs("\nEnvironment:\n", out);
	for (int i = 0; i < variable_row_count; i++)
		print_row(out, &variable_rows[i], "");
	fputs("\nExit codes: 0 all right, 7 wrong results or too slow (NCCL_TESTS_MIN_BW), 6 wrong option,\n"
	      "255 wrong size, 5 not possible here, 4 no progress, 3 NCCL, 2 CUDA, 1 anything else.\n",
	        out);
}

void options_print(FILE *out, const struct plan *plan)
{
	char value[OPTION_TEXT_BYTES], initial[OPTION_TEXT_BYTES];
	struct plan at_default;
	options_defaults(plan->collective, &at_default);
	fputs(plan->collective, out);
	for (int i = 0; i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];
		if (row->kind == OPTION_OTHER || row->whole_launch)
			continue;
		option_print(row, plan, value);
		option_print(row, &at_default, initial);
		if (!strcmp(value, initial))
			continue;
		bool blanks = strpbrk(value, " \t#'") != NULL;
		fprintf(out, " --%s", row->name);
		if (row->argument)
			fprintf(out, blanks ? " \"%s\"" : " %s", value);
	}
	fputc('\n', out);
}
