/* rows.c - the head of the file says where each column of record_columns[] stands; its scan functions do the
 * rest. */
#include "analysis/rows.h"
#include "analysis/csv_read.h"

#include <stdlib.h>
#include <string.h>

enum { TOLD = 10, FIELDS = 256 };

struct reading {
	struct rows *rows;
	const struct column *column[FIELDS]; /* of each field; NULL: unknown, passed over */
	size_t fields;                       /* of the head */
	char **field;
};

/* A spreadsheet may have put a byte order mark in front. */
static const char *without_mark(const char *name)
{
	return strncmp(name, "\xef\xbb\xbf", 3) ? name : name + 3;
}

static bool has(const struct reading *r, const struct column *c)
{
	for (size_t i = 0; i < r->fields; i++)
		if (r->column[i] == c)
			return true;
	return false;
}

static enum status take_head(struct reading *r, const struct csv_row *row, size_t fields)
{
	const char *source = r->rows->source;
	if (fields > FIELDS || row->binary)
		return fail(
		        ST_USAGE, "'%s' is no summary: its first line is not a line of column names", source);
	r->fields = fields;
	for (size_t i = 0; i < fields; i++) {
		r->column[i] = record_column(i ? r->field[i] : without_mark(r->field[i]));
		r->rows->unknown += !r->column[i];
	}
	if (r->rows->unknown == fields)
		return fail(ST_USAGE, "'%s' is no summary: no column is known, the first is '%.40s'", source,
		        r->field[0]);
	for (size_t i = 0; i < record_column_count; i++)
		if (record_columns[i].key && !has(r, &record_columns[i]))
			return fail(ST_USAGE, "'%s' has no column '%s', which tells measurements apart",
			        source, record_columns[i].name);
	return ST_OK;
}

static void tell_bad(struct reading *r, const struct csv_row *row, const char *why, const char *what)
{
	if (r->rows->bad++ < TOLD)
		fail(ST_USAGE, "'%s' line %zu is left out: %s '%.60s'", r->rows->source, row->line, why,
		        what);
}

static enum status take_row(void *arg, const struct csv_row *row)
{
	struct reading *r = arg;
	size_t fields;
	if (csv_split(row, &r->field, &fields))
		return ST_NOMEM;
	if (!r->fields)
		return take_head(r, row, fields);
	if (row->cut_off || row->binary || fields != r->fields) {
		const char *why = row->binary          ? "it is not text after"
		                  : row->cut_off       ? "the file ends within it, after"
		                  : fields < r->fields ? "it has fewer fields than the head, it ends with"
		                                       : "it has more fields than the head, it ends with";
		tell_bad(r, row, why, r->field[fields - 1]);
		return ST_OK;
	}
	struct record record;
	record_clear(&record);
	for (size_t i = 0; i < fields; i++)
		if (r->column[i] && !record_scan(r->column[i], &record, r->field[i])) {
			char why[96];
			snprintf(why, sizeof why, "no value of column '%s' is", r->column[i]->name);
			tell_bad(r, row, why, r->field[i]);
			return ST_OK;
		}
	return rows_append(r->rows, &record);
}

enum status rows_read(const char *path, struct rows *out)
{
	FILE *file;
	*out = (struct rows){0};
	enum status s = csv_open(path, "summary.csv", &file, out->source, sizeof out->source);
	if (s)
		return s;
	struct reading r = {.rows = out};
	s = csv_read(file, out->source, take_row, &r);
	csv_close(file);
	if (!s && !r.fields)
		s = fail(ST_USAGE, "'%s' is empty", out->source);
	if (s)
		rows_free(out);
	return s;
}

enum status rows_append(struct rows *rows, const struct record *record)
{
	if (rows->count == rows->capacity) {
		size_t capacity = rows->capacity ? 2 * rows->capacity : 64;
		struct record *larger = realloc(rows->row, capacity * sizeof *larger);
		if (!larger)
			return fail(ST_NOMEM, "out of memory for %zu rows of '%s'", capacity, rows->source);
		rows->row = larger;
		rows->capacity = capacity;
	}
	rows->row[rows->count++] = *record;
	return ST_OK;
}

void rows_free(struct rows *rows)
{
	free(rows->row);
	rows->row = NULL;
	rows->count = rows->capacity = 0;
}

double row_ns(const struct record *r)
{
	return r->time_ns.count && r->time_ns.p50 > 0 ? r->time_ns.p50 : r->mean_ns;
}

const char *row_transport(const struct record *r)
{
	return *r->transport_seen ? r->transport_seen : r->transport_asked;
}
