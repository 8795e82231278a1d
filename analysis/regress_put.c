/* regress_put.c - a history judged, and how that is told: the verdict, every changed configuration, since
 * when, what else changed. */
#include "analysis/regress_put.h"
#include "analysis/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct regress_limits regress_default = {0.01, 0.001};

static size_t newest_run(const struct regress_task *t)
{
	return t->h.runs - 1;
}

static bool is_current(const struct regress_task *t, size_t key)
{
	const struct series *s = &t->h.series[key];
	return s->points && s->point[s->points - 1].run == newest_run(t);
}

/* Only keys that the newest run measured are judged; of others there is nothing new to say. */
enum status regress_task_judge(struct regress_task *t, const struct regress_limits *limits)
{
	struct series *current = calloc(t->h.keys.count + 1, sizeof *current);
	struct regression *judged = calloc(t->h.keys.count + 1, sizeof *judged);
	t->at = calloc(t->h.keys.count + 1, sizeof *t->at);
	size_t count = 0;
	enum status s = current && judged && t->at
	                        ? ST_OK
	                        : fail(ST_NOMEM, "out of memory for %zu configurations", t->h.keys.count);
	for (size_t k = 0; !s && k < t->h.keys.count; k++)
		if (is_current(t, k))
			current[count++] = t->h.series[k];
	if (!s)
		s = regress_judge(current, count, limits, judged);
	count = 0;
	for (size_t k = 0; !s && k < t->h.keys.count; k++) {
		t->at[k].change = CHANGE_TOO_FEW;
		if (!is_current(t, k)) {
			t->stale++;
			continue;
		}
		t->at[k] = judged[count++];
		t->count[t->at[k].change]++;
		t->compared += t->at[k].change != CHANGE_TOO_FEW;
		t->fresh += t->h.series[k].points == 1;
	}
	free(current);
	free(judged);
	return s;
}

static const char *change_name(enum change change)
{
	static const char *const names[] = {
	        [CHANGE_NONE] = "steady",
	        [CHANGE_TOO_FEW] = "too few runs",
	        [CHANGE_FASTER] = "FASTER",
	        [CHANGE_NEWEST] = "SLOWER",
	        [CHANGE_STEP] = "SLOWER SINCE",
	        [CHANGE_DRIFT] = "DRIFTS",
	};
	return names[change];
}

static size_t worst_key(const struct regress_task *t)
{
	size_t worst = t->h.keys.count;
	for (size_t k = 0; k < t->h.keys.count; k++)
		if (is_current(t, k) && t->at[k].change >= CHANGE_NEWEST &&
		        (worst == t->h.keys.count || t->at[k].effect > t->at[worst].effect))
			worst = k;
	return worst;
}

static size_t regressions(const struct regress_task *t)
{
	return t->count[CHANGE_NEWEST] + t->count[CHANGE_STEP] + t->count[CHANGE_DRIFT];
}

static int put_verdict(struct output *o, const struct regress_task *t)
{
	const struct history_run *newest = &t->h.run[newest_run(t)];
	size_t worst = worst_key(t);
	if (newest->wrong_rows) {
		output_fact(o, "verdict", TONE_BAD, "FAIL, %zu rows of the newest run '%s' hold wrong data",
		        newest->wrong_rows, newest->name);
		return EXIT_VERDICT_FAIL;
	}
	if (regressions(t)) {
		output_fact(o, "verdict", TONE_BAD,
		        "FAIL, %zu of %zu configurations became slower, the worst by %.1f %% since '%s'",
		        regressions(t), t->compared, 100 * t->at[worst].effect,
		        t->h.run[t->at[worst].since_run].name);
		return EXIT_VERDICT_FAIL;
	}
	if (!t->compared) {
		output_fact(o, "verdict", TONE_WARN, "NOT COMPARABLE, %s",
		        t->h.runs < REGRESS_LEAST
		                ? "a judgement needs four runs"
		                : "no configuration of the newest run was measured in three runs before");
		return EXIT_NOT_JUDGED;
	}
	output_fact(o, "verdict", TONE_GOOD, "PASS, none of %zu configurations became slower in '%s'",
	        t->compared, newest->name);
	return t->h.bad ? EXIT_UNREADABLE : EXIT_PASS;
}

static void put_counts(struct output *o, const struct regress_task *t, const struct regress_limits *limits)
{
	output_note(o, TONE_DIM,
	        "%zu runs, %zu configurations in the newest: %zu compared, %zu have too few runs%s%s",
	        t->h.runs, t->compared + t->count[CHANGE_TOO_FEW], t->compared, t->count[CHANGE_TOO_FEW],
	        *t->pin ? ", judged from the pinned run " : "", t->pin);
	output_note(o, TONE_DIM, "slower means by %.2g %% at least, and false alarms in %.2g of runs at most",
	        100 * limits->effect, limits->false_alarm);
	if (t->count[CHANGE_FASTER])
		output_note(o, TONE_GOOD, "%zu became faster", t->count[CHANGE_FASTER]);
	if (t->stale)
		output_note(
		        o, TONE_DIM, "%zu configurations of earlier runs are not in the newest", t->stale);
	if (t->h.bad)
		output_note(o, TONE_WARN, "%zu broken rows were left out", t->h.bad);
}

static size_t differing_fields(const char *a, const char *b)
{
	size_t count = 0;
	while (a && b) {
		size_t la = strcspn(a, "|"), lb = strcspn(b, "|");
		count += la != lb || strncmp(a, b, la);
		a = a[la] ? a + la + 1 : NULL;
		b = b[lb] ? b + lb + 1 : NULL;
	}
	return count;
}

/* "transport_seen shm -> socket": the nearest configuration that earlier runs had. */
static void write_nearest(const struct regress_task *t, size_t key, char *text, size_t bytes)
{
	const struct column *column[64];
	size_t columns = history_key_columns(column, 64), best = key, least = columns;
	*text = 0;
	for (size_t k = 0; k < t->h.keys.count; k++) {
		bool known = t->h.series[k].points && t->h.series[k].point[0].run != newest_run(t);
		size_t differ = known && k != key
		                        ? differing_fields(t->h.keys.at[k].text, t->h.keys.at[key].text)
		                        : columns;
		if (differ < least) {
			least = differ;
			best = k;
		}
	}
	const char *a = t->h.keys.at[best].text, *b = t->h.keys.at[key].text;
	size_t used = best == key ? 0 : (size_t)snprintf(text, bytes, "not comparable: ");
	for (size_t c = 0; best != key && c < columns && a && b && used < bytes; c++) {
		size_t la = strcspn(a, "|"), lb = strcspn(b, "|");
		if (la != lb || strncmp(a, b, la))
			used += (size_t)snprintf(
			        text + used, bytes - used, "%s was '%.*s' ", column[c]->name, (int)la, a);
		a = a[la] ? a + la + 1 : NULL;
		b = b[lb] ? b + lb + 1 : NULL;
	}
}

/* What else changed where the change began. */
static void write_cause(const struct regress_task *t, size_t key, char *text, size_t bytes)
{
	const struct regression *r = &t->at[key];
	*text = 0;
	if (r->change == CHANGE_TOO_FEW && t->h.series[key].points == 1) {
		write_nearest(t, key, text, bytes);
	} else if ((r->change == CHANGE_NEWEST || r->change == CHANGE_STEP || r->change == CHANGE_FASTER) &&
	           r->since_run) {
		environment_difference(&t->h.run[r->since_run - 1], &t->h.run[r->since_run], text, bytes);
		if (!*text)
			snprintf(text, bytes, "nothing else that was recorded");
	} else if (r->change == CHANGE_DRIFT) {
		environment_difference(&t->h.run[r->since_run], &t->h.run[newest_run(t)], text, bytes);
	}
}

static void put_key(struct output *o, const struct regress_task *t, size_t key)
{
	const struct regression *r = &t->at[key];
	const struct series *s = &t->h.series[key];
	char cause[512];
	bool slower = r->change >= CHANGE_NEWEST;
	write_cause(t, key, cause, sizeof cause);
	output_row(o);
	output_text(o,
	        slower                       ? TONE_BAD
	        : r->change == CHANGE_FASTER ? TONE_GOOD
	                                     : TONE_DIM,
	        "%s", change_name(r->change));
	const char *at = t->h.keys.at[key].text;
	const struct column *column[64];
	size_t columns = history_key_columns(column, 64);
	for (size_t c = 0; c < columns; c++) {
		size_t length = at ? strcspn(at, "|") : 0;
		if (!strcmp(column[c]->name, "bytes"))
			output_number(o, at ? strtod(at, NULL) : NAN);
		else
			output_text(o, TONE_PLAIN, "%.*s", (int)length, at ? at : "");
		at = at && at[length] ? at + length + 1 : NULL;
	}
	output_number(o, (double)s->points);
	output_number(o, s->points ? exp(s->point[s->points - 1].mean) : NAN);
	output_number(o, 100 * r->effect);
	output_number(o, 100 * r->low);
	output_number(o, 100 * r->high);
	output_number(o, r->p);
	output_text(o, TONE_PLAIN, "%s", r->change >= CHANGE_FASTER ? t->h.run[r->since_run].name : "");
	output_text(o, TONE_PLAIN, "%s", cause);
}

static void put_columns(struct output *o)
{
	const struct column *column[64];
	size_t columns = history_key_columns(column, 64);
	output_column(o, "change", "", -1);
	for (size_t c = 0; c < columns; c++) {
		bool size = !strcmp(column[c]->name, "bytes");
		output_column(o, column[c]->name, size ? "size" : "", size ? 0 : -1);
	}
	output_column(o, "runs", "", 0);
	output_column(o, "newest_ns", "ns", 0);
	output_column(o, "slower", "%", 2);
	output_column(o, "low", "%", 2);
	output_column(o, "high", "%", 2);
	output_column(o, "p", "", 6);
	output_column(o, "since", "", -1);
	output_column(o, "also_changed", "", -1);
}

int regress_put(
        struct output *o, const struct regress_task *t, const struct regress_limits *limits, bool every_key)
{
	output_fold(o);
	int code = put_verdict(o, t);
	put_counts(o, t, limits);
	put_columns(o);
	/* What changed first. */
	for (size_t k = 0; k < t->h.keys.count; k++)
		if (is_current(t, k) && t->at[k].change >= CHANGE_FASTER)
			put_key(o, t, k);
	for (size_t k = 0; k < t->h.keys.count; k++)
		if (is_current(t, k) && t->at[k].change < CHANGE_FASTER &&
		        (every_key || t->h.series[k].points == 1))
			put_key(o, t, k);
	return code;
}
