/* world.h - the ranks of a run, and how they agree.
 *
 * A rank is one thread that drives one device. A process hosts threads x gpus of them (-t, -g). Every call
 * that takes a struct world is collective over ALL ranks of the run; the threads of a process combine
 * first, then one of them speaks through the bootstrap. A local failure never skips a collective call, it
 * only changes the value given to world_agree().
 */
#ifndef BENCH_CORE_WORLD_H
#define BENCH_CORE_WORLD_H

#include "bench/bootstrap/bootstrap.h"
#include "bench/core/status.h"

#include <stdint.h>
#include <sys/types.h>

struct place {            /* where one rank lives; the same array on every rank */
	char host[64];    /* host name up to the first dot */
	uint64_t machine; /* hash of host name and boot id: equal means same node */
	int node;         /* nodes are numbered by their lowest rank */
	int local_rank;   /* position among the ranks of its node */
	int process;
	pid_t pid;
	int group;  /* colour of NCCL_TESTS_SPLIT, 0 without */
	int device; /* device index as printed */
};

struct world {
	int rank, ranks;
	int process, processes;
	int thread, threads; /* rank threads of this process */
	int node, nodes;
	int local_rank, local_ranks;
	int group;                   /* colour */
	int group_rank, group_ranks; /* the communicator under test spans the group */
	const int *group_members;    /* global rank of each group rank, ascending */
	const struct place *places;  /* [ranks] */
	const char *run_id;          /* 16 hex digits, random, equal on all ranks; also names the run */
	const uint8_t *token;        /* WORLD_TOKEN_BYTES random bytes, equal on all ranks, never printed */
	struct world_shared *shared; /* private to world.c */
};

enum { WORLD_TOKEN_BYTES = 32 };

/* NCCL_TESTS_SPLIT and NCCL_TESTS_SPLIT_MASK ("" or NULL: unset; the mask wins): the colour of the ranks of a
 * process, or ST_USAGE for a text that is none. */
enum status world_split_parse(const char *split, const char *mask, int process, int *colour_p);

struct world_setup {
	const struct bootstrap *bootstrap;
	int process, processes; /* as bootstrap_open() gave them */
	int threads;            /* ranks of each process, -t x -g; the same number everywhere */
	int device_base;        /* NCCL_TESTS_DEVICE; -1: the devices of a node are dealt out in rank order */
	const char *split, *split_mask;
};

/* Runs body(world, arg) in `threads` rank threads of this process and returns the worst status over all
 * ranks. Called by main's thread of every process; that thread is rank thread 0, so a library that wants to
 * be called by the thread that initialised it gets its way when a process has one rank. */
enum status world_run(const struct world_setup *, enum status (*body)(struct world *, void *arg), void *arg);

/* The worst status of all ranks, the same on each. Prints the sentence of the lowest rank that holds it,
 * once. */
enum status world_agree(struct world *, enum status mine);

enum status world_barrier(struct world *);
enum status world_allgather(struct world *, const void *mine, size_t bytes, void *all);
enum status world_broadcast(struct world *, void *data, size_t bytes); /* from rank 0 */
enum status world_reduce(struct world *, enum reduction how, int64_t *values, size_t count);

/* The watchdog: when no rank of a node has got further for this long, the run ends with exit code 4 and a
 * sentence that names the phase and, where it can be told, the rank that holds the others up (stopped, gone,
 * or the one that is not waiting for others). 60 s unless set; 0 turns it off. All ranks give the same. */
enum { WORLD_DEADLINE_S = 60 };
void world_deadline(struct world *, double seconds);

/* "I got further, and this is what I do now", as in "no progress while checking the result"; NULL for the
 * same as before. A few nanoseconds; the text must outlive the run. world_* calls report themselves. */
void world_progress(struct world *, const char *phase);

/* Ends every process of the run now; for what cannot be unwound. Prints the sentence. Does not return. */
void world_abort(struct world *, enum status cause) __attribute__((noreturn));

#endif
