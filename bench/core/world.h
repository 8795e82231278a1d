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

struct place { /* where one rank lives; the same array on every rank */
	char host[64];   /* host name up to the first dot */
	uint64_t machine; /* hash of host name and boot id: equal means same node */
	int node;        /* nodes are numbered by their lowest rank */
	int local_rank;  /* position among the ranks of its node */
	int process;
	pid_t pid;
	int group;       /* colour of NCCL_TESTS_SPLIT, 0 without */
	int device;      /* device index as printed */
};

struct world {
	int rank, ranks;
	int process, processes;
	int thread, threads; /* rank threads of this process */
	int node, nodes;
	int local_rank, local_ranks;
	int group;                     /* colour */
	int group_rank, group_ranks;   /* the communicator under test spans the group */
	const int *group_members;      /* global rank of each group rank, ascending */
	const struct place *places;    /* [ranks] */
	const char *run_id;            /* 16 hex digits, random, equal on all ranks; also names the run */
	const uint8_t *token;          /* WORLD_TOKEN_BYTES random bytes, equal on all ranks, never printed */
	struct world_shared *shared;   /* private to world.c */
};

enum { WORLD_TOKEN_BYTES = 32 };

/* NCCL_TESTS_SPLIT and NCCL_TESTS_SPLIT_MASK: the colour of a rank, or ST_USAGE for a text that is none. */
enum status world_split_parse(const char *split, const char *mask, int rank, int *colour_p);

/* Starts `threads` rank threads in this process, runs body(world, arg) in each, joins them and returns the
 * worst status over all of them. Called by main's thread of every process with the same number. */
enum status world_run(const struct bootstrap *, int process, int processes, int threads,
	enum status (*body)(struct world *, void *arg), void *arg);

/* The worst status of all ranks, the same on each. Prints the sentence of the lowest rank that holds it, once. */
enum status world_agree(struct world *, enum status mine);

enum status world_barrier(struct world *);
enum status world_allgather(struct world *, const void *mine, size_t bytes, void *all);
enum status world_broadcast(struct world *, void *data, size_t bytes); /* from rank 0 */
enum status world_reduce(struct world *, enum reduction how, int64_t *values, size_t count);

/* The watchdog: any rank that makes no call to world_progress() for the deadline ends the run: the sentence
 * says which phase was stuck, exit code 4. 0 turns it off. world_* calls and the runner report progress. */
void world_deadline(struct world *, double seconds);
void world_progress(struct world *, const char *phase);

/* Ends every process of the run now; for what cannot be unwound. Prints the sentence. Does not return. */
void world_abort(struct world *, enum status cause) __attribute__((noreturn));

#endif
