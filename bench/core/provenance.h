/* provenance.h - what has to be known beside the numbers to read them later: command, software, machine,
 * ranks.
 *
 * Captured, never judged. The environment is recorded through an allow-list, never all of it. */
#ifndef BENCH_CORE_PROVENANCE_H
#define BENCH_CORE_PROVENANCE_H

#include "bench/core/plan.h"
#include "bench/core/status.h"
#include "bench/core/world.h"

#include <time.h>

#define BUSBAR_VERSION "0.1"

struct bootstrap;
struct memory_kind;

struct device_facts {          /* what a rank drives; a host rank: its NUMA node and the CPU */
	int domain, bus, slot; /* printed as [%04x:%02x:%02x]; a host rank: 0000:NUMA node:00 */
	char name[96];         /* "NVIDIA H200", "AMD EPYC 7763 64-Core Processor" */
	char cores[64];        /* where the rank's thread may run, "0-3"; "" when unknown */
};

struct run_facts {
	char run_id[20];
	/* of the process, from provenance_start() */
	int argc;
	char *const *argv;
	const char *program;            /* argv[0] without its folder */
	const char *version;            /* ours */
	const char *build;              /* compiler and flags that matter */
	const char *bootstrap;          /* "mpi", "none" */
	const char *library;            /* what the bootstrap runs on: "MPICH 4.0.2 (ch4:ucx)" */
	int nccl_headers, nccl_library; /* as nccl-tests prints them; 0 without NCCL */
	time_t start;
	/* of rank 0's node */
	char host[64];
	char kernel[128];
	char cpu[96];
	uint64_t memory_bytes;
	char topology[256]; /* short form: "2 sockets, 4 NUMA nodes, 64 cores, 128 threads" */
	/* of every rank */
	int ranks;
	const struct place *places;   /* [ranks], the world's */
	struct device_facts *devices; /* [ranks] */
	/* of the plan, filled by the runner before a sink sees them */
	const char *backend;   /* the names that were chosen */
	const char *transport; /* asked for, or "" */
	const char *memory;
	uint64_t reduced_max_bytes; /* -e cut down to what fits into memory; 0 when it was not */
};

/* Once, by main's thread, before any rank thread exists. argv must outlive the run. */
void provenance_start(int argc, char *const *argv, const struct bootstrap *);

/* Collective over all ranks. Rank 0 gets the facts, the others NULL. */
enum status provenance_gather(struct world *, const struct memory_kind *, struct run_facts **out);
void provenance_free(struct run_facts *);

/* Adds to DIR/facts ("key value" lines, one block a launch that begins with run_id) and, where hwloc is
 * there, writes DIR/topology.xml. DIR exists already. */
enum status provenance_write(const struct run_facts *, const struct plan *, const char *dir);

/* Calls visit(arg, "NAME=value") for each variable of the environment that the allow-list lets through. */
void provenance_environment(void (*visit)(void *arg, const char *assignment), void *arg);

/* argv[0] without its folder. */
const char *provenance_program(const char *argv0);

/* Local time as nccl-tests writes it, "YYYY-MM-DD HH:MM:SS". */
void provenance_local_time(time_t, char text[32]);

#endif
