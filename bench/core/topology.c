/* topology.c - what every build knows about where threads run, and the topology without hwloc. */
#include "bench/core/topology.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int topology_numa_node(void)
{
	unsigned cpu, node;
	return getcpu(&cpu, &node) == 0 ? (int)node : 0;
}

void topology_format_cores(const unsigned char *in_set, int count, char *text, size_t bytes)
{
	size_t used = 0;
	*text = 0;
	for (int first = 0; first < count && used < bytes; first++) {
		int last = first;
		if (!in_set[first])
			continue;
		while (last + 1 < count && in_set[last + 1])
			last++;
		char piece[32];
		if (last > first)
			snprintf(piece, sizeof piece, "%d-%d", first, last);
		else
			snprintf(piece, sizeof piece, "%d", first);
		used += (size_t)snprintf(text + used, bytes - used, "%s%s", used ? "," : "", piece);
		first = last;
	}
}

void topology_cores(char *text, size_t bytes)
{
	cpu_set_t set;
	unsigned char in_set[CPU_SETSIZE];
	*text = 0;
	if (sched_getaffinity(0, sizeof set, &set) != 0)
		return;
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		in_set[cpu] = CPU_ISSET(cpu, &set) != 0;
	topology_format_cores(in_set, CPU_SETSIZE, text, bytes);
}

static int append_count(char *text, size_t bytes, int used, int count, const char *what)
{
	if (count <= 0 || used < 0 || (size_t)used >= bytes)
		return used;
	return used + snprintf(text + used, bytes - (size_t)used, "%s%d %s%s", used ? ", " : "", count, what,
	                      count == 1 ? "" : "s");
}

void topology_describe(struct topology_summary *s)
{
	int used = 0;
	s->text[0] = 0;
	used = append_count(s->text, sizeof s->text, used, s->sockets, "socket");
	used = append_count(s->text, sizeof s->text, used, s->numa_nodes, "NUMA node");
	used = append_count(s->text, sizeof s->text, used, s->cores, "core");
	append_count(s->text, sizeof s->text, used, s->threads, "thread");
}

static void plain_summary(struct topology_summary *out)
{
	cpu_set_t set;
	*out = (struct topology_summary){0};
	if (sched_getaffinity(0, sizeof set, &set) == 0)
		out->threads = CPU_COUNT(&set);
	for (char path[64]; out->numa_nodes < 1024; out->numa_nodes++) {
		snprintf(path, sizeof path, "/sys/devices/system/node/node%d", out->numa_nodes);
		if (access(path, F_OK) != 0)
			break;
	}
	topology_describe(out);
}

static bool plain_bind(int local_rank, int local_ranks)
{
	(void)local_rank, (void)local_ranks;
	return false;
}

static enum status plain_export_xml(const char *path)
{
	(void)path;
	return ST_UNSUPPORTED;
}

const struct topology topology_plain = {
        .name = "linux",
        .summary = plain_summary,
        .bind = plain_bind,
        .export_xml = plain_export_xml,
};
