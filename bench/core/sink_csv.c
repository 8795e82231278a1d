/* sink_csv.c - summary.csv, raw.csv and the facts of a run, in the folder of --csv.
 *
 * Several plans and programs may add to one folder. A file starts with its header, put there by a rename so
 * that no one sees half of it; rows follow as whole lines, one write each, and are on disk before the next
 * case starts. A crash costs the row it is in. */
#include "bench/core/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char raw_header[] = "schema_version,run_id,collective,backend,transport_asked,dtype,redop,root,"
                                 "placement,group,ranks,bytes,cycle,iteration,"
                                 "elapsed_ns,fastest_ns\n";

/* The key of a raw row is cut from the same columns as summary.csv's. */
static const char *const raw_key[] = {"schema_version", "run_id", "collective", "backend", "transport_asked",
        "dtype", "redop", "root", "placement", "group", "ranks", "bytes", "cycle"};

static int summary_fd = -1, raw_fd = -1;
static char folder[PLAN_PATH_BYTES];

static bool wanted(const struct plan *plan)
{
	return plan->csv_dir[0];
}

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

static enum status write_all(int fd, const char *text, size_t bytes, const char *name)
{
	ssize_t wrote = write(fd, text, bytes);
	if (wrote == (ssize_t)bytes && !fdatasync(fd))
		return ST_OK;
	return fail(ST_SYSTEM, "cannot write to '%s/%s': %s; rows so far are kept", folder, name,
	        wrote >= 0 && (size_t)wrote < bytes ? "the disk is full" : strerror(errno));
}

/* A file that exists must begin with this header: rows of another schema are not mixed in. */
static enum status check_header(int fd, const char *header, const char *name)
{
	size_t bytes = strlen(header);
	char *found = calloc(1, bytes + 1);
	if (!found)
		return fail(ST_NOMEM, "no memory for '%s'", name);
	bool same = pread(fd, found, bytes, 0) == (ssize_t)bytes && !memcmp(found, header, bytes);
	free(found);
	if (same)
		return ST_OK;
	return fail(
	        ST_USAGE, "'%s/%s' was written with other columns; give --csv another folder", folder, name);
}

static enum status open_file(const char *name, const char *header, int *fd_p)
{
	char path[PLAN_PATH_BYTES + 32], fresh[PLAN_PATH_BYTES + 64];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	snprintf(fresh, sizeof fresh, "%s.%d", path, (int)getpid());
	if (access(path, F_OK)) {
		int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (fd < 0)
			return fail(ST_SYSTEM, "cannot create '%s': %s", path, strerror(errno));
		enum status s = write_all(fd, header, strlen(header), name);
		close(fd);
		if (s == ST_OK && link(fresh, path) && errno != EEXIST)
			s = fail(ST_SYSTEM, "cannot create '%s': %s", path, strerror(errno));
		unlink(fresh);
		if (s != ST_OK)
			return s;
	}
	*fd_p = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
	if (*fd_p < 0)
		return fail(ST_SYSTEM, "cannot open '%s': %s", path, strerror(errno));
	return check_header(*fd_p, header, name);
}

static enum status begin(const struct world *w, const struct plan *plan, const struct run_facts *facts)
{
	(void)w;
	char *header;
	size_t bytes;
	snprintf(folder, sizeof folder, "%s", plan->csv_dir);
	enum status s = make_folder(folder);
	if (s == ST_OK)
		s = provenance_write(facts, plan, folder);
	if (s != ST_OK)
		return s;
	FILE *f = open_memstream(&header, &bytes);
	if (!f)
		return fail(ST_NOMEM, "no memory for '%s/summary.csv'", folder);
	record_print_header(f);
	fclose(f);
	s = open_file("summary.csv", header, &summary_fd);
	free(header);
	return s == ST_OK ? open_file("raw.csv", raw_header, &raw_fd) : s;
}

static void print_samples(FILE *f, const struct record *r, const struct samples *samples)
{
	char *key;
	size_t bytes;
	FILE *k = open_memstream(&key, &bytes);
	if (!k)
		return;
	for (size_t i = 0; i < sizeof raw_key / sizeof *raw_key; i++) {
		record_print(record_column(raw_key[i]), k, r);
		putc(',', k);
	}
	fclose(k);
	for (size_t i = 0; i < samples->count; i++)
		fprintf(f, "%s%zu,%lld,%lld\n", key, i, (long long)samples->elapsed_ns[i],
		        (long long)samples->fastest_ns[i]);
	free(key);
}

/* The samples first: a summary row promises that they are there. */
static enum status write_row(const struct record *r, const struct samples *samples)
{
	char *text;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);
	if (!f)
		return fail(ST_NOMEM, "no memory for a row of '%s/raw.csv'", folder);
	print_samples(f, r, samples);
	fclose(f);
	enum status s = write_all(raw_fd, text, bytes, "raw.csv");
	free(text);
	if (s != ST_OK)
		return s;
	f = open_memstream(&text, &bytes);
	if (!f)
		return fail(ST_NOMEM, "no memory for a row of '%s/summary.csv'", folder);
	record_print_row(f, r);
	fclose(f);
	s = write_all(summary_fd, text, bytes, "summary.csv");
	free(text);
	return s;
}

static enum status row(const struct plan *plan, const struct row *row)
{
	(void)plan;
	for (int i = 0; i < row->group_count; i++) {
		enum status s = write_row(&row->groups[i], &row->samples[i]);
		if (s != ST_OK)
			return s;
	}
	return ST_OK;
}

static enum status end(const struct plan *plan, const struct summary *sum)
{
	(void)plan, (void)sum;
	if (summary_fd >= 0)
		close(summary_fd);
	if (raw_fd >= 0)
		close(raw_fd);
	summary_fd = raw_fd = -1;
	return ST_OK;
}

const struct sink sink_csv = {
        .name = "csv",
        .wanted = wanted,
        .begin = begin,
        .row = row,
        .end = end,
};
