/* plan.h - what will be measured: const, plain data, agreed by all ranks before anything starts.
 *
 * Rank 0 alone reads the command line and plan file; the struct is then broadcast as bytes, so it holds no
 * pointers. One struct plan is one case list (one table on stdout): a plan file gives several.
 */
#ifndef BENCH_CORE_PLAN_H
#define BENCH_CORE_PLAN_H

#include "kernels/types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLAN_ALL = -1 };        /* dtype, redop, root: each of them in turn */
enum { PLAN_PATH_BYTES = 512 };

enum average { AVERAGE_RANK0, AVERAGE_MEAN, AVERAGE_MIN, AVERAGE_MAX };

struct plan {
	char collective[32];

	/* nccl-tests' options, by letter */
	int threads;          /* -t */
	int gpus;             /* -g, per thread */
	uint64_t min_bytes;   /* -b */
	uint64_t max_bytes;   /* -e */
	uint64_t step_bytes;  /* -i, used when step_factor <= 1 */
	double step_factor;   /* -f */
	int iters;            /* -n */
	int agg_iters;        /* -m */
	int warmup_iters;     /* -w */
	int run_cycles;       /* -N, 0 for ever */
	bool parallel_init;   /* -p */
	int check;            /* -c, checks per placement, 0 none */
	int redop;            /* -o, enum redop or PLAN_ALL */
	int dtype;            /* -d, enum dtype or PLAN_ALL */
	int root;             /* -r, or PLAN_ALL */
	int blocking;         /* -z, 0..3 */
	bool stream_null;     /* -y */
	double timeout_s;     /* -T, 0 off */
	int graph;            /* -G, launches of the captured graph */
	bool report_cputime;  /* -C */
	enum average average; /* -a */
	bool timestamps;      /* -S */
	char json_path[PLAN_PATH_BYTES]; /* -J, "" none */
	int local_register;   /* -R, 0 1 2 */
	int cta_policy;       /* -x, -1 unset */
	int device_impl;      /* -D */
	int device_cta_count; /* -V */
	bool memory_report;   /* -M */
	int unalign_elems;    /* -u */
	int per_iter;         /* -I, 0 or 1 */
	int per_iter_skip;    /* -K */

	/* ours, long names only */
	char backend[16];   /* --backend; "" chooses */
	char transport[16]; /* --transport; "" chooses per pair */
	char memory[16];    /* --memory; "" chooses */
	char csv_dir[PLAN_PATH_BYTES]; /* --csv; "" writes none */
	double precision;   /* --precision, relative half width of the median's confidence interval; 0 fixed counts */
	double budget_s;    /* --budget, seconds per row at most; 0 none */
	char ifname[128];   /* --ifname, else NCCL_SOCKET_IFNAME; NCCL's grammar; "" chooses */
	char tier[16];      /* --tier, a label for the rows: "1.6T" */
	char cluster[32];   /* --cluster, a label for the rows */
	int streams;        /* --streams, TCP connections per link and interface; 0 chooses */
	uint64_t chunk_bytes; /* --chunk, of the ring's pipeline; 0 chooses */
	bool sync_each;     /* --sync: line ranks up before every operation, outside its time (OSU's way) */
	bool pairs;         /* --pairs: sendrecv between all pairs of ranks, see pairs.h */
	bool dry_run;       /* --dry-run */
	bool list;          /* --list */

	/* environment that nccl-tests reads */
	int device_base;           /* NCCL_TESTS_DEVICE, -1 unset */
	char split[64], split_mask[32]; /* NCCL_TESTS_SPLIT, NCCL_TESTS_SPLIT_MASK */
	double min_bandwidth_gbs;  /* NCCL_TESTS_MIN_BW, negative unset */
	double alltoallv_spread;   /* NCCL_TESTS_ALLTOALLV_SPREAD */
	char alltoallv_matrix[PLAN_PATH_BYTES];
	double alltoallv_scale;
	bool alltoallv_summary;
};

#endif
