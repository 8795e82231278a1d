/* record.h - one measured row, and record_columns[]: the one list behind summary.csv, its schema and
 * results/README.md. */
#ifndef BENCH_CORE_RECORD_H
#define BENCH_CORE_RECORD_H

#include "bench/collective/collective.h"
#include "bench/core/plan.h"
#include "bench/core/stats.h"
#include "bench/counter/counter.h"

#include <stdio.h>

enum { RECORD_SCHEMA = 1 };

enum check { CHECK_NONE, CHECK_DONE }; /* NONE: nobody looked; prints as N/A and "unchecked", never as OK */

struct record {
	/* key: independent variables */
	char run_id[20], time[24]; /* UTC, RFC 3339 */
	char host_set[256];        /* sorted, space separated; "node-[0-7]" where it compresses */
	char cluster[32], tier[16];
	char collective[32], backend[16];
	char transport_asked[16], transport_seen[32], algorithm[24], protocol[16];
	int channels;
	char memory[16];
	enum dtype dtype;
	enum redop redop;
	int root;
	char placement[16]; /* "out-of-place" or "in-place" */
	int group, ranks, nodes;
	uint64_t bytes; /* size column */
	uint64_t count_elems;
	int iters, agg_iters, cycle;

	/* measured: nanoseconds of one operation, slowest rank */
	struct stats time_ns;
	double mean_ns;              /* what the table prints, combined over ranks by -a */
	double algbw_gbs, busbw_gbs; /* of mean_ns */
	int64_t first_op_ns;
	enum check checked;
	uint64_t wrong_elems;
	int64_t wrong_rank; /* first wrong rank and index, -1 when none */
	int64_t wrong_index;
	int64_t cpu_ns, cycles, instructions; /* all ranks, whole timed loop; -1 unknown */
	int64_t tx_data_bytes, tx_management_bytes,
	        tx_loopback_bytes; /* all nodes, whole timed loop; -1 unknown */
	char interfaces[256];      /* "node-0/ens1=123 node-0/eth0=4", what left where */
	int64_t model_bytes;       /* that must leave nodes, whole timed loop, all nodes; 0 on one node */
	/* judged later by busbar verdict; empty in rows that only measured */
	double model_ns, efficiency;
	char bound[24];
};

enum column_kind {
	COLUMN_SCHEMA, /* RECORD_SCHEMA in every row */
	COLUMN_TEXT,
	COLUMN_INT,     /* int */
	COLUMN_COUNT,   /* size_t or uint64_t */
	COLUMN_WRONG,   /* uint64_t; empty where nobody looked */
	COLUMN_INTEGER, /* int64_t; negative is unknown and prints empty */
	COLUMN_REAL,    /* double; NaN is unknown and prints empty */
	COLUMN_DTYPE,
	COLUMN_REDOP,
	COLUMN_CHECK, /* "done" or "unchecked" */
};

struct column {
	const char *name, *unit, *meaning;
	bool key; /* an independent variable */
	enum column_kind kind;
	size_t offset, bytes; /* of the member of struct record */
};

extern const struct column record_columns[];
extern const size_t record_column_count;

/* All unknowns unknown: what no one sets afterwards prints as an empty field. */
void record_clear(struct record *);
const struct column *record_column(const char *name); /* NULL when there is none */

/* One field, without separators; and the value of a field's text, "" being unknown. False: not a value of
 * this column. */
void record_print(const struct column *, FILE *, const struct record *);
bool record_scan(const struct column *, struct record *, const char *text);

/* The header line, a row, and the description of all columns as a Markdown table. */
void record_print_header(FILE *);
void record_print_row(FILE *, const struct record *);
void record_print_schema(FILE *);

/* Writes text as a CSV field, quoted where RFC 4180 asks for it. */
void csv_field(FILE *, const char *text);

#endif
