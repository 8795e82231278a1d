/* report_samples.c - matches raw rows by the columns that raw.csv shares with the summary. */
#include "analysis/report_samples.h"
#include "analysis/csv_read.h"

#include <gsl/gsl_sort.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIELDS = 64 };

struct reading {
	struct samples_of *wanted;
	size_t count;
	const struct column *column[FIELDS]; /* NULL: not of the summary's key */
	size_t fields;
	int elapsed;
};

static enum status take_head(struct reading *r, char **field, size_t fields)
{
	if (fields > FIELDS)
		return ST_USAGE;
	r->fields = fields;
	r->elapsed = -1;
	for (size_t i = 0; i < fields; i++) {
		const struct column *c = record_column(field[i]);
		r->column[i] = c && c->key && c->kind != COLUMN_SCHEMA ? c : NULL;
		if (!strcmp(field[i], "elapsed_ns"))
			r->elapsed = (int)i;
	}
	return r->elapsed < 0 ? ST_USAGE : ST_OK;
}

/* The key columns of a raw row all hold what the summary's row holds. */
static bool matches(const struct reading *r, const struct record *wanted, char **field)
{
	for (size_t i = 0; i < r->fields; i++) {
		struct record scanned = *wanted;
		if (!r->column[i])
			continue;
		void *at = (char *)&scanned + r->column[i]->offset;
		const void *expected = (const char *)wanted + r->column[i]->offset;
		if (!*field[i] && r->column[i]->kind == COLUMN_TEXT) {
			if (*(const char *)expected)
				return false;
		} else if (!record_scan(r->column[i], &scanned, field[i]) ||
		           (r->column[i]->kind == COLUMN_TEXT ? strcmp(at, expected)
		                                              : memcmp(at, expected, r->column[i]->bytes))) {
			return false;
		}
	}
	return true;
}

static enum status take_row(void *arg, const struct csv_row *row)
{
	struct reading *r = arg;
	char **field;
	size_t fields;
	enum status s = csv_split(row, &field, &fields);
	if (s)
		return s;
	if (!r->fields)
		return take_head(r, field, fields);
	double ns = fields == r->fields && !row->cut_off ? strtod(field[r->elapsed], NULL) : 0;
	for (size_t k = 0; ns > 0 && k < r->count; k++) {
		struct samples_of *w = &r->wanted[k];
		if (w->count < SAMPLES_KEPT && matches(r, w->row, field)) {
			w->ns[w->count++] = ns;
			break;
		}
	}
	return ST_OK;
}

bool report_samples(const char *run_folder, struct samples_of *wanted, size_t count)
{
	char path[600], name[600];
	FILE *file;
	size_t found = 0;
	snprintf(path, sizeof path, "%s/raw.csv", run_folder);
	for (size_t k = 0; k < count; k++) {
		wanted[k].count = 0;
		wanted[k].ns = calloc(SAMPLES_KEPT, sizeof *wanted[k].ns);
		if (!wanted[k].ns)
			return false;
	}
	if (access(path, R_OK) || csv_open(path, NULL, &file, name, sizeof name))
		return false;
	struct reading r = {.wanted = wanted, .count = count};
	csv_read(file, name, take_row, &r);
	csv_close(file);
	for (size_t k = 0; k < count; k++) {
		gsl_sort(wanted[k].ns, 1, wanted[k].count);
		found += wanted[k].count;
	}
	return found;
}
