/* csv_read.c - collects libcsv's fields into rows and counts lines. */
#include "analysis/csv_read.h"

#include <csv.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BLOCK_BYTES = 64 * 1024, FIELD_BYTES = 1 << 20 };

struct reading {
	enum status (*row)(void *, const struct csv_row *);
	void *arg;
	const char *name;
	enum status status;
	char *text; /* the fields of the row, each with its 0 */
	size_t text_bytes, text_capacity;
	size_t *start; /* where each field begins in text */
	char **field;
	size_t fields, capacity;
	size_t line, lines_inside; /* of the row; line ends inside its quotes */
	bool binary;
};

static bool reserve_text(struct reading *r, size_t bytes)
{
	if (r->text_bytes + bytes <= r->text_capacity)
		return true;
	size_t capacity = 2 * (r->text_bytes + bytes);
	char *text = realloc(r->text, capacity);
	if (text) {
		r->text = text;
		r->text_capacity = capacity;
	}
	return text;
}

static bool reserve_field(struct reading *r)
{
	if (r->fields < r->capacity)
		return true;
	size_t capacity = r->capacity ? 2 * r->capacity : 64;
	size_t *start = realloc(r->start, capacity * sizeof *start);
	r->start = start ? start : r->start;
	char **field = realloc(r->field, capacity * sizeof *field);
	r->field = field ? field : r->field;
	if (start && field)
		r->capacity = capacity;
	return start && field;
}

static void take_field(void *data, size_t bytes, void *arg)
{
	struct reading *r = arg;
	if (r->status)
		return;
	if (!reserve_field(r) || !reserve_text(r, bytes + 1)) {
		r->status = fail(ST_NOMEM, "out of memory in line %zu of '%s'", r->line, r->name);
		return;
	}
	char *copy = r->text + r->text_bytes;
	if (bytes)
		memcpy(copy, data, bytes);
	copy[bytes] = 0;
	r->binary |= strlen(copy) != bytes;
	for (size_t i = 0; i < bytes; i++)
		r->lines_inside += copy[i] == '\n';
	r->start[r->fields++] = r->text_bytes;
	r->text_bytes += bytes + 1;
}

static void take_row(int end, void *arg)
{
	struct reading *r = arg;
	if (r->fields && !r->status) {
		for (size_t i = 0; i < r->fields; i++)
			r->field[i] = r->text + r->start[i];
		struct csv_row row = {r->line, r->fields, r->field, end == -1, r->binary};
		r->status = r->row(r->arg, &row);
	}
	r->line += r->lines_inside + (end == '\n');
	r->fields = r->text_bytes = r->lines_inside = 0;
	r->binary = false;
}

static enum status parse_blocks(FILE *file, struct csv_parser *parser, struct reading *r)
{
	static char block[BLOCK_BYTES];
	size_t got;
	while (!r->status && (got = fread(block, 1, sizeof block, file)) > 0) {
		if (csv_parse(parser, block, got, take_field, take_row, r) != got)
			return fail(ST_NOMEM, "out of memory in line %zu of '%s'", r->line, r->name);
		if (csv_get_buffer_size(parser) > FIELD_BYTES)
			return fail(ST_USAGE,
			        "'%s' line %zu has a field of over a megabyte: a quote is missing, or this "
			        "is no CSV",
			        r->name, r->line);
	}
	if (!r->status && ferror(file))
		return fail(ST_SYSTEM, "cannot read '%s': %s", r->name, strerror(errno));
	if (!r->status && csv_fini(parser, take_field, take_row, r))
		return fail(ST_USAGE, "'%s' line %zu ends inside a quoted field", r->name, r->line);
	return r->status;
}

enum status csv_read(
        FILE *file, const char *name, enum status (*row)(void *, const struct csv_row *), void *arg)
{
	struct csv_parser parser;
	struct reading r = {.row = row, .arg = arg, .name = name, .line = 1};
	if (csv_init(&parser, CSV_REPALL_NL))
		return fail(ST_NOMEM, "out of memory before reading '%s'", name);
	enum status s = parse_blocks(file, &parser, &r);
	csv_free(&parser);
	free(r.text);
	free(r.start);
	free(r.field);
	return s;
}

enum status csv_open(const char *path, const char *inside, FILE **file_p, char *name, size_t name_bytes)
{
	struct stat st;
	bool folder = strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode);
	if (folder && !inside)
		return fail(ST_USAGE, "'%s' is a folder: name a file", path);
	snprintf(name, name_bytes, folder ? "%s/%s" : "%s", path, inside ? inside : "");
	if (!strcmp(path, "-")) {
		snprintf(name, name_bytes, "standard input");
		*file_p = stdin;
		return ST_OK;
	}
	FILE *file = fopen(name, "re");
	if (!file)
		return fail(ST_USAGE, "cannot open '%s': %s", name, strerror(errno));
	*file_p = file;
	return ST_OK;
}

void csv_close(FILE *file)
{
	if (file != stdin)
		fclose(file);
}
