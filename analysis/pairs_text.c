/* pairs_text.c - pair bandwidths from lines of two names and a number, and from square matrices with a line
 * of names on top. Other text may stand between them. */
#include "analysis/pairs_collect.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 4096 };

struct head { /* a line of names: if rows of its width follow, it heads a matrix */
	char *line;
	char *word[WORDS];
	int words;
	bool used;
};

static int split(char *line, char **word)
{
	int count = 0;
	line[strcspn(line, "#")] = 0;
	char *save = NULL;
	for (char *w = strtok_r(line, " \t\r\n,;", &save); w && count < WORDS;
	        w = strtok_r(NULL, " \t\r\n,;", &save))
		word[count++] = w;
	return count;
}

static bool is_number(const char *word)
{
	char *end;
	double value = strtod(word, &end);
	return end != word && !*end && isfinite(value);
}

static bool is_blank_cell(const char *word)
{
	static const char *const blanks[] = {"-", "X", "x", "nan", "NaN", "0", "0.0", "0.00", NULL};
	for (const char *const *b = blanks; *b; b++)
		if (!strcmp(word, *b))
			return true;
	return false;
}

static bool is_matrix_row(const struct head *head, char **word, int words)
{
	int cells = 0;
	if (!head->words || words != head->words + 1 || is_number(word[0]))
		return false;
	for (int i = 1; i < words; i++)
		cells += is_number(word[i]) || is_blank_cell(word[i]);
	return 2 * cells > head->words;
}

static enum status take_matrix_row(struct collection *c, struct head *head, size_t line, char **word)
{
	enum status s = ST_OK;
	c->other -= !head->used;
	head->used = true;
	for (int i = 0; !s && i < head->words; i++) {
		double value;
		if (!strcmp(word[0], head->word[i]))
			continue;
		if (collect_number(word[i + 1], &value))
			s = collect(c, word[0], head->word[i], "", value, 0);
		else if (!is_blank_cell(word[i + 1]))
			collect_bad(c, line, "not a positive number:", word[i + 1]);
	}
	return s;
}

static bool are_names(char **word, int words)
{
	for (int i = 0; i < words; i++)
		if (is_number(word[i]))
			return false;
	return words > 1;
}

/* Keeps the line's words; `text` changes hands. */
static void keep_head(struct head *head, char *text)
{
	free(head->line);
	head->line = text;
	head->words = split(text, head->word);
	head->used = false;
	if (head->words > 2 && !strcasecmp(head->word[0], "node")) { /* a label over the names */
		head->words--;
		memmove(head->word, head->word + 1, (size_t)head->words * sizeof *head->word);
	}
}

static enum status take_line(
        struct collection *c, struct head *head, size_t line, const char *text, char **word, int words)
{
	double value;
	if (is_matrix_row(head, word, words))
		return take_matrix_row(c, head, line, word);
	bool pair =
	        words >= 3 && are_names(word, 2) && is_number(word[2]) && (words == 3 || !is_number(word[3]));
	if (pair && collect_number(word[2], &value))
		return collect(c, word[0], word[1], "", value, 0);
	if (pair || (words > 1 && collect_known(c, word[0]) >= 0 && collect_known(c, word[1]) >= 0 &&
	                    !are_names(word, words)))
		collect_bad(c, line, "not two names and a positive number, it begins with", word[0]);
	else
		c->other += words > 0;
	if (are_names(word, words)) {
		char *copy = strdup(text);
		if (!copy)
			return fail(ST_NOMEM, "out of memory in line %zu of '%s'", line, c->file);
		keep_head(head, copy);
	}
	return ST_OK;
}

enum status pairs_text_read(struct collection *c, FILE *file)
{
	struct head *head = calloc(1, sizeof *head);
	char **word = calloc(WORDS, sizeof *word);
	char *text = NULL;
	size_t capacity = 0, line = 0;
	enum status s = head && word ? ST_OK : fail(ST_NOMEM, "out of memory before reading '%s'", c->file);
	while (!s && getline(&text, &capacity, file) >= 0) {
		char *copy = strdup(text);
		if (copy)
			s = take_line(c, head, ++line, text, word, split(copy, word));
		else
			s = fail(ST_NOMEM, "out of memory in line %zu of '%s'", line, c->file);
		free(copy);
	}
	if (head)
		free(head->line);
	free(head);
	free(word);
	free(text);
	return s;
}
