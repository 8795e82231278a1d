/* report_page.c - the frame of the page: its style sheet, sections, figures. Nothing in it is loaded from
 * anywhere. */
#include "analysis/command.h"
#include "analysis/html.h"
#include "analysis/report.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char style[] =
        ":root { color-scheme: light dark; --ink: #24292f; --page: #ffffff; --card: #f6f8fa; --line: "
        "#d0d7de;\n"
        "  --good: #1a7f37; --warn: #9a6700; --bad: #cf222e; --dim: #57606a }\n"
        "@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --page: #0d1117; --card: #161b22;\n"
        "  --line: #30363d; --good: #3fb950; --warn: #d29922; --bad: #f85149; --dim: #8b949e } }\n"
        "* { box-sizing: border-box }\n"
        "body { margin: 0 auto; max-width: 76rem; padding: 1.5rem 1rem 4rem; background: var(--page); color: "
        "var(--ink);\n"
        "  font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif }\n"
        "h1 { font-size: 1.6rem; margin: 0 0 1rem; overflow-wrap: anywhere }\n"
        "h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; padding-bottom: .3rem; border-bottom: 1px solid "
        "var(--line) }\n"
        "h3 { font-size: 1rem; margin: 1.5rem 0 .5rem }\n"
        "p { margin: .3rem 0; overflow-wrap: anywhere } p.dim, td.dim { color: var(--dim) }\n"
        "p.fact { padding: .5rem .8rem; background: var(--card); border-left: 4px solid var(--line); "
        "border-radius: 4px }\n"
        "p.fact.good { border-color: var(--good) } p.fact.warn { border-color: var(--warn) }\n"
        "p.fact.bad { border-color: var(--bad) } td.good { color: var(--good) } td.warn { color: var(--warn) "
        "}\n"
        "td.bad { color: var(--bad); font-weight: 600 }\n"
        ".figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); "
        "gap: 1rem }\n"
        "figure { margin: .5rem 0; padding: .5rem; background: var(--card); border: 1px solid var(--line);\n"
        "  border-radius: 6px; max-width: 60rem; overflow-x: auto; break-inside: avoid } figure svg { "
        "display: block; width: 100%; height: auto "
        "}\n"
        ".rows { margin: .5rem 0 1rem; max-height: 26rem; overflow: auto; border: 1px solid var(--line);\n"
        "  border-radius: 6px } table { border-collapse: collapse; width: 100%; font-size: .85rem;\n"
        "  font-variant-numeric: tabular-nums } th, td { padding: .25rem .6rem; text-align: left; "
        "white-space: nowrap;\n"
        "  border-bottom: 1px solid var(--line) } th { position: sticky; top: 0; background: var(--card) }\n"
        "th.number, td.number { text-align: right }\n"
        "pre { margin: 0; padding: .8rem; max-height: 26rem; overflow: auto; background: var(--card); "
        "font-size: .8rem;\n"
        "  border: 1px solid var(--line); border-radius: 6px }\n"
        "@media print { :root { color-scheme: light; --ink: #000; --page: #fff; --card: #fff; --line: #bbb; "
        "--dim: #444 }\n"
        "  body { max-width: none; padding: 0; font-size: 11px } .rows, pre { max-height: none; overflow: "
        "visible }\n"
        "  table { font-size: 8px } th { position: static } h2 { break-after: avoid } }\n";

static bool has_program(const char *name)
{
	const char *path = getenv("PATH");
	char file[REPORT_PATH];
	while (path && *path) {
		size_t length = strcspn(path, ":");
		snprintf(file, sizeof file, "%.*s/%s", (int)length, path, name);
		if (!access(file, X_OK))
			return true;
		path += length + (path[length] == ':');
	}
	return false;
}

/* The .gp files: named by BUSBAR_PLOTS, else beside the sources or installed, seen from the program. */
static void find_plots(char *folder)
{
	static const char *const beside[] = {"../analysis", "../share/busbar"};
	char self[REPORT_PATH / 2], style_file[REPORT_PATH + 16];
	const char *named = getenv("BUSBAR_PLOTS");
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	self[length > 0 ? length : 0] = 0;
	char *slash = strrchr(self, '/');
	*(slash ? slash : self) = 0;
	for (size_t i = 0; i < 1 + sizeof beside / sizeof *beside; i++) {
		if (!i)
			snprintf(folder, REPORT_PATH, "%s", named ? named : "");
		else
			snprintf(folder, REPORT_PATH, "%s/%s", self, beside[i - 1]);
		snprintf(style_file, sizeof style_file, "%s/style.gp", folder);
		if (*folder && !access(style_file, R_OK))
			return;
	}
	*folder = 0;
}

enum status report_open(struct report *r, FILE *page, const char *title)
{
	*r = (struct report){.page = page};
	const char *temporary = getenv("TMPDIR");
	snprintf(r->folder, sizeof r->folder, "%.40s/busbar.XXXXXX",
	        temporary && *temporary ? temporary : "/tmp");
	if (!mkdtemp(r->folder))
		return fail(ST_SYSTEM, "cannot make a folder for plots in '%s': %s",
		        temporary ? temporary : "/tmp", strerror(errno));
	if (has_program("gnuplot"))
		find_plots(r->plots);
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
	        page);
	html_text(page, title);
	fprintf(page, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<h1>", style);
	html_text(page, title);
	fputs("</h1>\n", page);
	if (!*r->plots)
		report_text(r, "note warn",
		        has_program("gnuplot") ? "no plots: the .gp files are not beside the program, "
		                                 "BUSBAR_PLOTS names their folder"
		                               : "no plots: gnuplot is not installed");
	return ST_OK;
}

static void remove_folder(const char *folder)
{
	DIR *dir = opendir(folder);
	char path[REPORT_PATH];
	for (struct dirent *e; dir && (e = readdir(dir));) {
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		unlink(path);
	}
	if (dir)
		closedir(dir);
	rmdir(folder);
}

bool report_close(struct report *r)
{
	fputs("</body>\n</html>\n", r->page);
	remove_folder(r->folder);
	return !fflush(r->page) && !ferror(r->page);
}

void report_section(struct report *r, const char *title)
{
	fputs("<section>\n<h2>", r->page);
	html_text(r->page, title);
	fputs("</h2>\n", r->page);
}

void report_section_end(struct report *r)
{
	fputs("</section>\n", r->page);
}

struct output *report_output(struct report *r, const char *title)
{
	return output_open(r->page, OUTPUT_HTML, title);
}

void report_judged(struct report *r, int code)
{
	static const int order[] = {EXIT_PASS, EXIT_NOT_JUDGED, EXIT_UNREADABLE, EXIT_VERDICT_FAIL};
	size_t now = 0, then = 0;
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		now = order[i] == r->worst ? i : now;
		then = order[i] == code ? i : then;
	}
	r->worst = order[then > now ? then : now];
}

void report_text(struct report *r, const char *class, const char *text)
{
	fprintf(r->page, "<p class=\"%s\">", class);
	html_text(r->page, text);
	fputs("</p>\n", r->page);
}
