/* options_file.c - plan files: one run a line, "[collective] options", laid over the command line's.
 * Words are split at blanks; "..." and '...' keep blanks inside; a word that begins with # ends the line. */
#include "bench/core/options_parse.h"

#include "bench/collective/collective.h"
#include "bench/core/near.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 128 };

/* Cuts the line into words in place; -1 when a quote stays open or there are too many words. */
static int split_words(char *line, char *words[WORDS_MAX])
{
	int count = 0;
	char *from = line, *to = line;
	for (;;) {
		from += strspn(from, " \t\r\n");
		if (!*from || *from == '#')
			return count;
		if (count == WORDS_MAX - 1)
			return -1;
		words[count++] = to;
		char quote = 0;
		for (; *from && (quote || !strchr(" \t\r\n", *from)); from++) {
			if (quote ? *from == quote : *from == '"' || *from == '\'')
				quote = quote ? '\0' : *from;
			else
				*to++ = *from;
		}
		if (quote)
			return -1;
		from += *from != 0; /* before the end is written over it */
		*to++ = 0;
	}
}

static enum status unknown_collective(const struct option_source *source, const char *name)
{
	struct near near = near_begin(name);
	for (int i = 0; collectives[i]; i++)
		near_offer(&near, collectives[i]->name);
	if (near_best(&near))
		return option_fail(source, ST_USAGE, "no collective \"%s\": did you mean \"%s\"?", name,
		        near_best(&near));
	return option_fail(source, ST_USAGE, "no collective \"%s\": a line is [collective] options", name);
}

static enum status parse_line(
        const struct option_source *source, char *line, struct plan *plan, bool *empty_p)
{
	char *words[WORDS_MAX + 1] = {0};
	int count = split_words(line, words + 1);
	*empty_p = count == 0;
	if (count <= 0)
		return count ? option_fail(source, ST_USAGE, "a quote stays open, or more than %d words",
		                       WORDS_MAX)
		             : ST_OK;
	struct option_input input = {.source = *source, .in_plan_file = true, .plan = plan};
	char **argv = words, name[] = "plan";
	if (*words[1] != '-') {
		if (!collective_find(words[1]))
			return unknown_collective(source, words[1]);
		snprintf(plan->collective, sizeof plan->collective, "%s", words[1]);
		argv++;
		count--;
	}
	argv[0] = name;
	enum status s = options_arguments(&input, count + 1, argv);
	return s == ST_OK ? options_check(source, plan) : s;
}

static enum status add(const struct option_source *source, const struct plan *plan, struct plan_list *out)
{
	const struct plan *first = out->plans;
	if (out->count == PLAN_CASES)
		return option_fail(source, ST_USAGE, "more than %d runs: split the file", PLAN_CASES);
	if (out->count && (first->threads != plan->threads || first->gpus != plan->gpus))
		return option_fail(source, ST_USAGE,
		        "-t \"%d\" -g \"%d\": all runs of a launch have the same ranks, the first has -t %d "
		        "-g %d",
		        plan->threads, plan->gpus, first->threads, first->gpus);
	out->plans[out->count++] = *plan;
	return ST_OK;
}

static enum status read_lines(FILE *f, const char *path, const struct plan *base, struct plan_list *out)
{
	char *line = NULL, place[PLAN_PATH_BYTES + 16];
	size_t capacity = 0;
	enum status s = ST_OK;
	ssize_t length;
	for (int number = 1; s == ST_OK && (length = getline(&line, &capacity, f)) >= 0; number++) {
		snprintf(place, sizeof place, "%s:%d: ", path, number);
		struct option_source source = {place};
		struct plan plan = *base;
		bool empty;
		s = strlen(line) == (size_t)length
		            ? parse_line(&source, line, &plan, &empty)
		            : option_fail(&source, ST_USAGE, "this is no text: the line holds a byte 0");
		if (s == ST_OK && !empty)
			s = add(&source, &plan, out);
	}
	free(line);
	if (s == ST_OK && ferror(f))
		s = fail(ST_USAGE, "--plan \"%s\": cannot be read: %s", path, strerror(errno));
	if (s == ST_OK && !out->count)
		s = fail(ST_USAGE, "--plan \"%s\": holds no run, a line is [collective] options", path);
	return s;
}

enum status options_file(const char *path, const struct plan *base, struct plan_list *out)
{
	FILE *f = fopen(path, "r");
	if (!f)
		return fail(ST_USAGE, "--plan \"%s\": cannot be read: %s", path, strerror(errno));
	out->plans = calloc(PLAN_CASES, sizeof *out->plans);
	enum status s = out->plans ? read_lines(f, path, base, out)
	                           : fail(ST_NOMEM, "no memory for %d runs", PLAN_CASES);
	fclose(f);
	return s;
}
