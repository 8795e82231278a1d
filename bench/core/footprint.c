/* footprint.c - see footprint.h. */
#include "bench/core/footprint.h"

#include <stdio.h>
#include <unistd.h>

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
