/* csv_read.c - finds rows in a growing window over the file; splits them on demand. */
#include "analysis/csv_read.h"

#include <csv.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SMALL_WINDOW = 1 << 16, LARGE_WINDOW = 1 << 21, ROW_BYTES = 16 << 20 };

struct csv_reader {
	const char *name;
	char *window; /* what is read and not yet given out */
	size_t bytes, capacity;
	bool ended;
	char *copy; /* of the row, for splitting */
	size_t copy_capacity, copy_bytes;
	char **field;
	size_t *start; /* of each field, in copy */
	size_t fields, field_capacity;
	bool no_memory;
};

/* ---- fields ---- */

static bool reserve_field(struct csv_reader *r)
{
	if (r->fields < r->field_capacity)
		return true;
	size_t capacity = r->field_capacity ? 2 * r->field_capacity : 64;
	char **field = realloc(r->field, capacity * sizeof *field);
	r->field = field ? field : r->field;
	size_t *start = realloc(r->start, capacity * sizeof *start);
	r->start = start ? start : r->start;
	r->no_memory |= !field || !start;
	if (!r->no_memory)
		r->field_capacity = capacity;
	return !r->no_memory;
}

static bool reserve_copy(struct csv_reader *r, size_t bytes)
{
	if (bytes <= r->copy_capacity)
		return true;
	char *copy = realloc(r->copy, 2 * bytes);
	r->no_memory |= !copy;
	if (copy) {
		r->copy = copy;
		r->copy_capacity = 2 * bytes;
	}
	return copy;
}

static void take_field(void *data, size_t bytes, void *arg)
{
	struct csv_reader *r = arg;
	if (r->no_memory || !reserve_field(r) || !reserve_copy(r, r->copy_bytes + bytes + 1))
		return;
	if (bytes)
		memcpy(r->copy + r->copy_bytes, data, bytes);
	r->copy[r->copy_bytes + bytes] = 0;
	r->start[r->fields++] = r->copy_bytes;
	r->copy_bytes += bytes + 1;
}

static void take_row_end(int end, void *arg)
{
	(void)end;
	(void)arg;
}

static void split_quoted(struct csv_reader *r, const struct csv_row *row)
{
	struct csv_parser parser;
	if (csv_init(&parser, 0)) {
		r->no_memory = true;
		return;
	}
	if (csv_parse(&parser, row->text, row->bytes, take_field, take_row_end, r) != row->bytes)
		r->no_memory = true;
	csv_fini(&parser, take_field, take_row_end, r);
	csv_free(&parser);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void split_plain(struct csv_reader *r, const struct csv_row *row)
{
	const char *at = row->text, *end = row->text + row->bytes;
	for (;;) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		const char *from = at, *to = comma ? comma : end;
		while (from < to && is_blank(*from))
			from++;
		while (from < to && is_blank(to[-1]))
			to--;
		take_field((void *)(uintptr_t)from, (size_t)(to - from), r);
		if (!comma)
			return;
		at = comma + 1;
	}
}

enum status csv_split(const struct csv_row *row, char ***field_p, size_t *fields_p)
{
	struct csv_reader *r = row->reader;
	r->fields = r->copy_bytes = 0;
	if (row->quoted)
		split_quoted(r, row);
	else
		split_plain(r, row);
	if (r->no_memory)
		return fail(ST_NOMEM, "out of memory in line %zu of '%s'", row->line, r->name);
	for (size_t i = 0; i < r->fields; i++)
		r->field[i] = r->copy + r->start[i];
	*field_p = r->field;
	*fields_p = r->fields;
	return ST_OK;
}

bool csv_plain_number(const char *text, double *value_p)
{
	static const double power[] = {
	        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
	uint64_t digits = 0;
	int count = 0, behind = -1;
	for (; *text; text++) {
		if (*text == '.' && behind < 0 && count) {
			behind = 0;
			continue;
		}
		if (*text < '0' || *text > '9' || ++count > 15)
			return false;
		digits = digits * 10 + (uint64_t)(*text - '0');
		behind += behind >= 0;
	}
	/* Both are exact, so the quotient is the nearest double. */
	*value_p = (double)digits / power[behind > 0 ? behind : 0];
	return count > 0;
}

/* ---- rows ---- */

/* The line end behind the row that begins at `at`, passing over those inside quotes; NULL: not in the window
 * yet. */
static const char *row_end(const char *at, const char *end)
{
	bool quoted = false, field_start = true;
	for (; at < end; at++) {
		if (quoted) {
			if (*at == '"' && at + 1 < end && at[1] == '"')
				at++;
			else if (*at == '"')
				quoted = false;
		} else if (*at == '\n') {
			return at;
		} else if (*at == '"' && field_start) {
			quoted = true;
		}
		field_start = !quoted && (*at == ',' || (field_start && is_blank(*at)));
	}
	return NULL;
}

/* Cuts the next row out of the window at *at_p; false when more must be read first. */
static bool next_row(const struct csv_reader *r, size_t *at_p, struct csv_row *row)
{
	const char *at = r->window + *at_p, *end = r->window + r->bytes;
	const char *stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
	row->quoted = at < end && memchr(at, '"', (size_t)((stop ? stop : end) - at));
	if (row->quoted)
		stop = row_end(at, end);
	if (at == end || (!stop && !r->ended))
		return false;
	row->cut_off = !stop;
	const char *text_end = stop ? stop : end;
	*at_p += (size_t)(text_end - at) + (stop != NULL);
	row->text = at;
	row->bytes = (size_t)(text_end - at);
	row->bytes -= row->bytes && at[row->bytes - 1] == '\r';
	row->binary = memchr(at, 0, row->bytes);
	return true;
}

static size_t lines_within(const struct csv_row *row)
{
	size_t lines = 1;
	const char *end = row->text + row->bytes;
	for (const char *at = row->text; row->quoted && (at = memchr(at, '\n', (size_t)(end - at))); at++)
		lines++;
	return lines;
}

/* Moves what is left to the front and reads behind it. */
static enum status refill(struct csv_reader *r, FILE *file, size_t used, size_t line)
{
	if (used)
		memmove(r->window, r->window + used, r->bytes - used);
	r->bytes -= used;
	if (r->bytes > ROW_BYTES)
		return fail(ST_USAGE,
		        "'%s' line %zu is longer than 16 MiB: a quote is missing, or this is no CSV", r->name,
		        line);
	/* A small window for a small file; a long row or a long file makes it grow. */
	size_t capacity = !r->capacity                                               ? SMALL_WINDOW
	                  : r->capacity < LARGE_WINDOW || 2 * r->bytes > r->capacity ? 2 * r->capacity
	                                                                             : r->capacity;
	if (capacity > r->capacity) {
		char *window = realloc(r->window, capacity);
		if (!window)
			return fail(ST_NOMEM, "out of memory in line %zu of '%s'", line, r->name);
		r->window = window;
		r->capacity = capacity;
	}
	size_t got = fread(r->window + r->bytes, 1, r->capacity - r->bytes, file);
	r->bytes += got;
	r->ended = !got;
	return ferror(file) ? fail(ST_SYSTEM, "cannot read '%s': %s", r->name, strerror(errno)) : ST_OK;
}

enum status csv_read(
        FILE *file, const char *name, enum status (*row)(void *, const struct csv_row *), void *arg)
{
	struct csv_reader r = {.name = name};
	struct csv_row next = {.line = 1, .reader = &r};
	enum status s = ST_OK;
	size_t used = 0;
	while (!s && !r.ended && !(s = refill(&r, file, used, next.line)))
		for (used = 0; !s && next_row(&r, &used, &next); next.line += lines_within(&next))
			if (next.bytes)
				s = row(arg, &next);
	free(r.window);
	free(r.copy);
	free(r.field);
	free(r.start);
	return s;
}

/* ---- files ---- */

enum status csv_open(const char *path, const char *inside, FILE **file_p, char *name, size_t name_bytes)
{
	struct stat st;
	if (!strcmp(path, "-")) {
		snprintf(name, name_bytes, "standard input");
		*file_p = stdin;
		return ST_OK;
	}
	bool folder = !stat(path, &st) && S_ISDIR(st.st_mode);
	if (folder && !inside)
		return fail(ST_USAGE, "'%s' is a folder: name a file", path);
	if (folder)
		snprintf(name, name_bytes, "%s/%s", path, inside);
	else
		snprintf(name, name_bytes, "%s", path);
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
