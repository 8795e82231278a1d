/* topology.h - the machine under a process: what it is made of, and where rank threads run.
 * One implementation with hwloc, one with what Linux says itself; registry.c decides. */
#ifndef BENCH_CORE_TOPOLOGY_H
#define BENCH_CORE_TOPOLOGY_H

#include "bench/core/status.h"

struct topology_summary {
	int cores, threads, sockets, numa_nodes; /* that this process may use */
	char text[128];                          /* "2 sockets, 4 NUMA nodes, 64 cores, 128 threads" */
};

struct topology {
	const char *name;
	void (*summary)(struct topology_summary *out);
	/* Gives the calling thread its own share of the node's cores, neighbours in the machine for
	 * neighbours in rank, when nobody bound it yet and there is a core for each rank of the node. Its
	 * memory is first touched, and so lies, there. False: left where it was. */
	bool (*bind)(int local_rank, int local_ranks);
	/* ST_UNSUPPORTED, without a sentence, where it cannot. */
	enum status (*export_xml)(const char *path);
};

extern const struct topology *const topology; /* in registry.c */

/* NUMA node that the calling thread is on, and the cores it may run on: "0-3,8". */
int topology_numa_node(void);
void topology_cores(char *text, size_t bytes);

/* "0-3,8" of a set of CPU numbers, cut where it does not fit. */
void topology_format_cores(const unsigned char *in_set, int count, char *text, size_t bytes);

/* Fills text from the counts. */
void topology_describe(struct topology_summary *);

#endif
