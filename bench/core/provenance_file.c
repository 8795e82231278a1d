/* provenance_file.c - the facts as files beside the rows: "key value" lines, and the topology as XML. */
#include "bench/core/provenance.h"

#include "bench/core/options.h"
#include "bench/core/topology.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = PLAN_PATH_BYTES + 32 };

/* Values are one line each. */
static void put(FILE *f, const char *key, const char *value)
{
	fprintf(f, "%s ", key);
	for (; *value; value++)
		fputc(*value == '\n' || *value == '\r' ? ' ' : *value, f);
	fputc('\n', f);
}

static void put_variable(void *f, const char *assignment)
{
	put(f, "environment", assignment);
}

static void put_process(FILE *f, const struct run_facts *facts)
{
	char utc[32];
	struct tm tm;
	strftime(utc, sizeof utc, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&facts->start, &tm));
	put(f, "run_id", facts->run_id);
	put(f, "start", utc);
	put(f, "program", facts->program);
	for (int i = 1; i < facts->argc; i++)
		put(f, "argument", facts->argv[i]);
	provenance_environment(put_variable, f);
	put(f, "version", facts->version);
	put(f, "build", facts->build);
	put(f, "bootstrap", facts->bootstrap);
	put(f, "library", facts->library);
}

static void put_machine(FILE *f, const struct run_facts *facts)
{
	put(f, "host", facts->host);
	put(f, "kernel", facts->kernel);
	put(f, "cpu", facts->cpu);
	put(f, "topology", facts->topology);
	fprintf(f, "memory_bytes %" PRIu64 "\n", facts->memory_bytes);
	fprintf(f, "ranks %d\n", facts->ranks);
	for (int rank = 0; rank < facts->ranks; rank++) {
		const struct device_facts *d = &facts->devices[rank];
		fprintf(f, "rank %d host %s pid %d cores %s device [%04x:%02x:%02x] %s\n", rank,
		        facts->places[rank].host, (int)facts->places[rank].pid, d->cores[0] ? d->cores : "-",
		        (unsigned)d->domain, (unsigned)d->bus, (unsigned)d->slot, d->name);
	}
}

static void put_plan(FILE *f, const struct run_facts *facts, const struct plan *plan)
{
	fprintf(f, "plan backend %s memory %s: ", facts->backend, facts->memory);
	options_print(f, plan);
}

/* One write at the end of the file: programs that share a folder each add their part. */
static enum status append(const char *path, const char *text, size_t bytes)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	ssize_t wrote = fd < 0 ? -1 : write(fd, text, bytes);
	const char *cause = wrote < 0 ? strerror(errno) : "the disk is full";
	if (fd >= 0 && lseek(fd, 0, SEEK_END) == 0)
		unlink(path);
	if (fd >= 0)
		close(fd);
	return wrote == (ssize_t)bytes ? ST_OK
	                               : fail(ST_SYSTEM, "\"%s\": cannot be written: %s", path, cause);
}

static enum status write_topology(const char *dir)
{
	char path[PATH_BYTES];
	snprintf(path, sizeof path, "%s/topology.xml", dir);
	enum status s = topology->export_xml(path);
	if (s != ST_OK)
		unlink(path);
	return s == ST_UNSUPPORTED ? ST_OK : s;
}

enum status provenance_write(const struct run_facts *facts, const struct plan *plan, const char *dir)
{
	static char written[PATH_BYTES]; /* by this process: later plans of the launch only add their line */
	char path[PATH_BYTES], *text;
	size_t bytes;
	snprintf(path, sizeof path, "%s/facts", dir);
	bool again = !strcmp(path, written);
	FILE *f = open_memstream(&text, &bytes);
	if (!f)
		return fail(ST_NOMEM, "no memory for the facts of a run");
	if (!again) {
		put_process(f, facts);
		put_machine(f, facts);
	}
	put_plan(f, facts, plan);
	fclose(f);
	enum status s = append(path, text, bytes);
	free(text);
	if (s == ST_OK && !again)
		s = write_topology(dir);
	if (s == ST_OK)
		memcpy(written, path, sizeof written);
	return s;
}
