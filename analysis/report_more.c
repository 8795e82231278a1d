/* report_more.c - two networks, pairs and a history in the page. */
#include "analysis/history.h"
#include "analysis/pairs_put.h"
#include "analysis/regress_put.h"
#include "analysis/report.h"
#include "analysis/tiers_put.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SERIES = 6, NAMES = 256, COURSES = 12 };

/* ---- two networks ---- */

static void draw_tiers(struct report *r, const struct tiers *t)
{
	char names[NAMES] = "";
	size_t used = 0;
	FILE *data = t->pairs ? report_data(r) : NULL;
	if (!data)
		return;
	fputs("series,bytes,ratio,low,high,predicted\n", data);
	for (size_t k = 0; k < t->summaries && k < SERIES && used < sizeof names; k++) {
		const struct record *like = t->summary[k].like;
		used += (size_t)snprintf(names + used, sizeof names - used, "%s%s/%s", k ? " " : "",
		        like->collective, row_transport(like));
		for (size_t i = 0; i < t->pairs; i++) {
			const struct tier_pair *p = &t->pair[i];
			if (strcmp(p->a->collective, like->collective) ||
			        strcmp(row_transport(p->a), row_transport(like)) ||
			        !strcmp(p->a->placement, "in-place") || !p->a->bytes)
				continue;
			double low = isnan(p->ratio.low) ? p->ratio.value : p->ratio.low;
			double high = isnan(p->ratio.high) ? p->ratio.value : p->ratio.high;
			fprintf(data, "%zu,%llu,%g,%g,%g,%g\n", k + 1, (unsigned long long)p->a->bytes,
			        p->ratio.value, low, high, p->predicted);
		}
	}
	report_draw(r, data, "tiers.gp", (const char *const[]){"gain of the second network", names, NULL});
}

enum status report_tiers(struct report *r, const char *a, const char *b)
{
	struct tiers_task task = {.a = {.path = a}, .b = {.path = b}, .tolerance = 0.1, .step_bytes = 14e9};
	struct tiers t = {0};
	enum status s = tiers_prepare(&task.a);
	if (!s)
		s = tiers_prepare(&task.b);
	if (!s)
		s = tiers_compare(
		        &task.a.rows, &task.a.judge, &task.b.rows, &task.b.judge, task.tolerance, &t);
	if (!s) {
		report_section(r, "Two networks");
		struct output *o = report_output(r, "");
		report_judged(r, tiers_put(o, &task, &t, false));
		output_close(o);
		draw_tiers(r, &t);
		o = report_output(r, "");
		tiers_put_rows(o, &t);
		output_close(o);
		report_section_end(r);
	}
	tiers_free(&t);
	tiers_release(&task.a);
	tiers_release(&task.b);
	return s;
}

/* ---- pairs ---- */

static void draw_pairs(struct report *r, const struct pairs_task *t)
{
	char rail[16];
	for (int k = 0; k < t->in.rails; k++) {
		FILE *data = report_data(r);
		if (!data)
			return;
		pairs_print_matrix(data, t);
		snprintf(rail, sizeof rail, "%d", k);
		report_draw(r, data, "pairs.gp", (const char *const[]){rail, NULL});
	}
}

static void put_pairs(struct report *r, const struct pairs_task *t)
{
	struct output *o = report_output(r, "");
	output_column(o, "from", "", -1);
	output_column(o, "to", "", -1);
	output_column(o, "rail", "", -1);
	output_column(o, "gbs", "GB/s", 3);
	output_column(o, "share", "%", 1);
	for (int k = 0; k < t->in.rails; k++) {
		const struct pairs *p = &t->in.rail[k];
		for (int i = 0; i < p->nodes * p->nodes; i++) {
			if (isnan(p->gbs[i]) || i / p->nodes == i % p->nodes)
				continue;
			output_row(o);
			output_text(o, TONE_PLAIN, "%s", p->name[i / p->nodes]);
			output_text(o, TONE_PLAIN, "%s", p->name[i % p->nodes]);
			output_text(o, TONE_PLAIN, "%s", t->in.rail_name[k]);
			output_number(o, p->gbs[i]);
			output_number(o, 100 * p->gbs[i] / t->report[k].level_gbs);
		}
	}
	output_close(o);
}

enum status report_pairs(struct report *r, const char *path)
{
	struct pairs_task *t = calloc(1, sizeof *t);
	if (!t)
		return fail(ST_NOMEM, "out of memory for the pairs of '%s'", path);
	enum status s = pairs_read(path, &t->in);
	if (!s)
		s = pairs_task_judge(t, &pairs_default);
	if (!s) {
		report_section(r, "Pairs");
		struct output *o = report_output(r, "");
		report_judged(r, pairs_put(o, t, pairs_default.effect));
		output_close(o);
		draw_pairs(r, t);
		put_pairs(r, t);
		report_section_end(r);
	}
	pairs_task_free(t);
	free(t);
	return s;
}

/* ---- history ---- */

/* The changed configurations, worst first; where nothing changed those of the largest sizes. */
static double interest(const struct regress_task *t, size_t key)
{
	const struct series *s = &t->h.series[key];
	if (s->points < 2 || s->point[s->points - 1].run != t->h.runs - 1)
		return -1;
	bool changed = t->at[key].change >= CHANGE_NEWEST;
	return changed ? 1e6 + t->at[key].effect : s->point[s->points - 1].mean / 1e3;
}

static size_t next_interesting(const struct regress_task *t, const bool *drawn)
{
	size_t best = t->h.keys.count;
	for (size_t k = 0; k < t->h.keys.count; k++)
		if (!drawn[k] && interest(t, k) >= 0 &&
		        (best == t->h.keys.count || interest(t, k) > interest(t, best)))
			best = k;
	return best;
}

/* "all_reduce ring socket 1048576 in-place": the fields that people know a configuration by. */
static void write_title(const char *key, char *title, size_t bytes)
{
	static const char *const shown[] = {
	        "collective", "backend", "transport_seen", "bytes", "placement", NULL};
	const struct column *column[64];
	size_t columns = history_key_columns(column, 64), used = 0;
	*title = 0;
	for (size_t c = 0; c < columns && key; c++) {
		size_t length = strcspn(key, "|");
		for (const char *const *s = shown; *s; s++)
			if (!strcmp(*s, column[c]->name) && length && used < bytes)
				used += (size_t)snprintf(title + used, bytes - used, "%s%.*s",
				        used ? " " : "", (int)length, key);
		key = key[length] ? key + length + 1 : NULL;
	}
}

static void draw_course(struct report *r, const struct regress_task *t, size_t key)
{
	const struct series *s = &t->h.series[key];
	char title[160], since[24];
	FILE *data = report_data(r);
	if (!data)
		return;
	fputs("run,percent,low,high,name\n", data);
	for (size_t i = 0; i < s->points; i++) {
		const struct run_point *p = &s->point[i];
		double x = p->mean - s->point[0].mean, half = 1.96 * p->mean_error;
		fprintf(data, "%zu,%g,%g,%g,%s\n", p->run, 100 * expm1(x), 100 * expm1(x - half),
		        100 * expm1(x + half), t->h.run[p->run].name);
	}
	bool dated = t->at[key].change == CHANGE_STEP || t->at[key].change == CHANGE_NEWEST;
	snprintf(since, sizeof since, "%d", dated ? (int)t->at[key].since_run : -1);
	write_title(t->h.keys.at[key].text, title, sizeof title);
	report_draw(r, data, "course.gp", (const char *const[]){title, since, NULL});
}

static void draw_courses(struct report *r, const struct regress_task *t)
{
	bool *drawn = calloc(t->h.keys.count + 1, sizeof *drawn);
	fputs("<div class=\"figures\">\n", r->page);
	for (int i = 0; drawn && i < COURSES; i++) {
		size_t k = next_interesting(t, drawn);
		if (k == t->h.keys.count)
			break;
		drawn[k] = true;
		draw_course(r, t, k);
	}
	fputs("</div>\n", r->page);
	free(drawn);
}

static void put_runs(struct report *r, const struct history *h)
{
	char changes[512];
	struct output *o = report_output(r, "Runs");
	output_column(o, "run", "", -1);
	output_column(o, "time", "", -1);
	output_column(o, "rows", "", 0);
	output_column(o, "changed", "", -1);
	for (size_t i = 0; i < h->runs; i++) {
		*changes = 0;
		if (i)
			environment_difference(&h->run[i - 1], &h->run[i], changes, sizeof changes);
		output_row(o);
		output_text(o, TONE_PLAIN, "%s", h->run[i].name);
		output_text(o, TONE_PLAIN, "%s", h->run[i].time);
		output_number(o, (double)h->run[i].rows);
		output_text(o, TONE_PLAIN, "%s", changes);
	}
	output_close(o);
}

enum status report_history(struct report *r, const char *path)
{
	struct regress_task t = {0};
	enum status s = history_pinned(path, t.pin, sizeof t.pin);
	if (!s)
		s = history_read(path, t.pin, &t.h);
	if (!s && !t.h.runs)
		s = fail(ST_USAGE, "'%s' holds no run", path);
	if (!s)
		s = regress_task_judge(&t, &regress_default);
	if (!s) {
		report_section(r, "History");
		struct output *o = report_output(r, "");
		report_judged(r, regress_put(o, &t, &regress_default, true));
		output_close(o);
		draw_courses(r, &t);
		put_runs(r, &t.h);
		report_section_end(r);
	}
	free(t.at);
	history_free(&t.h);
	return s;
}
