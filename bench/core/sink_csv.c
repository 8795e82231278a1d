/* sink_csv.c - summary.csv, raw.csv and the facts of a run, in the folder of --csv.
 *
 * Several plans and programs may add to one folder. A file starts with its header, put there in one step so
 * that no one sees half of it; rows follow as whole lines, one write each under a lock, and are on disk
 * before the next case starts. A crash costs the row it is in; a full disk leaves no half row behind. */
#include "bench/core/sink.h"

#include "bench/core/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
	const char *name;
	int fd;
};

static struct file summary = {"summary.csv", -1}, raw = {"raw.csv", -1};
static char folder[PLAN_PATH_BYTES];

static bool wanted(const struct plan *plan)
{
	return plan->csv_dir[0];
}

/* With all folders above it. */
static enum status make_folder(const char *path)
{
	char part[PLAN_PATH_BYTES];
	snprintf(part, sizeof part, "%s", path);
	for (char *at = part + 1; *at; at++)
		if (*at == '/') {
			*at = 0;
			if (mkdir(part, 0777) && errno != EEXIST)
				break;
			*at = '/';
		}
	if (mkdir(part, 0777) && errno != EEXIST)
		return fail(ST_SYSTEM, "cannot make folder '%s' for --csv: %s", path, strerror(errno));
	return ST_OK;
}

/* ---- text that goes to a file as one piece ---- */

struct text {
	FILE *f;
	char *at;
	size_t bytes;
};

static enum status text_open(struct text *t)
{
	*t = (struct text){0};
	t->f = open_memstream(&t->at, &t->bytes);
	return t->f ? ST_OK : fail(ST_NOMEM, "no memory for a row in '%s'", folder);
}

static enum status text_close(struct text *t)
{
	bool failed = ferror(t->f);
	failed = fclose(t->f) || failed;
	return failed ? fail(ST_NOMEM, "no memory for a row in '%s'", folder) : ST_OK;
}

/* ---- files ---- */

static enum status append(const struct file *file, const struct text *t)
{
	enum status s = ST_OK;
	if (!t->bytes)
		return ST_OK;
	flock(file->fd, LOCK_EX); /* others that write here must not come between; a file system without
	                             locks still appends whole */
	off_t end = lseek(file->fd, 0, SEEK_END);
	char last = '\n'; /* a writer that was killed in the middle of a row must not take this one along */
	if (end > 0 && pread(file->fd, &last, 1, end - 1) == 1 && last != '\n' &&
	        write(file->fd, "\n", 1) == 1)
		end++;
	ssize_t wrote = write(file->fd, t->at, t->bytes);
	bool cut = wrote >= 0 && (size_t)wrote < t->bytes;
	if (wrote != (ssize_t)t->bytes || fdatasync(file->fd))
		s = fail(ST_SYSTEM, "cannot write to '%s/%s': %s; rows so far are kept", folder, file->name,
		        cut ? "the disk is full" : strerror(errno));
	if (cut && (end < 0 || ftruncate(file->fd, end)))
		fail(ST_SYSTEM, "the last row of '%s/%s' is cut off", folder, file->name);
	flock(file->fd, LOCK_UN);
	return s;
}

/* A file that exists must begin with this header: rows of another schema are not mixed in. An empty one gets
 * it. */
static enum status check_header(const struct file *file, const struct text *header)
{
	flock(file->fd, LOCK_EX);
	if (lseek(file->fd, 0, SEEK_END) == 0)
		return append(file, header);
	flock(file->fd, LOCK_UN);
	char *found = calloc(1, header->bytes + 1);
	if (!found)
		return fail(ST_NOMEM, "no memory for '%s'", file->name);
	bool same = pread(file->fd, found, header->bytes, 0) == (ssize_t)header->bytes &&
	            !memcmp(found, header->at, header->bytes);
	free(found);
	if (same)
		return ST_OK;
	return fail(ST_USAGE, "'%s/%s' was written with other columns; give --csv another folder", folder,
	        file->name);
}

static enum status create_file(const char *path, const struct text *header)
{
	char fresh[PLAN_PATH_BYTES + 64];
	snprintf(fresh, sizeof fresh, "%s.%d", path, (int)getpid());
	struct file file = {
	        strrchr(fresh, '/') + 1, open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
	if (file.fd < 0)
		return fail(ST_SYSTEM, "cannot create '%s': %s", path, strerror(errno));
	enum status s = append(&file, header);
	close(file.fd);
	if (s == ST_OK && link(fresh, path) && errno != EEXIST)
		s = fail(ST_SYSTEM, "cannot create '%s': %s", path, strerror(errno));
	unlink(fresh);
	return s;
}

static enum status open_file(struct file *file, void (*print_header)(FILE *))
{
	char path[PLAN_PATH_BYTES + 32];
	struct text header;
	enum status s = text_open(&header);
	if (s != ST_OK)
		return s;
	print_header(header.f);
	s = text_close(&header);
	snprintf(path, sizeof path, "%s/%s", folder, file->name);
	if (s == ST_OK && access(path, F_OK))
		s = create_file(path, &header);
	if (s == ST_OK) {
		file->fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
		s = file->fd < 0 ? fail(ST_SYSTEM, "cannot open '%s': %s", path, strerror(errno))
		                 : check_header(file, &header);
	}
	free(header.at);
	return s;
}

static void close_file(struct file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

/* ---- the sink ---- */

static enum status begin(const struct world *w, const struct plan *plan, const struct run_facts *facts)
{
	(void)w;
	snprintf(folder, sizeof folder, "%s", plan->csv_dir);
	enum status s = make_folder(folder);
	if (s == ST_OK)
		s = open_file(&summary, record_print_header);
	if (s == ST_OK)
		s = open_file(&raw, raw_print_header);
	return s == ST_OK ? provenance_write(facts, plan, folder) : s;
}

/* The samples first: a summary row promises that they are there. */
static enum status write_record(
        const struct plan *plan, const struct record *r, const struct samples *samples)
{
	struct text rows, line;
	enum status s = text_open(&rows);
	if (s != ST_OK)
		return s;
	raw_print_rows(rows.f, plan, r, samples);
	s = text_close(&rows);
	if (s == ST_OK)
		s = append(&raw, &rows);
	free(rows.at);
	if (s == ST_OK)
		s = text_open(&line);
	if (s != ST_OK)
		return s;
	record_print_row(line.f, r);
	s = text_close(&line);
	if (s == ST_OK)
		s = append(&summary, &line);
	free(line.at);
	return s;
}

static enum status row(const struct plan *plan, const struct row *row)
{
	enum status s = ST_OK;
	for (int i = 0; i < row->group_count && s == ST_OK; i++)
		s = write_record(plan, &row->groups[i], &row->samples[i]);
	return s;
}

static enum status end(const struct plan *plan, const struct summary *sum)
{
	(void)plan, (void)sum;
	close_file(&summary);
	close_file(&raw);
	return ST_OK;
}

const struct sink sink_csv = {
        .name = "csv",
        .wanted = wanted,
        .begin = begin,
        .row = row,
        .end = end,
};
