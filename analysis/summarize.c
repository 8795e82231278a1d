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
	struct summary_group *last;
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

static uint64_t hash_of(const char *key, size_t bytes)
{
	uint64_t h = 0x9e3779b97f4a7c15u ^ bytes, word;
	for (; bytes >= 8; key += 8, bytes -= 8) {
		memcpy(&word, key, 8);
		h = (h ^ word) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	word = 0;
	memcpy(&word, key, bytes);
	h = (h ^ word) * 0xff51afd7ed558ccdu;
	return h ^ h >> 32;
}

static bool grow_slots(struct summary *s)
{
	if (2 * (s->groups + 1) <= s->slots)
		return true;
	size_t slots = s->slots ? 2 * s->slots : 256;
	size_t *slot = calloc(slots, sizeof *slot);
	if (!slot)
		return false;
	for (size_t g = 0; g < s->groups; g++) {
		size_t i = s->group[g].hash & (slots - 1);
		while (slot[i])
			i = (i + 1) & (slots - 1);
		slot[i] = g + 1;
	}
	free(s->slot);
	s->slot = slot;
	s->slots = slots;
	return true;
}

static struct summary_group *add_group(struct summary *s, const char *key, size_t bytes, uint64_t hash)
{
	if (s->groups == s->capacity) {
		size_t capacity = s->capacity ? 2 * s->capacity : 64;
		struct summary_group *larger = realloc(s->group, capacity * sizeof *larger);
		if (!larger)
			return NULL;
		s->group = larger;
		s->capacity = capacity;
	}
	char *copy = malloc(bytes + 1);
	if (!copy)
		return NULL;
	memcpy(copy, key, bytes);
	copy[bytes] = 0;
	s->group[s->groups] = (struct summary_group){.key = copy, .key_bytes = bytes, .hash = hash};
	return &s->group[s->groups++];
}

static struct summary_group *find_group(struct summary *s, const char *key, size_t bytes)
{
	if (!grow_slots(s))
		return NULL;
	uint64_t hash = hash_of(key, bytes);
	size_t i = hash & (s->slots - 1);
	for (; s->slot[i]; i = (i + 1) & (s->slots - 1)) {
		struct summary_group *g = &s->group[s->slot[i] - 1];
		if (g->hash == hash && g->key_bytes == bytes && !memcmp(g->key, key, bytes))
			return g;
	}
	struct summary_group *g = add_group(s, key, bytes, hash);
	if (g)
		s->slot[i] = s->groups;
	return g;
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
	return sketch_add(&f->last->sketch, value)
	               ? ST_OK
	               : fail(ST_NOMEM, "out of memory for %zu groups", f->summary->groups);
}

/* Digits up to a comma or the end; anything else is for the slow way. */
static const char *plain_number(const char *at, const char *end, double *value_p)
{
	uint64_t value = 0;
	const char *from = at;
	for (; at < end && *at >= '0' && *at <= '9'; at++)
		value = value * 10 + (uint64_t)(*at - '0');
	if (at == from || at - from > 18 || (at < end && *at != ',') || !value)
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
	return f->last && row->bytes > f->last->key_bytes && row->text[f->last->key_bytes] == ',' &&
	       !memcmp(row->text, f->last->key, f->last->key_bytes);
}

/* True when the row was taken; false leaves it to take_any(). */
static bool take_fast(struct file *f, const struct csv_row *row, enum status *status_p)
{
	const char *end = row->text + row->bytes;
	double value;
	if (!f->lead || row->quoted || row->binary || row->cut_off)
		return false;
	size_t bytes = is_like_last(f, row) ? f->last->key_bytes : lead_bytes(f, row);
	if (!bytes || count_commas(row->text + bytes, end) != f->columns - f->lead)
		return false;
	const char *at = row->text + bytes + 1;
	for (size_t i = 0; i < f->value_at; i++)
		at = (const char *)memchr(at, ',', (size_t)(end - at)) + 1;
	if (!plain_number(at, end, &value))
		return false;
	if (!is_like_last(f, row))
		f->last = find_group(f->summary, row->text, bytes);
	*status_p = f->last ? add_value(f, value)
	                    : fail(ST_NOMEM, "out of memory for %zu groups", f->summary->groups);
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
	if (number_end == field[at] || *number_end || !isfinite(value) || value <= 0)
		return tell_bad(f, row, "its value is no positive number");
	size_t bytes = join_key(f, field, key);
	if (!bytes)
		return tell_bad(f, row, "its key is empty or too long");
	f->last = find_group(f->summary, key, bytes);
	return f->last ? add_value(f, value)
	               : fail(ST_NOMEM, "out of memory for %zu groups", f->summary->groups);
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
	struct file f = {.summary = summary, .name = name, .by = by, .value = value};
	s = csv_read(file, name, take_row, &f);
	csv_close(file);
	return !s && !f.columns ? fail(ST_USAGE, "'%s' is empty", name) : s;
}

void summarize_free(struct summary *s)
{
	for (size_t i = 0; i < s->groups; i++) {
		free(s->group[i].key);
		sketch_free(&s->group[i].sketch);
	}
	for (size_t i = 0; i < s->columns; i++)
		free(s->column[i]);
	free(s->group);
	free(s->slot);
	*s = (struct summary){0};
}
