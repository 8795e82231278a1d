/* summarize.c - one pass; a row whose key stands in front and equals the last row's costs one comparison and
 * one number. */
#include "analysis/summarize.h"
#include "analysis/csv_read.h"
#include "bench/core/record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TOLD = 10, KEY_BYTES = 4096 };

enum use { PASSED_OVER, KEY, VALUE };

struct file {
	struct summary *summary;
	const char *name, *by, *value;
	enum use use[SUMMARIZE_COLUMNS];
	size_t columns;  /* of the file; 0: the head is not read yet */
	size_t lead;     /* so many key columns stand in front; 0: the key is scattered */
	size_t value_at; /* columns between the leading key and the value */
	size_t last;     /* the last row's group; KEYS_NO_MEMORY before the first */
};

static const char *const measured[] = {"iteration", "elapsed_ns", "fastest_ns", "flags", NULL};

static bool is_listed(const char *list, const char *name)
{
	size_t length = strlen(name);
	for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (!strncmp(at, name, length) && (!at[length] || at[length] == ','))
			return true;
	return false;
}

static bool is_measured(const char *name)
{
	for (const char *const *m = measured; *m; m++)
		if (!strcmp(name, *m))
			return true;
	return false;
}

/* ---- head ---- */

static enum status check_wanted(const struct file *f, size_t values, size_t keys)
{
	if (!values)
		return fail(ST_USAGE, "'%s' has no column '%s'", f->name, f->value);
	size_t wanted = 0;
	for (const char *at = f->by; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		wanted++;
	if (f->by && keys != wanted)
		return fail(ST_USAGE, "'%s' has %zu of the %zu columns '%s'", f->name, keys, wanted, f->by);
	return ST_OK;
}

static enum status keep_names(struct summary *s, const struct file *f, char **field)
{
	size_t keys = 0;
	bool first = !s->columns;
	for (size_t i = 0; i < f->columns; i++) {
		if (f->use[i] != KEY)
			continue;
		if (first)
			s->column[keys] = strdup(field[i]);
		if (keys >= SUMMARIZE_COLUMNS || (first && !s->column[keys]))
			return fail(ST_NOMEM, "out of memory for the columns of '%s'", f->name);
		if (!first && (keys >= s->columns || strcmp(s->column[keys], field[i])))
			return fail(ST_USAGE,
			        "'%s' has other key columns than the file before it, from '%s' on", f->name,
			        field[i]);
		keys++;
	}
	if (!first && keys != s->columns)
		return fail(ST_USAGE, "'%s' has fewer key columns than the file before it", f->name);
	s->columns = keys;
	return ST_OK;
}

static enum status take_head(struct file *f, char **field, size_t fields)
{
	size_t keys = 0, values = 0;
	if (fields > SUMMARIZE_COLUMNS)
		return fail(ST_USAGE, "'%s' has %zu columns, at most %d are read", f->name, fields,
		        SUMMARIZE_COLUMNS);
	f->columns = fields;
	for (size_t i = 0; i < fields; i++) {
		bool value = !strcmp(field[i], f->value),
		     key = !value && (f->by ? is_listed(f->by, field[i]) : !is_measured(field[i]));
		f->use[i] = value ? VALUE : key ? KEY : PASSED_OVER;
		values += value;
		keys += key;
		if (value)
			f->value_at = i;
	}
	while (f->lead < fields && f->use[f->lead] == KEY)
		f->lead++;
	if (f->lead < keys || f->value_at < f->lead)
		f->lead = 0;
	f->value_at -= f->lead;
	enum status s = check_wanted(f, values, keys);
	return s ? s : keep_names(f->summary, f, field);
}

/* ---- groups ---- */

/* Makes the row's group the last one. */
static enum status enter_group(struct file *f, const char *key, size_t bytes)
{
	struct summary *s = f->summary;
	f->last = keys_number(&s->keys, key, bytes);
	if (f->last != KEYS_NO_MEMORY && f->last >= s->sketches) {
		size_t room = s->sketches ? 2 * s->sketches : 64;
		struct sketch *larger = realloc(s->sketch, room * sizeof *larger);
		if (larger) {
			memset(larger + s->sketches, 0, (room - s->sketches) * sizeof *larger);
			s->sketch = larger;
			s->sketches = room;
		}
	}
	if (f->last == KEYS_NO_MEMORY || f->last >= s->sketches)
		return fail(ST_NOMEM, "out of memory for %zu groups", s->keys.count);
	return ST_OK;
}

/* ---- rows ---- */

static enum status tell_bad(struct file *f, const struct csv_row *row, const char *why)
{
	if (f->summary->bad++ < TOLD)
		fail(ST_USAGE, "'%s' line %zu is left out: %s: '%.*s'", f->name, row->line, why,
		        row->bytes < 60 ? (int)row->bytes : 60, row->text);
	return ST_OK;
}

static enum status add_value(struct file *f, double value)
{
	f->summary->rows++;
	if (sketch_add(&f->summary->sketch[f->last], value))
		return ST_OK;
	return fail(ST_NOMEM, "out of memory for %zu groups", f->summary->keys.count);
}

/* Digits up to a comma or the end; anything else is for the slow way. */
static const char *plain_number(const char *at, const char *end, double *value_p)
{
	uint64_t value = 0;
	const char *from = at;
	for (; at < end && *at >= '0' && *at <= '9'; at++)
		value = value * 10 + (uint64_t)(*at - '0');
	if (at == from || at - from > 18 || (at < end && *at != ','))
		return NULL;
	*value_p = (double)value;
	return at;
}

/* The leading key's bytes: up to the comma behind its last column; 0 when the row is not of that form. */
static size_t lead_bytes(const struct file *f, const struct csv_row *row)
{
	const char *at = row->text, *end = row->text + row->bytes;
	for (size_t i = 0; i < f->lead; i++) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		if (!comma)
			return 0;
		at = comma + 1;
	}
	return (size_t)(at - 1 - row->text);
}

static size_t count_commas(const char *at, const char *end)
{
	size_t commas = 0;
	for (; at < end; at++)
		commas += *at == ',';
	return commas;
}

static bool is_like_last(const struct file *f, const struct csv_row *row)
{
	if (f->last == KEYS_NO_MEMORY)
		return false;
	const struct key *key = &f->summary->keys.at[f->last];
	return row->bytes > key->bytes && row->text[key->bytes] == ',' &&
	       !memcmp(row->text, key->text, key->bytes);
}

/* True when the row was taken; false leaves it to take_any(). */
static bool take_fast(struct file *f, const struct csv_row *row, enum status *status_p)
{
	const char *end = row->text + row->bytes;
	double value;
	if (!f->lead || row->quoted || row->binary || row->cut_off)
		return false;
	bool again = is_like_last(f, row);
	size_t bytes = again ? f->summary->keys.at[f->last].bytes : lead_bytes(f, row);
	if (!bytes || count_commas(row->text + bytes, end) != f->columns - f->lead)
		return false;
	const char *at = row->text + bytes + 1;
	for (size_t i = 0; i < f->value_at; i++)
		at = (const char *)memchr(at, ',', (size_t)(end - at)) + 1;
	if (!plain_number(at, end, &value))
		return false;
	*status_p = again ? ST_OK : enter_group(f, row->text, bytes);
	if (!*status_p)
		*status_p = add_value(f, value);
	return true;
}

/* As the fast way would have found it; only a field with a comma or a quote in it keeps its quotes. */
static size_t join_key(const struct file *f, char **field, char key[KEY_BYTES])
{
	FILE *to = fmemopen(key, KEY_BYTES, "w");
	const char *comma = "";
	for (size_t i = 0; to && i < f->columns; i++)
		if (f->use[i] == KEY) {
			fputs(comma, to);
			csv_field(to, field[i]);
			comma = ",";
		}
	long bytes = to ? ftell(to) : 0;
	bool whole = to && !fflush(to) && bytes < KEY_BYTES - 1;
	if (to)
		fclose(to);
	return whole && bytes > 0 ? (size_t)bytes : 0;
}

static enum status take_any(struct file *f, const struct csv_row *row, char **field, size_t fields)
{
	char key[KEY_BYTES], *number_end;
	if (row->binary || row->cut_off || fields != f->columns)
		return tell_bad(f, row,
		        row->binary    ? "it is not text"
		        : row->cut_off ? "the file ends within it"
		                       : "it has not the head's columns");
	size_t at = f->lead + f->value_at;
	double value = strtod(field[at], &number_end);
	if (number_end == field[at] || *number_end || !isfinite(value) || value < 0)
		return tell_bad(f, row, "its value is no number");
	size_t bytes = join_key(f, field, key);
	if (!bytes)
		return tell_bad(f, row, "its key is empty or too long");
	enum status s = enter_group(f, key, bytes);
	return s ? s : add_value(f, value);
}

static enum status take_row(void *arg, const struct csv_row *row)
{
	struct file *f = arg;
	enum status s = ST_OK;
	char **field;
	size_t fields;
	if (f->columns && take_fast(f, row, &s))
		return s;
	s = csv_split(row, &field, &fields);
	if (s)
		return s;
	return f->columns ? take_any(f, row, field, fields) : take_head(f, field, fields);
}

enum status summarize_file(struct summary *summary, const char *path, const char *by, const char *value)
{
	char name[512];
	FILE *file;
	enum status s = csv_open(path, "raw.csv", &file, name, sizeof name);
	if (s)
		return s;
	struct file f = {.summary = summary, .name = name, .by = by, .value = value, .last = KEYS_NO_MEMORY};
	s = csv_read(file, name, take_row, &f);
	csv_close(file);
	return !s && !f.columns ? fail(ST_USAGE, "'%s' is empty", name) : s;
}

void summarize_free(struct summary *s)
{
	for (size_t i = 0; i < s->keys.count; i++)
		sketch_free(&s->sketch[i]);
	for (size_t i = 0; i < s->columns; i++)
		free(s->column[i]);
	free(s->sketch);
	keys_free(&s->keys);
	*s = (struct summary){0};
}
