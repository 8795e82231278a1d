/* arguments.c - see arguments.h. */
#include "analysis/arguments.h"
#include "analysis/output.h"
#include "analysis/rates.h"
#include "bench/core/near.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const metavar[] = {
        [ARGUMENT_FLAG] = "",
        [ARGUMENT_TEXT] = "NAME",
        [ARGUMENT_COUNT] = "COUNT",
        [ARGUMENT_NUMBER] = "NUMBER",
        [ARGUMENT_SIZE] = "BYTES",
        [ARGUMENT_RATE] = "RATE",
        [ARGUMENT_TIME] = "TIME",
        [ARGUMENT_SHARE] = "SHARE",
        [ARGUMENT_FORMAT] = "text|csv|json",
};

static void print_help(const struct arguments *a)
{
	printf("usage: busbar %s %s\n\n%s\n\noptions:\n", a->command->name, a->command->synopsis,
	        a->command->help);
	for (const struct argument *o = a->table; o->name; o++) {
		char left[64];
		snprintf(left, sizeof left, "--%s %s", o->name, metavar[o->kind]);
		printf("  %-24s %s\n", left, o->help);
	}
	printf("  %-24s %s\n", "--help", "this text");
	if (a->more)
		printf("\n%s", a->more);
	printf("\nexit codes: 0 pass, 1 the verdict is a failure, 2 usage or unreadable input, 77 nothing "
	       "could be judged\n");
}

static enum status parse_count(const char *text, int *count_p)
{
	char *end;
	errno = 0;
	long value = strtol(text, &end, 10);
	if (end == text || *end || errno || value < 1 || value > INT_MAX)
		return fail(ST_USAGE, "'%s' is not a count: write a whole number from 1", text);
	*count_p = (int)value;
	return ST_OK;
}

static enum status parse_number(const char *text, double *number_p)
{
	char *end;
	double value = strtod(text, &end);
	if (end == text || *end || !isfinite(value))
		return fail(ST_USAGE, "'%s' is not a number", text);
	*number_p = value;
	return ST_OK;
}

static enum status parse_format(const char *text, enum output_format *format_p)
{
	int found = output_format_find(text);
	if (found < 0)
		return fail(ST_USAGE, "'%s' is not a format: text, csv and json are", text);
	*format_p = (enum output_format)found;
	return ST_OK;
}

static enum status set_value(const struct argument *o, const char *text)
{
	switch (o->kind) {
	case ARGUMENT_FLAG:
		*(bool *)o->value = true;
		return ST_OK;
	case ARGUMENT_TEXT:
		*(const char **)o->value = text;
		return ST_OK;
	case ARGUMENT_COUNT:
		return parse_count(text, o->value);
	case ARGUMENT_NUMBER:
		return parse_number(text, o->value);
	case ARGUMENT_SIZE:
		return parse_size(text, o->value);
	case ARGUMENT_RATE:
		return parse_rate(text, o->value);
	case ARGUMENT_TIME:
		return parse_time(text, o->value);
	case ARGUMENT_SHARE:
		return parse_share(text, o->value);
	case ARGUMENT_FORMAT:
		return parse_format(text, o->value);
	}
	return ST_USAGE;
}

static const struct argument *find_option(const struct arguments *a, const char *name, size_t length)
{
	for (const struct argument *o = a->table; o->name; o++)
		if (strlen(o->name) == length && !strncmp(o->name, name, length))
			return o;
	return NULL;
}

static enum status refuse_unknown(const struct arguments *a, const char *word, size_t length)
{
	char name[64];
	snprintf(name, sizeof name, "%.*s", (int)length, word);
	struct near near = near_begin(name);
	for (const struct argument *o = a->table; o->name; o++)
		near_offer(&near, o->name);
	const char *best = near_best(&near);
	if (best)
		return fail(
		        ST_USAGE, "%s has no option '--%s': did you mean --%s", a->command->name, name, best);
	return fail(ST_USAGE, "%s has no option '--%s': busbar %s --help lists them", a->command->name, name,
	        a->command->name);
}

/* Reads the option at argv[i]; *taken_p is how many words it took. */
static enum status parse_option(const struct arguments *a, int left, char **word, int *taken_p)
{
	const char *name = word[0] + 2, *equals = strchr(name, '=');
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	const struct argument *o = find_option(a, name, length);
	*taken_p = 1;
	if (!o)
		return refuse_unknown(a, name, length);
	if (o->kind == ARGUMENT_FLAG && equals)
		return fail(ST_USAGE, "option '--%s' takes no value", o->name);
	if (o->kind == ARGUMENT_FLAG || equals)
		return set_value(o, equals ? equals + 1 : "");
	if (left < 2)
		return fail(
		        ST_USAGE, "option '--%s' needs a value: --%s %s", o->name, o->name, metavar[o->kind]);
	*taken_p = 2;
	return set_value(o, word[1]);
}

static enum status check_operands(const struct arguments *a)
{
	if (a->operands < a->least)
		return fail(ST_USAGE, "%s needs %s: busbar %s %s", a->command->name,
		        a->least > 1 ? "more files" : "a file", a->command->name, a->command->synopsis);
	if (a->operands > a->most)
		return fail(ST_USAGE, "%s cannot use '%s': busbar %s %s", a->command->name,
		        a->operand[a->most], a->command->name, a->command->synopsis);
	return ST_OK;
}

int arguments_parse(struct arguments *a, int argc, char **argv)
{
	bool options_end = false;
	a->operand = argv;
	a->operands = 0;
	for (int i = 1; i < argc;) {
		int taken = 1;
		if (options_end || argv[i][0] != '-' || !argv[i][1]) {
			a->operand[a->operands++] = argv[i];
		} else if (!strcmp(argv[i], "--")) {
			options_end = true;
		} else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			print_help(a);
			return EXIT_PASS;
		} else if (argv[i][1] != '-') {
			fail(ST_USAGE, "'%s' is not an option: options start with two dashes", argv[i]);
			return EXIT_UNREADABLE;
		} else if (parse_option(a, argc - i, argv + i, &taken)) {
			return EXIT_UNREADABLE;
		}
		i += taken;
	}
	return check_operands(a) ? EXIT_UNREADABLE : ARGUMENTS_GO_ON;
}
