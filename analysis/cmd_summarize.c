/* cmd_summarize.c - busbar summarize: statistics of raw samples by key, in one pass over files of any length.
 */
#include "analysis/arguments.h"
#include "analysis/csv_read.h"
#include "analysis/output.h"
#include "analysis/summarize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	double share;
} percentiles[] = {{"p50", 0.5}, {"p95", 0.95}, {"p99", 0.99}};

enum { PERCENTILES = sizeof percentiles / sizeof *percentiles };

struct printing {
	struct output *o;
	struct summary *summary;
	size_t next;
};

static bool is_size(const char *column)
{
	return !strcmp(column, "bytes");
}

static void put_columns(struct output *o, const struct summary *s, const char *unit)
{
	static char name[PERCENTILES + 4][16];
	static const char *const others[] = {"min", "max", "mean", "stdev"};
	for (size_t i = 0; i < s->columns; i++)
		output_column(
		        o, s->column[i], is_size(s->column[i]) ? "size" : "", is_size(s->column[i]) ? 0 : -1);
	output_column(o, "samples", "", 0);
	for (size_t i = 0; i < PERCENTILES + 4; i++) {
		const char *base = i < PERCENTILES ? percentiles[i].name : others[i - PERCENTILES];
		snprintf(name[i], sizeof name[i], "%s%s%s", base, *unit ? "_" : "", unit);
		output_column(o, name[i], unit, 3);
	}
}

/* The keys come back as csv rows, in the order of the groups. */
static enum status put_group(void *arg, const struct csv_row *row)
{
	struct printing *p = arg;
	struct sketch *s = &p->summary->sketch[p->next++];
	char **field;
	size_t fields;
	enum status status = csv_split(row, &field, &fields);
	if (status)
		return status;
	output_row(p->o);
	for (size_t i = 0; i < p->summary->columns; i++)
		if (is_size(p->summary->column[i]))
			output_number(p->o, i < fields ? strtod(field[i], NULL) : NAN);
		else
			output_text(p->o, TONE_PLAIN, "%s", i < fields ? field[i] : "");
	output_number(p->o, (double)s->count);
	for (size_t i = 0; i < PERCENTILES; i++)
		output_number(p->o, sketch_percentile(s, percentiles[i].share));
	output_number(p->o, s->min);
	output_number(p->o, s->max);
	output_number(p->o, sketch_mean(s));
	output_number(p->o, sketch_stdev(s));
	return ST_OK;
}

static enum status put_groups(struct output *o, struct summary *s)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *keys = open_memstream(&text, &bytes);
	for (size_t i = 0; keys && i < s->keys.count; i++)
		fprintf(keys, "%s\n", s->keys.at[i].text);
	if (!keys || fclose(keys) || !(keys = fmemopen(text, bytes, "r"))) {
		free(text);
		return fail(ST_NOMEM, "out of memory for %zu groups", s->keys.count);
	}
	struct printing p = {o, s, 0};
	enum status status = csv_read(keys, "keys", put_group, &p);
	fclose(keys);
	free(text);
	return status;
}

static int answer(struct summary *s, enum output_format format, const char *value)
{
	struct output *o = output_open(stdout, format, "");
	const char *tail = strrchr(value, '_');
	output_fold(o);
	put_columns(o, s, tail && !strcmp(tail, "_ns") ? "ns" : "");
	output_note(o, TONE_DIM, "%zu rows in %zu groups, %s", s->rows, s->keys.count, value);
	if (s->bad)
		output_note(o, TONE_WARN, "%zu broken rows were left out", s->bad);
	enum status status = s->keys.count ? put_groups(o, s) : ST_OK;
	if (output_close(o) || status || s->bad)
		return EXIT_UNREADABLE;
	return s->keys.count ? EXIT_PASS : EXIT_NOT_JUDGED;
}

static const char more[] =
        "RAW is a raw.csv, a folder that holds one, or '-'. Percentiles are by nearest rank: exact up to\n"
        "64 samples of a group, within 0.05 % beyond. Memory grows with the groups, not with the rows.\n";

static int run_summarize(int argc, char **argv)
{
	struct summary s = {0};
	enum output_format format = OUTPUT_TEXT;
	const char *by = NULL, *value = "elapsed_ns";
	const struct argument table[] = {
	        {"by", ARGUMENT_TEXT, &by,
	                "columns to group by, with commas between (default: all that tell measurements "
	                "apart)"},
	        {"value", ARGUMENT_TEXT, &value, "the measured column (default elapsed_ns)"},
	        {"format", ARGUMENT_FORMAT, &format, "how to print"},
	        {NULL, 0, NULL, NULL},
	};
	struct arguments arguments = {
	        .command = &command_summarize,
	        .table = table,
	        .more = more,
	        .least = 1,
	        .most = 1 << 20,
	};
	int code = arguments_parse(&arguments, argc, argv);
	if (code != ARGUMENTS_GO_ON)
		return code;
	enum status status = ST_OK;
	for (int i = 0; !status && i < arguments.operands; i++)
		status = summarize_file(&s, arguments.operand[i], by, value);
	code = status ? EXIT_UNREADABLE : answer(&s, format, value);
	summarize_free(&s);
	return code;
}

const struct command command_summarize = {
        .name = "summarize",
        .synopsis = "RAW... [--by COLUMNS] [--value COLUMN]",
        .help = "statistics of raw samples by key, in one pass over files of any length",
        .run = run_summarize,
};
