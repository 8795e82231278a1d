/* json_file.c - see json_file.h. */
#include "bench/core/json_file.h"

#include <errno.h>
#include <math.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FLAGS = JSON_COMPACT | JSON_REAL_PRECISION(15) };

json_t *json_text(const char *text)
{
	json_t *string = json_string(text);
	if (string)
		return string;
	char *ascii = strdup(text);
	for (char *c = ascii; c && *c; c++)
		*c = *c & 0x80 ? '?' : *c;
	string = ascii ? json_string(ascii) : NULL;
	free(ascii);
	return string;
}

json_t *json_number(double value)
{
	if (!isfinite(value))
		return json_null();
	double rounded = round(value * 1e6) / 1e6;
	return json_real(isfinite(rounded) ? rounded : value);
}

enum status json_file_create(const char *path, struct json_file *out)
{
	*out = (struct json_file){0};
	snprintf(out->path, sizeof out->path, "%s", path);
	for (int i = 0; !(out->f = fopen(out->path, "wx")); i++) {
		if (errno != EEXIST)
			return fail(ST_USAGE, "-J \"%s\": cannot be written: %s", out->path, strerror(errno));
		snprintf(out->path, sizeof out->path, "%s.%d", path, i);
	}
	return ST_OK;
}

/* The members of an object without its braces, and a comma where it goes on. */
static void dump_members(FILE *f, const json_t *object, const char *before, const char *after)
{
	char *text = json_dumps(object, FLAGS);
	size_t length = text ? strlen(text) : 0;
	if (length > 2)
		fprintf(f, "%s%.*s%s", before, (int)length - 2, text + 1, after);
	free(text);
}

static enum status finish_step(struct json_file *j, json_t *tail)
{
	fputs("\n]", j->f);
	dump_members(j->f, tail, ",", "");
	fputs("}\n", j->f);
	json_decref(tail);
	if (fflush(j->f) == 0 && !ferror(j->f) && ftruncate(fileno(j->f), ftell(j->f)) == 0)
		return ST_OK;
	enum status s =
	        j->failed ? ST_SYSTEM
	                  : fail(ST_SYSTEM, "-J \"%s\": cannot be written: %s", j->path, strerror(errno));
	j->failed = true;
	__fpurge(j->f);
	clearerr(j->f);
	return s;
}

enum status json_file_begin(struct json_file *j, json_t *head, const char *list, json_t *tail)
{
	fputc('{', j->f);
	dump_members(j->f, head, "", ",\n");
	fprintf(j->f, "\"%s\":[", list);
	json_decref(head);
	j->rows_end = ftell(j->f);
	enum status s = finish_step(j, tail);
	if (s != ST_OK) {
		unlink(j->path);
		fclose(j->f);
		j->f = NULL;
	}
	return s;
}

enum status json_file_add(struct json_file *j, json_t *row, json_t *tail)
{
	long before = j->rows_end;
	fseek(j->f, j->rows_end, SEEK_SET);
	fputs(j->rows++ ? ",\n" : "\n", j->f);
	json_dumpf(row, j->f, FLAGS);
	json_decref(row);
	j->rows_end = ftell(j->f);
	enum status s = finish_step(j, tail);
	if (s == ST_OK)
		return s;
	j->rows_end = before; /* this row gives its place back, so that the end fits again */
	return ftruncate(fileno(j->f), before) ? ST_SYSTEM : s;
}

enum status json_file_end(struct json_file *j, json_t *tail)
{
	fseek(j->f, j->rows_end, SEEK_SET);
	enum status s = finish_step(j, tail);
	if (fclose(j->f) != 0 && s == ST_OK)
		s = fail(ST_SYSTEM, "-J \"%s\": cannot be written: %s", j->path, strerror(errno));
	j->f = NULL;
	return s;
}
