/* footprint.c - see footprint.h. */
#include "bench/core/footprint.h"

#include <stdio.h>
#include <unistd.h>

/* The number behind `format` on the first line that fits it, or -1. */
static int64_t number_in(const char *path, const char *format)
{
	char line[128];
	long long number = -1;
	FILE *f = fopen(path, "r");
	while (f && number < 0 && fgets(line, sizeof line, f))
		if (sscanf(line, format, &number) != 1)
			number = -1;
	if (f)
		fclose(f);
	return number;
}

int64_t footprint_available_bytes(void)
{
	int64_t kib = number_in("/proc/meminfo", "MemAvailable: %lld kB");
	int64_t free_bytes =
	        kib >= 0 ? kib * 1024 : (int64_t)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
	int64_t most = number_in("/sys/fs/cgroup/memory.max", "%lld"); /* "max" where there is no limit */
	int64_t used = number_in("/sys/fs/cgroup/memory.current", "%lld");
	int64_t left = most < 0 || used < 0 ? free_bytes : most > used ? most - used : 0;
	return left < free_bytes ? left : free_bytes;
}

static int64_t resident_bytes(void)
{
	long long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (!f || fscanf(f, "%*s %lld", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

enum status footprint_mark(struct run *run, int mark)
{
	if (!run->plan->memory_report)
		return ST_OK;
	enum status s = world_barrier(run->world);
	run->footprint.resident_bytes[mark] = resident_bytes();
	return s == ST_OK ? world_barrier(run->world) : s;
}

static int64_t at_least_zero(int64_t value)
{
	return value > 0 ? value : 0;
}

enum status footprint_report(struct run *run)
{
	const int64_t *marks = run->footprint.resident_bytes;
	int64_t ranks = run->world->threads, buffers = (int64_t)(run->send.bytes + run->recv.bytes);
	int64_t parts[MEMORY_PARTS] = {
	        [MEMORY_INITIALIZATION] =
	                at_least_zero(marks[FOOTPRINT_OPEN] - marks[FOOTPRINT_START]) / ranks,
	        [MEMORY_USER] = buffers,
	        [MEMORY_COLLECTIVE] =
	                at_least_zero((resident_bytes() - marks[FOOTPRINT_OPEN]) / ranks - buffers),
	};
	enum status s = world_reduce(run->world, REDUCE_MAX, parts, MEMORY_PARTS);
	for (int i = 0; i < MEMORY_PARTS; i++)
		run->summary.memory_bytes[i] = parts[i];
	return s;
}
