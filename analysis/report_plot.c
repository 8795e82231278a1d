/* report_plot.c - draws with gnuplot into a file, then takes the drawing into the page: ink follows the
 * page's colour, names of parts get the figure's number in front. */
#include "analysis/html.h"
#include "analysis/report.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { ARGUMENTS = 16 };

FILE *report_data(struct report *r)
{
	char path[REPORT_PATH];
	if (!*r->plots)
		return NULL;
	snprintf(path, sizeof path, "%s/figure%d.csv", r->folder, ++r->figures);
	FILE *data = fopen(path, "we");
	if (!data)
		fail(ST_SYSTEM, "cannot write '%s': %s", path, strerror(errno));
	return data;
}

/* gnuplot's complaints go to a file: they are told when it fails. */
static bool run_gnuplot(const struct report *r, char **argv)
{
	char log[REPORT_PATH];
	posix_spawn_file_actions_t files;
	pid_t child;
	int status = 1;
	snprintf(log, sizeof log, "%s/log", r->folder);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int error = posix_spawnp(&child, argv[0], &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	while (!error && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (!error && WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	char line[256] = "";
	FILE *said = fopen(log, "re");
	while (said && fgets(line, sizeof line, said) && line[strspn(line, " \t\n")] == 0)
		;
	if (said)
		fclose(said);
	line[strcspn(line, "\r\n")] = 0;
	fail(ST_SYSTEM, "gnuplot cannot draw '%s': %s", argv[4], error ? strerror(error) : line);
	return false;
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t bytes = 0;
	if (!file)
		return NULL;
	if (getdelim(&text, &bytes, 0, file) < 0) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

struct exchange {
	const char *from;
	const char *to; /* %d is the figure's number */
};

static const struct exchange exchanges[] = {
        {"rgb( 36,  41,  47)", "currentColor"},
        {"rgb(36,41,47)", "currentColor"},
        {"stroke=\"black\"", "stroke=\"currentColor\""},
        {" color=\"black\"", ""},
        {"color='white'", "color='transparent'"}, /* halos of points */
        {"rgb(208, 215, 222)", "#8885"},
        {"'gp", "'f%dgp"},
        {"#gp", "#f%dgp"},
        {"'textbox'", "'f%dtextbox'"},
        {"#textbox", "#f%dtextbox"},
        {"'greybox'", "'f%dgreybox'"},
        {"#greybox", "#f%dgreybox"},
        {"\"gnuplot_canvas\"", "\"f%dcanvas\""},
        {"font-family=\"sans\"", "font-family=\"inherit\""},
};

static const struct exchange *find_exchange(const char *at)
{
	for (size_t i = 0; i < sizeof exchanges / sizeof *exchanges; i++)
		if (!strncmp(at, exchanges[i].from, strlen(exchanges[i].from)))
			return &exchanges[i];
	return NULL;
}

static void put_number(FILE *page, const char *text, int number)
{
	const char *place = strstr(text, "%d");
	if (place)
		fprintf(page, "%.*s%d%s", (int)(place - text), text, number, place + 2);
	else
		fputs(text, page);
}

static void put_drawing(const struct report *r, const char *svg)
{
	const char *at = strstr(svg, "<svg");
	for (; at && *at;) {
		const struct exchange *e = find_exchange(at);
		if (e)
			put_number(r->page, e->to, r->figures);
		else
			fputc(*at, r->page);
		at += e ? strlen(e->from) : 1;
	}
}

void report_draw(struct report *r, FILE *data, const char *script, const char *const *more)
{
	char name[64], gp[REPORT_PATH + 64], csv[REPORT_PATH], out[REPORT_PATH];
	if (!data || fclose(data))
		return;
	snprintf(name, sizeof name, "plot_name='figure%d'", r->figures);
	snprintf(gp, sizeof gp, "%s/%s", r->plots, script);
	snprintf(csv, sizeof csv, "%s/figure%d.csv", r->folder, r->figures);
	snprintf(out, sizeof out, "%s/figure%d.svg", r->folder, r->figures);
	char *argv[ARGUMENTS] = {(char[]){"gnuplot"}, (char[]){"-e"}, name, (char[]){"-c"}, gp, csv, out};
	char *words[ARGUMENTS] = {NULL};
	int count = 7;
	for (int i = 0; more[i] && count < ARGUMENTS - 1; i++)
		argv[count++] = words[i] = strdup(more[i]);
	char *svg = run_gnuplot(r, argv) ? read_file(out) : NULL;
	if (svg) {
		fputs("<figure>", r->page);
		put_drawing(r, svg);
		fputs("</figure>\n", r->page);
	}
	free(svg);
	for (int i = 0; i < ARGUMENTS; i++)
		free(words[i]);
}
