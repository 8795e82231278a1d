/* history.c - reads the history in one pass: runs into a list, rows into the series of their key. */
#include "analysis/history.h"
#include "analysis/csv_read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char history_default[] = "results/history.csv";

enum { TOLD = 10, FIELDS = 256, KEY_BYTES = 1024 };

/* Where the columns stand that a judgement needs. */
enum wanted {
	RUN,
	ENVIRONMENT,
	TIME,
	HOSTS,
	SAMPLES,
	MEDIAN,
	SAMPLE_MEAN,
	STDEV,
	CI_LOW,
	CI_HIGH,
	MEAN,
	WRONG,
	WANTED
};

static const char *const wanted_names[WANTED] = {"run", "environment", "time", "host_set", "samples",
        "p50_ns", "sample_mean_ns", "stdev_ns", "ci_low_ns", "ci_high_ns", "mean_ns", "wrong_elems"};

/* What tells measurements apart but not configurations. */
static const char *const no_configuration[] = {
        "schema_version", "run_id", "time", "host_set", "count_elems", "iters", "cycle", NULL};

struct reading {
	struct history *h;
	const char *from;
	bool reached; /* the run named `from` */
	size_t fields;
	int at[WANTED];
	int key[FIELDS]; /* fields of the configuration, in the order of record_columns */
	size_t keys;
	char **field;
};

size_t history_key_columns(const struct column **columns, size_t most)
{
	size_t count = 0;
	for (size_t i = 0; i < record_column_count && count < most; i++) {
		bool configures = record_columns[i].key;
		for (const char *const *n = no_configuration; *n; n++)
			configures = configures && strcmp(*n, record_columns[i].name);
		if (configures)
			columns[count++] = &record_columns[i];
	}
	return count;
}

static int find_field(const struct reading *r, size_t fields, const char *name)
{
	for (size_t i = 0; i < fields; i++)
		if (!strcmp(r->field[i], name))
			return (int)i;
	return -1;
}

static enum status take_head(struct reading *r, size_t fields)
{
	const struct column *columns[FIELDS];
	if (fields > FIELDS)
		return fail(ST_USAGE, "'%s' is no history: its first line is not a line of column names",
		        r->h->source);
	for (int w = 0; w < WANTED; w++) {
		r->at[w] = find_field(r, fields, wanted_names[w]);
		if (r->at[w] < 0 && (w == RUN || w == MEAN))
			return fail(ST_USAGE, "'%s' is no history: it has no column '%s'", r->h->source,
			        wanted_names[w]);
	}
	r->keys = history_key_columns(columns, FIELDS);
	for (size_t i = 0; i < r->keys; i++) {
		r->key[i] = find_field(r, fields, columns[i]->name);
		if (r->key[i] < 0)
			return fail(ST_USAGE, "'%s' has no column '%s', which tells configurations apart",
			        r->h->source, columns[i]->name);
	}
	r->fields = fields;
	return ST_OK;
}

static const char *text_of(const struct reading *r, enum wanted w)
{
	return r->at[w] < 0 ? "" : r->field[r->at[w]];
}

/* NaN when the field is empty; false when it is no number. */
static bool number_of(const struct reading *r, enum wanted w, double *value_p)
{
	const char *text = text_of(r, w);
	char *end;
	if (csv_plain_number(text, value_p))
		return true;
	*value_p = *text ? strtod(text, &end) : NAN;
	return !*text || (!*end && isfinite(*value_p));
}

static void tell_bad(struct reading *r, const struct csv_row *row, const char *why)
{
	if (r->h->bad++ < TOLD)
		fail(ST_USAGE, "'%s' line %zu is left out: %s", r->h->source, row->line, why);
}

/* Rows of one run stand together: it is the last one, or a new one. */
static struct history_run *run_of(struct reading *r)
{
	struct history *h = r->h;
	const char *name = text_of(r, RUN);
	if (h->runs && !strcmp(h->run[h->runs - 1].name, name))
		return &h->run[h->runs - 1];
	if (h->runs == h->run_capacity) {
		size_t capacity = h->run_capacity ? 2 * h->run_capacity : 64;
		struct history_run *larger = realloc(h->run, capacity * sizeof *larger);
		if (!larger)
			return NULL;
		h->run = larger;
		h->run_capacity = capacity;
	}
	struct history_run *run = &h->run[h->runs];
	*run = (struct history_run){.name = strdup(name), .environment = strdup(text_of(r, ENVIRONMENT))};
	snprintf(run->time, sizeof run->time, "%s", text_of(r, TIME));
	snprintf(run->host_set, sizeof run->host_set, "%s", text_of(r, HOSTS));
	h->runs++;
	r->reached = r->reached || !strcmp(name, r->from);
	return run->name && run->environment ? run : NULL;
}

/* Cut off where it would be too long: by far longer than what programs write. */
static size_t join_key(const struct reading *r, char key[KEY_BYTES])
{
	size_t used = 0;
	for (size_t i = 0; i < r->keys; i++) {
		size_t bytes = strlen(r->field[r->key[i]]), room = KEY_BYTES - used - 1;
		bytes = bytes < room ? bytes : room;
		memcpy(key + used, r->field[r->key[i]], bytes);
		used += bytes;
		key[used] = '|';
		used += used + 1 < KEY_BYTES;
	}
	return used ? used - 1 : 0;
}

static struct series *series_of(struct reading *r)
{
	struct history *h = r->h;
	char key[KEY_BYTES];
	size_t number = keys_number(&h->keys, key, join_key(r, key));
	if (number != KEYS_NO_MEMORY && number >= h->series_capacity) {
		size_t capacity = h->series_capacity ? 2 * h->series_capacity : 64;
		struct series *larger = realloc(h->series, capacity * sizeof *larger);
		if (!larger)
			return NULL;
		memset(larger + h->series_capacity, 0, (capacity - h->series_capacity) * sizeof *larger);
		h->series = larger;
		h->series_capacity = capacity;
	}
	return number == KEYS_NO_MEMORY ? NULL : &h->series[number];
}

/* A run that measured a configuration several times (cycles) counts with the middle of them. */
static void merge(struct run_point *a, const struct run_point *b)
{
	a->mean = (a->mean + b->mean) / 2;
	a->median = (a->median + b->median) / 2;
	a->mean_error = hypot(a->mean_error, b->mean_error) / 2;
	a->median_error = hypot(a->median_error, b->median_error) / 2;
}

static void add_point(struct series *s, const struct run_point *point)
{
	if (s->points && s->point[s->points - 1].run == point->run) {
		merge(&s->point[s->points - 1], point);
		return;
	}
	if (s->points == REGRESS_RUNS)
		memmove(s->point, s->point + 1, --s->points * sizeof *s->point);
	s->point[s->points++] = *point;
}

/* The row's place and how sure it is, as logarithms; false when it has no time. */
static bool make_point(const struct reading *r, size_t run, struct run_point *out)
{
	double samples, median, mean, stdev, low, high, table_mean;
	if (!number_of(r, SAMPLES, &samples) || !number_of(r, MEDIAN, &median) ||
	        !number_of(r, SAMPLE_MEAN, &mean) || !number_of(r, STDEV, &stdev) ||
	        !number_of(r, CI_LOW, &low) || !number_of(r, CI_HIGH, &high) ||
	        !number_of(r, MEAN, &table_mean))
		return false;
	mean = mean > 0 ? mean : table_mean;
	if (!(mean > 0))
		return false;
	bool sampled = samples > 1 && stdev > 0, ranked = samples > 5 && low > 0 && high > low;
	*out = (struct run_point){.run = run,
	        .mean = log(mean),
	        .mean_error = sampled ? stdev / sqrt(samples - 1) / mean : 0,
	        .median = median > 0 ? log(median) : NAN,
	        .median_error = ranked ? log(high / low) / (2 * 1.96) : 0};
	return true;
}

static enum status take_row(void *arg, const struct csv_row *row)
{
	struct reading *r = arg;
	size_t fields;
	struct run_point point;
	double wrong;
	if (csv_split(row, &r->field, &fields))
		return ST_NOMEM;
	if (!r->fields)
		return take_head(r, fields);
	if (row->cut_off || row->binary || fields != r->fields) {
		tell_bad(r, row,
		        row->binary    ? "it is not text"
		        : row->cut_off ? "the file ends within it"
		                       : "it has not the head's columns");
		return ST_OK;
	}
	struct history_run *run = run_of(r);
	if (!run)
		return fail(ST_NOMEM, "out of memory for %zu runs", r->h->runs);
	run->rows++;
	r->h->rows++;
	run->wrong_rows += number_of(r, WRONG, &wrong) && wrong > 0;
	if (!r->reached)
		return ST_OK;
	if (!make_point(r, r->h->runs - 1, &point)) {
		tell_bad(r, row, "it has no time that is a positive number");
		return ST_OK;
	}
	struct series *s = series_of(r);
	if (!s)
		return fail(ST_NOMEM, "out of memory for %zu configurations", r->h->keys.count);
	add_point(s, &point);
	return ST_OK;
}

enum status history_read(const char *path, const char *from, struct history *out)
{
	FILE *file;
	*out = (struct history){0};
	enum status s = csv_open(path, "history.csv", &file, out->source, sizeof out->source);
	if (s)
		return s;
	struct reading r = {.h = out, .from = from ? from : "", .reached = !from || !*from};
	s = csv_read(file, out->source, take_row, &r);
	csv_close(file);
	if (!s && !r.fields)
		s = fail(ST_USAGE, "'%s' is empty", out->source);
	if (!s && !r.reached)
		s = fail(ST_USAGE, "'%s' has no run '%s'", out->source, from);
	if (s)
		history_free(out);
	return s;
}

void history_free(struct history *h)
{
	for (size_t i = 0; i < h->runs; i++) {
		free(h->run[i].name);
		free(h->run[i].environment);
	}
	free(h->run);
	free(h->series);
	keys_free(&h->keys);
	*h = (struct history){0};
}
