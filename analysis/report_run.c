/* report_run.c - a run in the page: verdict, curves with the model, latency, distributions, facts. */
#include "analysis/html.h"
#include "analysis/report.h"
#include "analysis/report_samples.h"
#include "analysis/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SERIES = 6, NAMES = 256 };

struct run {
	struct report *report;
	struct rows rows;
	struct calibrations calibrations;
	struct judge judge;
	struct verdict verdict;
};

/* One line of a plot: the rows like this one. */
struct lines {
	const struct record *like[SERIES];
	size_t count;
	char names[NAMES]; /* with blanks between */
};

static bool is_plotted(const struct record *r)
{
	return strcmp(r->placement, "in-place") && r->bytes > 0 && r->ranks > 1 && row_ns(r) > 0 &&
	       !r->group && !r->cycle;
}

static bool same_carrier(const struct record *a, const struct record *b)
{
	return !strcmp(a->backend, b->backend) && !strcmp(row_transport(a), row_transport(b));
}

static bool same_line(const struct record *a, const struct record *b)
{
	return same_carrier(a, b) && !strcmp(a->collective, b->collective) && a->ranks == b->ranks &&
	       a->nodes == b->nodes && a->dtype == b->dtype && a->redop == b->redop && a->root == b->root;
}

static bool is_known(const struct lines *l, const struct record *r)
{
	for (size_t i = 0; i < l->count; i++)
		if (same_line(l->like[i], r))
			return true;
	return false;
}

static void add_line(struct lines *l, const struct record *r, const char *name)
{
	size_t used = strlen(l->names);
	if (l->count == SERIES || is_known(l, r))
		return;
	l->like[l->count++] = r;
	snprintf(l->names + used, sizeof l->names - used, "%s%s", used ? " " : "", *name ? name : "?");
}

static void carrier_name(const struct record *r, char *name, size_t bytes)
{
	const char *transport = row_transport(r);
	snprintf(name, bytes, "%s%s%s", r->backend, *transport ? "/" : "", transport);
}

/* ---- curves: one figure a collective, one line a transport ---- */

static void write_curve(FILE *data, const struct run *run, const struct lines *l)
{
	fputs("series,bytes,busbw,low,high,model\n", data);
	for (size_t k = 0; k < l->count; k++)
		for (size_t i = 0; i < run->rows.count; i++) {
			const struct record *r = &run->rows.row[i];
			const struct judgement *j = &run->verdict.at[i];
			if (!is_plotted(r) || !same_line(l->like[k], r))
				continue;
			/* busbw x time is a constant of the row */
			double bytes_moved = r->busbw_gbs * r->mean_ns, median = row_ns(r);
			double slow = r->time_ns.p95 > 0 ? r->time_ns.p95 : median,
			       fast = r->time_ns.min > 0 ? r->time_ns.min : median;
			fprintf(data, "%zu,%llu,%g,%g,%g,%g\n", k + 1, (unsigned long long)r->bytes,
			        bytes_moved / median, bytes_moved / slow, bytes_moved / fast,
			        j->predicted_ns > 0 ? bytes_moved / j->predicted_ns : NAN);
		}
}

static void put_rows_of(const struct run *run, const char *collective)
{
	struct output *o = report_output(run->report, "");
	output_fold(o);
	verdict_put_rows(o, &run->verdict, collective);
	output_close(o);
}

static void put_curve(const struct run *run, const char *collective)
{
	struct lines l = {.count = 0};
	char name[64];
	for (size_t i = 0; i < run->rows.count; i++)
		if (!strcmp(run->rows.row[i].collective, collective) && is_plotted(&run->rows.row[i])) {
			carrier_name(&run->rows.row[i], name, sizeof name);
			add_line(&l, &run->rows.row[i], name);
		}
	FILE *data = l.count ? report_data(run->report) : NULL;
	if (data) {
		write_curve(data, run, &l);
		report_draw(run->report, data, "curve.gp", (const char *const[]){collective, l.names, NULL});
	}
}

static bool is_first_of_collective(const struct rows *rows, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(rows->row[k].collective, rows->row[i].collective))
			return false;
	return true;
}

static void put_curves(const struct run *run)
{
	report_section(run->report, "Bandwidth");
	report_text(run->report, "note dim",
	        "Points: medians. Band: fastest to 95th percentile of the samples. Dashed: what the model "
	        "predicts from the run's own "
	        "sendrecv rows.");
	for (size_t i = 0; i < run->rows.count; i++) {
		if (!is_first_of_collective(&run->rows, i))
			continue;
		put_curve(run, run->rows.row[i].collective);
		put_rows_of(run, run->rows.row[i].collective);
	}
	report_section_end(run->report);
}

/* ---- latency: one figure a transport, one line a collective ---- */

static void write_latency(FILE *data, const struct run *run, const struct lines *l)
{
	fputs("series,bytes,us,low,high\n", data);
	for (size_t k = 0; k < l->count; k++)
		for (size_t i = 0; i < run->rows.count; i++) {
			const struct record *r = &run->rows.row[i];
			if (!is_plotted(r) || !same_line(l->like[k], r) || r->bytes > 65536)
				continue;
			double median = row_ns(r);
			fprintf(data, "%zu,%llu,%g,%g,%g\n", k + 1, (unsigned long long)r->bytes,
			        median / 1e3, (r->time_ns.min > 0 ? r->time_ns.min : median) / 1e3,
			        (r->time_ns.p95 > 0 ? r->time_ns.p95 : median) / 1e3);
		}
}

static bool is_first_of_carrier(const struct rows *rows, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (same_carrier(&rows->row[k], &rows->row[i]))
			return false;
	return is_plotted(&rows->row[i]);
}

static struct lines lines_of_carrier(const struct run *run, const struct record *like)
{
	struct lines l = {.count = 0};
	for (size_t i = 0; i < run->rows.count; i++)
		if (is_plotted(&run->rows.row[i]) && same_carrier(&run->rows.row[i], like))
			add_line(&l, &run->rows.row[i], run->rows.row[i].collective);
	return l;
}

static void put_latencies(const struct run *run)
{
	report_section(run->report, "Latency");
	report_text(run->report, "note dim",
	        "Medians with fastest and 95th percentile; the rows stand under Bandwidth.");
	fputs("<div class=\"figures\">\n", run->report->page);
	for (size_t i = 0; i < run->rows.count; i++) {
		char name[64];
		if (!is_first_of_carrier(&run->rows, i))
			continue;
		struct lines l = lines_of_carrier(run, &run->rows.row[i]);
		FILE *data = report_data(run->report);
		carrier_name(&run->rows.row[i], name, sizeof name);
		if (!data)
			continue;
		write_latency(data, run, &l);
		report_draw(run->report, data, "latency.gp", (const char *const[]){name, l.names, NULL});
	}
	fputs("</div>\n", run->report->page);
	report_section_end(run->report);
}

/* ---- distributions: one figure a transport, at each collective's largest size ---- */

static const struct record *largest_like(const struct run *run, const struct record *like)
{
	const struct record *largest = NULL;
	for (size_t i = 0; i < run->rows.count; i++)
		if (is_plotted(&run->rows.row[i]) && same_line(like, &run->rows.row[i]) &&
		        (!largest || run->rows.row[i].bytes > largest->bytes))
			largest = &run->rows.row[i];
	return largest;
}

static void put_distribution(const struct run *run, const char *path, const struct record *like)
{
	struct lines l = lines_of_carrier(run, like);
	struct samples_of wanted[SERIES];
	char name[64];
	for (size_t k = 0; k < l.count; k++)
		wanted[k] = (struct samples_of){.row = largest_like(run, l.like[k])};
	bool found = report_samples(path, wanted, l.count);
	FILE *data = found ? report_data(run->report) : NULL;
	if (data) {
		fputs("series,x,share\n", data);
		for (size_t k = 0; k < l.count; k++)
			for (size_t i = 0; i < wanted[k].count; i++)
				fprintf(data, "%zu,%g,%g\n", k + 1, wanted[k].ns[i] / row_ns(wanted[k].row),
				        (double)(i + 1) / (double)wanted[k].count);
		carrier_name(like, name, sizeof name);
		report_draw(run->report, data, "distribution.gp", (const char *const[]){name, l.names, NULL});
	}
	for (size_t k = 0; k < l.count; k++)
		free(wanted[k].ns);
}

static void put_distributions(const struct run *run, const char *path)
{
	report_section(run->report, "Samples");
	report_text(run->report, "note dim",
	        "Every operation at each collective's largest size, against its median. The samples stand in "
	        "raw.csv of the run.");
	fputs("<div class=\"figures\">\n", run->report->page);
	for (size_t i = 0; i < run->rows.count; i++)
		if (is_first_of_carrier(&run->rows, i))
			put_distribution(run, path, &run->rows.row[i]);
	fputs("</div>\n", run->report->page);
	report_section_end(run->report);
}

/* ---- the whole ---- */

static void put_verdict(struct run *run)
{
	report_section(run->report, "Verdict");
	struct output *o = report_output(run->report, "");
	report_judged(run->report, verdict_put(o, &run->verdict, false));
	output_close(o);
	report_section_end(run->report);
}

static void put_facts(const struct run *run, const char *path)
{
	char name[REPORT_PATH], *line = NULL;
	size_t capacity = 0;
	snprintf(name, sizeof name, "%s/facts", path);
	FILE *file = fopen(name, "re");
	if (!file)
		return;
	report_section(run->report, "Facts");
	fputs("<pre>", run->report->page);
	while (getline(&line, &capacity, file) >= 0)
		html_text(run->report->page, line);
	fputs("</pre>\n", run->report->page);
	report_section_end(run->report);
	free(line);
	fclose(file);
}

enum status report_run(struct report *r, const char *path)
{
	struct run run = {.report = r, .judge = {.tolerance = verdict_tolerance}};
	enum status s = rows_read(path, &run.rows);
	run.judge.calibrations = &run.calibrations;
	if (!s)
		s = calibrations_of(&run.rows, &run.calibrations);
	if (!s)
		s = verdict_of(&run.judge, &run.rows, &run.verdict);
	if (!s) {
		put_verdict(&run);
		put_curves(&run);
		put_latencies(&run);
		put_distributions(&run, path);
		put_facts(&run, path);
	}
	verdict_free(&run.verdict);
	calibrations_free(&run.calibrations);
	rows_free(&run.rows);
	return s;
}
