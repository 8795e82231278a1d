/* pairs_csv.c - pair bandwidths from a csv whose columns have names. */
#include "analysis/csv_read.h"
#include "analysis/pairs_collect.h"

#include <string.h>

struct columns {
	struct collection *c;
	bool head_read;
	int from, to, rail, value, bytes; /* -1 absent */
	double factor;                    /* the value x this is GB/s; 0: it is a time in ns */
	char **field;                     /* of the row at hand */
	size_t fields;
};

struct value_column {
	const char *name;
	double factor;
};

static const struct value_column value_columns[] = {
        {"busbw_gbs", 1},
        {"algbw_gbs", 1},
        {"gbs", 1},
        {"bandwidth_gbs", 1},
        {"mbs", 1e-3},
        {"gbits", 0.125},
        {"p50_ns", 0},
        {"time_ns", 0},
        {NULL, 0},
};
static const char *const from_names[] = {"from", "sender", "src", "source", NULL};
static const char *const to_names[] = {"to", "receiver", "dst", "destination", NULL};
static const char *const rail_names[] = {"rail", "interface", NULL};
static const char *const bytes_names[] = {"bytes", "size", NULL};

static int find_column(const struct columns *k, const char *const *names)
{
	for (; *names; names++)
		for (size_t i = 0; i < k->fields; i++)
			if (!strcmp(k->field[i], *names))
				return (int)i;
	return -1;
}

static enum status take_head(struct columns *k)
{
	k->head_read = true;
	k->from = find_column(k, from_names);
	k->to = find_column(k, to_names);
	k->rail = find_column(k, rail_names);
	k->bytes = find_column(k, bytes_names);
	k->value = -1;
	for (const struct value_column *v = value_columns; v->name && k->value < 0; v++) {
		k->value = find_column(k, (const char *const[]){v->name, NULL});
		k->factor = v->factor;
	}
	if (k->from < 0 || k->to < 0)
		return fail(ST_USAGE, "'%s' has no columns 'from' and 'to' in its first line", k->c->file);
	if (k->value < 0)
		return fail(ST_USAGE, "'%s' has no column of bandwidth: busbw_gbs, gbs, mbs or p50_ns",
		        k->c->file);
	if (k->factor == 0 && k->bytes < 0)
		return fail(ST_USAGE, "'%s' has times but no column 'bytes' to make bandwidths of them",
		        k->c->file);
	return ST_OK;
}

static const char *field(const struct columns *k, int column)
{
	return column >= 0 && (size_t)column < k->fields ? k->field[column] : "";
}

static enum status take_row(void *arg, const struct csv_row *row)
{
	struct columns *k = arg;
	double value, bytes = 0;
	const char *wrong = NULL;
	if (csv_split(row, &k->field, &k->fields))
		return ST_NOMEM;
	if (!k->head_read)
		return take_head(k);
	if (row->cut_off || row->binary)
		collect_bad(k->c, row->line, row->binary ? "it is not text after" : "it is cut off after",
		        k->field[0]);
	else if (!*field(k, k->from) || !*field(k, k->to))
		collect_bad(k->c, row->line, "it names no pair, it begins with", k->field[0]);
	else if (!collect_number(field(k, k->value), &value))
		wrong = field(k, k->value);
	else if (k->bytes >= 0 && !collect_number(field(k, k->bytes), &bytes))
		wrong = field(k, k->bytes);
	else
		return collect(k->c, field(k, k->from), field(k, k->to), field(k, k->rail),
		        k->factor > 0 ? value * k->factor : bytes / value, bytes);
	if (wrong)
		collect_bad(k->c, row->line, "not a positive number:", wrong);
	return ST_OK;
}

bool pairs_csv_is(const char *text)
{
	size_t length = strcspn(text, "\r\n");
	char head[1024];
	snprintf(head, sizeof head, "%.*s", (int)(length < sizeof head ? length : sizeof head - 1), text);
	if (!strchr(head, ','))
		return false;
	for (const char *const *name = from_names; *name; name++)
		if (strstr(head, *name))
			return true;
	return false;
}

enum status pairs_csv_read(struct collection *c, FILE *file)
{
	struct columns k = {.c = c};
	return csv_read(file, c->file, take_row, &k);
}
