/* cmd_history.c - busbar history: add a run, list the runs, show a configuration's course, pin the accepted
 * state. */
#include "analysis/arguments.h"
#include "analysis/history.h"
#include "analysis/output.h"

#include <math.h>
#include <string.h>

struct asked {
	const char *path, *name;
	enum output_format format;
	char **operand; /* behind the verb */
	int operands;
};

static int add_run(const struct asked *a)
{
	size_t rows = 0;
	if (history_add(a->path, a->operand[0], a->name, &rows))
		return EXIT_UNREADABLE;
	struct output *o = output_open(stdout, a->format, "");
	output_fact(o, "added", TONE_GOOD, "%zu rows of '%s' to '%s'", rows, a->operand[0], a->path);
	return output_close(o) ? EXIT_UNREADABLE : EXIT_PASS;
}

static int finish(struct output *o, const struct history *h)
{
	if (h->bad)
		output_note(o, TONE_WARN, "%zu broken rows were left out", h->bad);
	return output_close(o) || h->bad ? EXIT_UNREADABLE : EXIT_PASS;
}

static int list_runs(const struct asked *a)
{
	struct history h;
	char pin[256], changes[512];
	if (history_pinned(a->path, pin, sizeof pin) || history_read(a->path, NULL, &h))
		return EXIT_UNREADABLE;
	struct output *o = output_open(stdout, a->format, "");
	output_column(o, "run", "", -1);
	output_column(o, "time", "", -1);
	output_column(o, "rows", "", 0);
	output_column(o, "wrong", "", 0);
	output_column(o, "pinned", "", -1);
	output_column(o, "changed", "", -1);
	for (size_t i = 0; i < h.runs; i++) {
		*changes = 0;
		if (i)
			environment_difference(&h.run[i - 1], &h.run[i], changes, sizeof changes);
		output_row(o);
		output_text(o, TONE_PLAIN, "%s", h.run[i].name);
		output_text(o, TONE_DIM, "%s", h.run[i].time);
		output_number(o, (double)h.run[i].rows);
		output_number(o, h.run[i].wrong_rows ? (double)h.run[i].wrong_rows : NAN);
		output_text(o, TONE_GOOD, "%s", strcmp(pin, h.run[i].name) ? "" : "pinned");
		output_text(o, TONE_PLAIN, "%s", changes);
	}
	int code = finish(o, &h);
	history_free(&h);
	return code;
}

/* Every part of the pattern ("all_reduce 1048576 socket") is a field of the key. */
static bool matches(const char *key, char **part, int parts)
{
	for (int i = 0; i < parts; i++) {
		size_t length = strlen(part[i]);
		bool found = false;
		for (const char *at = key; at && !found; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
			found = !strncmp(at, part[i], length) && (!at[length] || at[length] == '|');
		if (!found)
			return false;
	}
	return true;
}

static void put_point(
        struct output *o, const struct history *h, const char *key, const struct run_point *p, double first)
{
	output_row(o);
	output_text(o, TONE_PLAIN, "%s", key);
	output_text(o, TONE_PLAIN, "%s", h->run[p->run].name);
	output_text(o, TONE_DIM, "%s", h->run[p->run].time);
	output_number(o, exp(p->mean));
	output_number(o, exp(p->median));
	output_number(o, p->mean_error > 0 ? 100 * p->mean_error : NAN);
	output_number(o, 100 * expm1(p->mean - first));
}

static int show_course(const struct asked *a)
{
	struct history h;
	if (history_read(a->path, NULL, &h))
		return EXIT_UNREADABLE;
	struct output *o = output_open(stdout, a->format, "");
	size_t shown = 0;
	output_column(o, "configuration", "", -1);
	output_column(o, "run", "", -1);
	output_column(o, "time", "", -1);
	output_column(o, "mean_ns", "ns", 0);
	output_column(o, "median_ns", "ns", 0);
	output_column(o, "error", "%", 2);
	output_column(o, "against_first", "%", 2);
	output_fold(o);
	for (size_t k = 0; k < h.keys.count; k++) {
		if (!matches(h.keys.at[k].text, a->operand, a->operands))
			continue;
		shown++;
		for (size_t i = 0; i < h.series[k].points; i++)
			put_point(o, &h, h.keys.at[k].text, &h.series[k].point[i], h.series[k].point[0].mean);
	}
	output_note(o, TONE_DIM, "%zu of %zu configurations match", shown, h.keys.count);
	int code = finish(o, &h);
	history_free(&h);
	return code == EXIT_PASS && !shown ? EXIT_NOT_JUDGED : code;
}

static int pin_run(const struct asked *a)
{
	if (history_pin(a->path, a->operand[0]))
		return EXIT_UNREADABLE;
	struct output *o = output_open(stdout, a->format, "");
	output_fact(o, "pinned", TONE_GOOD, "%s: busbar regress judges from this run on", a->operand[0]);
	return output_close(o) ? EXIT_UNREADABLE : EXIT_PASS;
}

static const struct verb {
	const char *name, *synopsis;
	int least, most;
	int (*run)(const struct asked *);
} verbs[] = {
        {"add", "RUN [--name NAME]", 1, 1, add_run},
        {"list", "", 0, 0, list_runs},
        {"show", "[FIELD ...]", 0, 64, show_course},
        {"pin", "RUN-NAME", 1, 1, pin_run},
};

static int run_verb(struct asked *a, const char *name)
{
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
		if (strcmp(verbs[i].name, name))
			continue;
		if (a->operands >= verbs[i].least && a->operands <= verbs[i].most)
			return verbs[i].run(a);
		fail(ST_USAGE, "write busbar history %s %s", name, verbs[i].synopsis);
		return EXIT_UNREADABLE;
	}
	fail(ST_USAGE, "history cannot '%s': it can add, list, show and pin", name);
	return EXIT_UNREADABLE;
}

static const char more[] = "add appends the rows of a run folder, all or none, under a lock. list shows the "
                           "runs and what changed\n"
                           "between them. show prints the course of the configurations that have all the "
                           "fields given (all_reduce\n"
                           "socket 1048576). pin names the run from which on busbar regress judges: changes "
                           "before it are accepted.\n";

static int run_history(int argc, char **argv)
{
	struct asked a = {.path = history_default};
	const struct argument table[] = {
	        {"history", ARGUMENT_TEXT, &a.path, "the file (default results/history.csv)"},
	        {"name", ARGUMENT_TEXT, &a.name, "add: what to call the run (default: its folder's name)"},
	        {"format", ARGUMENT_FORMAT, &a.format, "how to print"},
	        {NULL, 0, NULL, NULL},
	};
	struct arguments arguments = {
	        .command = &command_history,
	        .table = table,
	        .more = more,
	        .least = 1,
	        .most = 66,
	};
	int code = arguments_parse(&arguments, argc, argv);
	if (code != ARGUMENTS_GO_ON)
		return code;
	a.operand = arguments.operand + 1;
	a.operands = arguments.operands - 1;
	return run_verb(&a, arguments.operand[0]);
}

const struct command command_history = {
        .name = "history",
        .synopsis = "add RUN | list | show [FIELD ...] | pin RUN-NAME  [--history FILE]",
        .help = "keeps results of runs in one file, and shows their course",
        .run = run_history,
};
