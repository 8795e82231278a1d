/* options_arguments.c - getopt_long over the rows, and what to say when it stumbles. */
#include "bench/core/options_parse.h"

#include "bench/core/near.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum { LONG_BASE = 256, ROWS_MAX = 64 }; /* getopt's value of row i is LONG_BASE + i: above every letter */

/* Tables for getopt_long. "-": a stray argument comes as 1, in its place; ":": a missing value is told apart.
 */
struct grammar {
	char letters[3 + 2 * ROWS_MAX];
	struct option longs[ROWS_MAX + 1];
};

static const struct option_row *row_named(const char *name)
{
	for (int i = 0; i < option_row_count; i++)
		if (!strcmp(option_rows[i].name, name))
			return &option_rows[i];
	return NULL;
}

static struct grammar grammar(void)
{
	struct grammar g = {.letters = "-:"};
	char *letter = g.letters + 2;
	struct option *next = g.longs;
	for (int i = 0; i < option_row_count && i < ROWS_MAX; i++) {
		const struct option_row *row = &option_rows[i];
		if (row->letter) {
			*letter++ = row->letter;
			if (row->argument)
				*letter++ = ':';
		}
		if (row_named(row->name) == row)
			*next++ = (struct option){row->name, row->argument ? required_argument : no_argument,
			        NULL, LONG_BASE + i};
	}
	return g;
}

static const struct option_row *row_of(int c)
{
	if (c >= LONG_BASE)
		return &option_rows[c - LONG_BASE];
	for (int i = 0; i < option_row_count; i++)
		if (option_rows[i].letter == c)
			return &option_rows[i];
	return NULL;
}

/* --memory is nccl-tests' report when it is given 0 or 1, and the kind of memory when it is given a name. */
static const struct option_row *row_for_value(const struct option_row *row, int c, const char *text)
{
	if (c < LONG_BASE || isdigit((unsigned char)*text))
		return row;
	for (const struct option_row *other = row + 1; other < option_rows + option_row_count; other++)
		if (!strcmp(other->name, row->name))
			return other;
	return row;
}

static enum status unknown_letter(const struct option_input *input, int letter)
{
	int other = islower(letter) ? toupper(letter) : tolower(letter);
	const struct option_row *near = row_of(other);
	if (!near)
		return option_fail(
		        &input->source, ST_USAGE, "unknown option \"-%c\": --help lists all", letter);
	return option_fail(&input->source, ST_USAGE, "unknown option \"-%c\": did you mean \"-%c\" (--%s)?",
	        letter, other, near->name);
}

static enum status unknown_long(const struct option_input *input, const char *text)
{
	int length = (int)strcspn(text, "=");
	char name[64];
	snprintf(name, sizeof name, "%.*s", length, text);
	struct near near = near_begin(name);
	const char *begins[2] = {NULL, NULL};
	for (int i = 0; i < option_row_count; i++) {
		near_offer(&near, option_rows[i].name);
		if (!strncmp(option_rows[i].name, name, strlen(name)))
			begins[begins[0] != NULL] = option_rows[i].name;
	}
	if (begins[1])
		return option_fail(&input->source, ST_USAGE,
		        "option \"--%s\" could be --%s or --%s: write more of it", name, begins[0],
		        begins[1]);
	if (near_best(&near))
		return option_fail(&input->source, ST_USAGE,
		        "unknown option \"--%s\": did you mean \"--%s\"?", name, near_best(&near));
	return option_fail(&input->source, ST_USAGE, "unknown option \"--%s\": --help lists all", name);
}

static enum status stumble(const struct option_input *input, int c, const char *text)
{
	char title[64];
	const struct option_row *row = optopt ? row_of(optopt) : NULL;
	if (row)
		option_title(row, title);
	if (c == ':' && row)
		return option_fail(&input->source, ST_USAGE, "%s needs a value: %s", title, row->argument);
	if (c == 1)
		return option_fail(&input->source, ST_USAGE,
		        "\"%s\" belongs to no option: each value follows its option, --help lists them",
		        text);
	if (row)
		return option_fail(&input->source, ST_USAGE, "\"%s\": %s takes no value", text, title);
	if (optopt)
		return unknown_letter(input, optopt);
	return unknown_long(input, text + 2);
}

static enum status take(struct option_input *input, const struct option_row *row, const char *text)
{
	if (input->in_plan_file && row->whole_launch)
		return option_fail(&input->source, ST_USAGE,
		        "--%s is for the whole launch: give it on the command line", row->name);
	if (row->kind != OPTION_OTHER)
		return option_scan(row, text, &input->source, input->plan);
	if (row->letter)
		input->help = true;
	else
		input->plan_path = text;
	return ST_OK;
}

enum status options_arguments(struct option_input *input, int argc, char **argv)
{
	struct grammar g = grammar();
	optind = 0; /* glibc: start over */
	opterr = 0;
	while (!input->help) {
		int c = getopt_long(argc, argv, g.letters, g.longs, NULL);
		if (c == -1)
			break;
		if (c == ':' || c == '?' || c == 1)
			return stumble(input, c, c == 1 ? optarg : argv[optind - 1]);
		const struct option_row *row = row_of(c);
		const char *text = row->argument ? optarg : "1";
		enum status s = take(input, row_for_value(row, c, text), text);
		if (s != ST_OK)
			return s;
	}
	return !input->help && optind < argc ? stumble(input, 1, argv[optind]) : ST_OK;
}
