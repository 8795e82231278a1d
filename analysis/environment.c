/* environment.c - what of a run's facts is kept in the history, and how two of them differ. */
#include "analysis/history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Facts that can change numbers. Variables of the environment keep their own names. */
static const char *const kept[] = {
        "version", "build", "library", "nccl", "driver", "cuda", "kernel", "cpu", "topology", NULL};

static bool is_kept(const char *key)
{
	for (const char *const *k = kept; *k; k++)
		if (!strcmp(*k, key))
			return true;
	return false;
}

/* "key=" stands at the front or behind "; ". */
static const char *find_key(const char *environment, const char *key, size_t length)
{
	for (const char *at = environment; at && *at; at = strstr(at, "; ") ? strstr(at, "; ") + 2 : NULL)
		if (!strncmp(at, key, length) && at[length] == '=')
			return at + length + 1;
	return NULL;
}

static void add(FILE *to, const char *so_far, const char *key, const char *value)
{
	if (find_key(so_far, key, strlen(key)))
		return; /* later launches of the run say the same again */
	fprintf(to, "%s%s=", *so_far ? "; " : "", key);
	for (; *value; value++)
		fputc(*value == ';' || *value == '\t' ? ' ' : *value, to);
	fflush(to);
}

static void add_line(FILE *to, const char *so_far, char *line)
{
	line[strcspn(line, "\r\n")] = 0;
	char *value = strchr(line, ' ');
	if (!value)
		return;
	*value++ = 0;
	if (!strcmp(line, "environment") && strchr(value, '=')) {
		if (strstr(value, "HOSTNAME="))
			return; /* says where, not how */
		char *equals = strchr(value, '=');
		*equals = 0;
		add(to, so_far, value, equals + 1);
	} else if (is_kept(line)) {
		add(to, so_far, line, value);
	}
}

enum status environment_of(const char *run_folder, char **environment_p)
{
	char path[600], *line = NULL;
	size_t capacity = 0, bytes = 0;
	snprintf(path, sizeof path, "%s/facts", run_folder);
	FILE *file = fopen(path, "re"), *to = open_memstream(environment_p, &bytes);
	if (!to) {
		if (file)
			fclose(file);
		return fail(ST_NOMEM, "out of memory for the facts of '%s'", run_folder);
	}
	fflush(to); /* an empty text, not none */
	while (file && getline(&line, &capacity, file) >= 0)
		add_line(to, *environment_p, line);
	free(line);
	if (file)
		fclose(file);
	return fclose(to) ? fail(ST_NOMEM, "out of memory for the facts of '%s'", run_folder) : ST_OK;
}

static size_t value_length(const char *value)
{
	const char *end = value ? strstr(value, "; ") : NULL;
	return !value ? 0 : end ? (size_t)(end - value) : strlen(value);
}

struct writer {
	char *text;
	size_t bytes, used;
};

static void differ(struct writer *w, const char *key, size_t key_length, const char *a, const char *b)
{
	size_t la = value_length(a), lb = value_length(b);
	if (a && b && la == lb && !strncmp(a, b, la))
		return;
	if (w->used >= w->bytes)
		return;
	w->used += (size_t)snprintf(w->text + w->used, w->bytes - w->used, "%s%.*s %.*s -> %.*s",
	        w->used ? ", " : "", (int)key_length, key, a ? (int)la : 7, a ? a : "(unset)",
	        b ? (int)lb : 7, b ? b : "(unset)");
}

void environment_difference(
        const struct history_run *a, const struct history_run *b, char *text, size_t bytes)
{
	struct writer w = {text, bytes, 0};
	*text = 0;
	for (int side = 0; side < 2; side++) {
		const char *of = side ? b->environment : a->environment;
		for (const char *at = of; at && *at; at = strstr(at, "; ") ? strstr(at, "; ") + 2 : NULL) {
			size_t length = strcspn(at, "=");
			const char *in_a = find_key(a->environment, at, length),
			           *in_b = find_key(b->environment, at, length);
			if (at[length] == '=' && !(side && in_a)) /* once each */
				differ(&w, at, length, in_a, in_b);
		}
	}
	differ(&w, "hosts", 5, a->host_set, b->host_set);
}
