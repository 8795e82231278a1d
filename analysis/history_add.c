/* history_add.c - appends the rows of a run under a lock, all or none, and keeps the pin. */
#include "analysis/history.h"
#include "analysis/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* "results/runs/2026-12-01_host_quick/" is the run 2026-12-01_host_quick. */
static void name_of_folder(const char *folder, char *name, size_t bytes)
{
	char copy[512];
	snprintf(copy, sizeof copy, "%s", folder);
	snprintf(name, bytes, "%s", basename(copy));
}

static void print_head(FILE *to)
{
	fputs("run,environment,", to);
	record_print_header(to);
}

static void print_rows(FILE *to, const struct rows *rows, const char *name, const char *environment)
{
	for (size_t i = 0; i < rows->count; i++) {
		csv_field(to, name);
		fputc(',', to);
		csv_field(to, environment);
		fputc(',', to);
		record_print_row(to, &rows->row[i]);
	}
}

/* The file's first line must be ours: columns of another schema are not mixed in. */
static enum status check_head(int fd, const char *path, const char *head, size_t bytes)
{
	char *found = malloc(bytes);
	if (!found)
		return fail(ST_NOMEM, "out of memory before writing '%s'", path);
	bool same = pread(fd, found, bytes, 0) == (ssize_t)bytes && !memcmp(found, head, bytes);
	free(found);
	return same ? ST_OK
	            : fail(ST_USAGE, "'%s' has other columns than this busbar writes: move it away", path);
}

static bool has_run(const char *path, const char *name, enum status *status_p)
{
	struct history h;
	*status_p = history_read(path, NULL, &h);
	if (*status_p)
		return false;
	bool found = false;
	for (size_t i = 0; i < h.runs; i++)
		found = found || !strcmp(h.run[i].name, name);
	history_free(&h);
	return found;
}

/* A line that some crash cut off is ended, so that it stays alone: readers leave it out and say so. */
static bool ends_in_half_a_row(int fd, off_t bytes)
{
	char last;
	return bytes > 0 && pread(fd, &last, 1, bytes - 1) == 1 && last != '\n';
}

static enum status write_or_undo(int fd, const char *path, const char *text, size_t bytes, off_t before)
{
	size_t done = 0;
	while (done < bytes) {
		ssize_t wrote = write(fd, text + done, bytes - done);
		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			break;
		done += (size_t)wrote;
	}
	if (done == bytes && !fdatasync(fd))
		return ST_OK;
	const char *why = strerror(errno);
	if (ftruncate(fd, before))
		return fail(
		        ST_SYSTEM, "cannot write '%s' (%s), nor take back what was written of it", path, why);
	return fail(ST_SYSTEM, "cannot write '%s': %s; nothing was added", path, why);
}

/* Under the lock. */
static enum status append(int fd, const char *path, const char *name, const char *text, size_t bytes)
{
	struct stat st;
	char *head = NULL, *all = NULL;
	size_t head_bytes = 0, all_bytes = 0;
	if (fstat(fd, &st))
		return fail(ST_SYSTEM, "cannot read '%s': %s", path, strerror(errno));
	FILE *to = open_memstream(&head, &head_bytes);
	if (!to)
		return fail(ST_NOMEM, "out of memory before writing '%s'", path);
	print_head(to);
	fclose(to);
	enum status s = st.st_size ? check_head(fd, path, head, head_bytes) : ST_OK;
	if (!s && st.st_size && has_run(path, name, &s))
		s = fail(ST_USAGE, "'%s' holds a run '%s' already: give this one another --name", path, name);
	to = s ? NULL : open_memstream(&all, &all_bytes);
	if (to) {
		fputs(ends_in_half_a_row(fd, st.st_size) ? "\n" : "", to);
		fputs(st.st_size ? "" : head, to);
		fwrite(text, 1, bytes, to);
		s = fclose(to) ? fail(ST_NOMEM, "out of memory before writing '%s'", path)
		               : write_or_undo(fd, path, all, all_bytes, st.st_size);
	}
	free(head);
	free(all);
	return s;
}

static enum status append_locked(const char *path, const char *name, const char *text, size_t bytes)
{
	int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0)
		return fail(ST_USAGE, "cannot open '%s': %s", path, strerror(errno));
	enum status s = flock(fd, LOCK_EX) ? fail(ST_SYSTEM, "cannot lock '%s': %s", path, strerror(errno))
	                                   : append(fd, path, name, text, bytes);
	close(fd);
	return s;
}

enum status history_add(const char *path, const char *run_folder, const char *name, size_t *rows_p)
{
	struct rows rows;
	char folder_name[256], *environment = NULL, *text = NULL;
	size_t bytes = 0;
	name_of_folder(run_folder, folder_name, sizeof folder_name);
	name = name ? name : folder_name;
	enum status s = rows_read(run_folder, &rows);
	if (s)
		return s;
	if (!rows.count)
		s = fail(ST_USAGE, "'%s' holds no row that could be added", rows.source);
	if (!s)
		s = environment_of(run_folder, &environment);
	FILE *to = s ? NULL : open_memstream(&text, &bytes);
	if (to) {
		print_rows(to, &rows, name, environment);
		s = fclose(to) ? fail(ST_NOMEM, "out of memory for %zu rows", rows.count)
		               : append_locked(path, name, text, bytes);
	}
	*rows_p = rows.count;
	free(environment);
	free(text);
	rows_free(&rows);
	return s;
}

enum status history_pinned(const char *path, char *name, size_t name_bytes)
{
	char pin[600];
	*name = 0;
	snprintf(pin, sizeof pin, "%s.pin", path);
	FILE *file = fopen(pin, "re");
	if (!file)
		return errno == ENOENT ? ST_OK : fail(ST_USAGE, "cannot open '%s': %s", pin, strerror(errno));
	if (!fgets(name, (int)name_bytes, file))
		*name = 0;
	name[strcspn(name, "\r\n")] = 0;
	fclose(file);
	return ST_OK;
}

enum status history_pin(const char *path, const char *name)
{
	char pin[600], fresh[640];
	enum status s;
	bool known = has_run(path, name, &s);
	if (s)
		return s;
	if (!known)
		return fail(ST_USAGE, "'%s' has no run '%s': busbar history list shows them", path, name);
	snprintf(pin, sizeof pin, "%s.pin", path);
	snprintf(fresh, sizeof fresh, "%s.%d", pin, (int)getpid());
	FILE *file = fopen(fresh, "we");
	if (!file)
		return fail(ST_USAGE, "cannot write '%s': %s", fresh, strerror(errno));
	fprintf(file, "%s\n", name);
	if (!fclose(file) && !rename(fresh, pin))
		return ST_OK;
	s = fail(ST_SYSTEM, "cannot write '%s': %s", pin, strerror(errno));
	unlink(fresh);
	return s;
}
