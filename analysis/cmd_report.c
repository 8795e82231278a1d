/* cmd_report.c - busbar report: writes the page beside the run, or where it is told, whole or not at all. */
#include "analysis/arguments.h"
#include "analysis/report.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct asked {
	const char *path, *against, *pairs, *history, *out, *title;
};

static bool is_folder(const char *path)
{
	struct stat st;
	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* report.html in the run's folder, or beside the history. */
static void default_out(const char *path, char *out, size_t bytes)
{
	char copy[REPORT_PATH];
	snprintf(copy, sizeof copy, "%s", path);
	snprintf(out, bytes, "%s/report.html", is_folder(path) ? path : dirname(copy));
}

static void default_title(const char *path, char *title, size_t bytes)
{
	char copy[REPORT_PATH];
	snprintf(copy, sizeof copy, "%s", path);
	snprintf(title, bytes, "busbar: %s", basename(copy));
}

static enum status write_sections(struct report *r, const struct asked *a)
{
	enum status s = is_folder(a->path) ? report_run(r, a->path) : report_history(r, a->path);
	if (!s && a->against)
		s = report_tiers(r, a->path, a->against);
	if (!s && a->pairs)
		s = report_pairs(r, a->pairs);
	if (!s && a->history)
		s = report_history(r, a->history);
	return s;
}

static int write_page(const struct asked *a, const char *out, const char *title)
{
	char fresh[REPORT_PATH + 32];
	struct report r;
	snprintf(fresh, sizeof fresh, "%s.%d", out, (int)getpid());
	FILE *page = fopen(fresh, "we");
	if (!page) {
		fail(ST_USAGE, "cannot write '%s': %s", out, strerror(errno));
		return EXIT_UNREADABLE;
	}
	enum status s = report_open(&r, page, title);
	if (!s) {
		s = write_sections(&r, a);
		if (!report_close(&r) && !s)
			s = fail(ST_SYSTEM, "cannot write '%s': %s", out, strerror(errno));
	}
	if (fclose(page) && !s)
		s = fail(ST_SYSTEM, "cannot write '%s': %s", out, strerror(errno));
	if (!s && rename(fresh, out))
		s = fail(ST_SYSTEM, "cannot write '%s': %s", out, strerror(errno));
	if (s) {
		unlink(fresh);
		return EXIT_UNREADABLE;
	}
	printf("%s\n", out);
	return r.worst;
}

static const char more[] =
        "A RUN is a folder with summary.csv; anything else is read as a history. The page holds the "
        "verdicts, plots,\n"
        "facts and every row behind the plots; it needs no network, and gnuplot only while it is written.\n"
        "The exit code is that of the gravest verdict in it.\n";

static int run_report(int argc, char **argv)
{
	struct asked a = {0};
	char out[REPORT_PATH], title[REPORT_PATH];
	const struct argument table[] = {
	        {"out", ARGUMENT_TEXT, &a.out,
	                "the file (default report.html in the run's folder or beside the history)"},
	        {"title", ARGUMENT_TEXT, &a.title, "of the page"},
	        {"against", ARGUMENT_TEXT, &a.against, "a run on another network, to compare with"},
	        {"pairs", ARGUMENT_TEXT, &a.pairs, "a pair matrix, to be judged too"},
	        {"history", ARGUMENT_TEXT, &a.history, "a history, to be judged too"},
	        {NULL, 0, NULL, NULL},
	};
	struct arguments arguments = {
	        .command = &command_report, .table = table, .more = more, .least = 1, .most = 1};
	int code = arguments_parse(&arguments, argc, argv);
	if (code != ARGUMENTS_GO_ON)
		return code;
	a.path = arguments.operand[0];
	if (a.against && !is_folder(a.path)) {
		fail(ST_USAGE, "--against compares runs, and '%s' is not a run folder", a.path);
		return EXIT_UNREADABLE;
	}
	default_out(a.path, out, sizeof out);
	default_title(a.path, title, sizeof title);
	return write_page(&a, a.out ? a.out : out, a.title ? a.title : title);
}

const struct command command_report = {
        .name = "report",
        .synopsis = "RUN|HISTORY [--against RUN] [--pairs FILE] [--history FILE] [--out FILE]",
        .help = "one page with verdicts, plots, facts and rows, for a browser",
        .run = run_report,
};
