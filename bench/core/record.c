/* record.c - the columns of a row, and how each is written and read. */
#include "bench/core/record.h"

#include "bench/core/types.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MEMBER(m) offsetof(struct record, m), sizeof((struct record *)0)->m
#define KEY(name, unit, kind, member, meaning)                                                               \
	{                                                                                                    \
		name, unit, meaning, true, kind, MEMBER(member)                                              \
	}
#define VALUE(name, unit, kind, member, meaning)                                                             \
	{                                                                                                    \
		name, unit, meaning, false, kind, MEMBER(member)                                             \
	}

/* clang-format off */
const struct column record_columns[] = {
	{"schema_version", "", "version of this list of columns", true, COLUMN_SCHEMA, 0, 0},
	KEY("run_id", "", COLUMN_TEXT, run_id,
		"random name of the launch; raw.csv and facts carry it too"),
	KEY("time", "", COLUMN_TEXT, time,
		"start of the row, UTC"),
	KEY("host_set", "", COLUMN_TEXT, host_set,
		"the hosts, sorted"),
	KEY("cluster", "", COLUMN_TEXT, cluster,
		"label given by --cluster"),
	KEY("tier", "", COLUMN_TEXT, tier,
		"label given by --tier"),
	KEY("collective", "", COLUMN_TEXT, collective,
		"name of the collective"),
	KEY("backend", "", COLUMN_TEXT, backend,
		"who carried it out"),
	KEY("transport_asked", "", COLUMN_TEXT, transport_asked,
		"what --transport asked for; empty: chosen per pair of ranks"),
	KEY("transport_seen", "", COLUMN_TEXT, transport_seen,
		"what carried data, as far as the backend can prove it"),
	KEY("algorithm", "", COLUMN_TEXT, algorithm,
		"the algorithm that ran"),
	KEY("protocol", "", COLUMN_TEXT, protocol,
		"the protocol that ran"),
	KEY("channels", "", COLUMN_INT, channels,
		"channels, or streams of a link; 0 unknown"),
	KEY("memory", "", COLUMN_TEXT, memory,
		"kind of memory that the buffers live in"),
	KEY("dtype", "", COLUMN_DTYPE, dtype,
		"datatype"),
	KEY("redop", "", COLUMN_REDOP, redop,
		"reduction; none where nothing is reduced"),
	KEY("root", "", COLUMN_INT, root,
		"root rank, -1 where there is none"),
	KEY("placement", "", COLUMN_TEXT, placement,
		"out-of-place or in-place"),
	KEY("group", "", COLUMN_INT, group,
		"colour of NCCL_TESTS_SPLIT"),
	KEY("ranks", "", COLUMN_INT, ranks,
		"ranks of the group; 0 unknown"),
	KEY("nodes", "", COLUMN_INT, nodes,
		"hosts that they run on; 0 unknown"),
	KEY("bytes", "B", COLUMN_COUNT, bytes,
		"size column: the larger of a rank's send and receive buffer"),
	KEY("count_elems", "", COLUMN_COUNT, count_elems,
		"count column"),
	KEY("iters", "", COLUMN_INT, iters,
		"timed iterations asked for"),
	KEY("agg_iters", "", COLUMN_INT, agg_iters,
		"operations an iteration"),
	KEY("cycle", "", COLUMN_INT, cycle,
		"run cycle of -N, from 0"),
	VALUE("samples", "", COLUMN_COUNT, time_ns.count,
		"operations timed one by one"),
	VALUE("min_ns", "ns", COLUMN_REAL, time_ns.min,
		"fastest operation; an operation takes as long as its slowest rank"),
	VALUE("p50_ns", "ns", COLUMN_REAL, time_ns.p50,
		"median"),
	VALUE("p95_ns", "ns", COLUMN_REAL, time_ns.p95,
		"95th percentile, nearest rank"),
	VALUE("p99_ns", "ns", COLUMN_REAL, time_ns.p99,
		"99th percentile, nearest rank"),
	VALUE("max_ns", "ns", COLUMN_REAL, time_ns.max,
		"slowest operation"),
	VALUE("sample_mean_ns", "ns", COLUMN_REAL, time_ns.mean,
		"mean of the samples"),
	VALUE("stdev_ns", "ns", COLUMN_REAL, time_ns.stdev,
		"standard deviation of the samples (population)"),
	VALUE("ci_low_ns", "ns", COLUMN_REAL, time_ns.ci_low,
		"lower end of the 95 % interval of the median"),
	VALUE("ci_high_ns", "ns", COLUMN_REAL, time_ns.ci_high,
		"upper end of it"),
	VALUE("mean_ns", "ns", COLUMN_REAL, mean_ns,
		"time of one operation as the table prints it: whole loop / operations, combined over ranks by -a"),
	VALUE("algbw_gbs", "GB/s", COLUMN_REAL, algbw_gbs,
		"algorithm bandwidth of mean_ns"),
	VALUE("busbw_gbs", "GB/s", COLUMN_REAL, busbw_gbs,
		"bus bandwidth of mean_ns"),
	VALUE("first_op_ns", "ns", COLUMN_INTEGER, first_op_ns,
		"first operation of the row, before the timed ones"),
	VALUE("checked", "", COLUMN_CHECK, checked,
		"done, or unchecked: nobody looked at the data"),
	VALUE("wrong_elems", "", COLUMN_WRONG, wrong_elems,
		"wrong elements found; empty: unchecked"),
	VALUE("wrong_rank", "", COLUMN_INTEGER, wrong_rank,
		"first rank that held a wrong element"),
	VALUE("wrong_index", "", COLUMN_INTEGER, wrong_index,
		"its index there"),
	VALUE("cpu_ns", "ns", COLUMN_INTEGER, cpu_ns,
		"CPU time of all rank threads in the timed loop"),
	VALUE("cycles", "", COLUMN_INTEGER, cycles,
		"CPU cycles likewise"),
	VALUE("instructions", "", COLUMN_INTEGER, instructions,
		"CPU instructions likewise"),
	VALUE("tx_data_bytes", "B", COLUMN_INTEGER, tx_data_bytes,
		"left through data interfaces of all nodes in the timed loop"),
	VALUE("tx_management_bytes", "B", COLUMN_INTEGER, tx_management_bytes,
		"left through management interfaces"),
	VALUE("tx_loopback_bytes", "B", COLUMN_INTEGER, tx_loopback_bytes,
		"went through loopback"),
	VALUE("interfaces", "", COLUMN_TEXT, interfaces,
		"what left where: host/interface=bytes, the busiest first"),
	VALUE("model_bytes", "B", COLUMN_INTEGER, model_bytes,
		"bytes that the model says must leave nodes in the timed loop"),
	VALUE("model_ns", "ns", COLUMN_REAL, model_ns,
		"time that the model predicts; filled by busbar verdict"),
	VALUE("efficiency", "", COLUMN_REAL, efficiency,
		"model_ns / mean_ns; filled by busbar verdict"),
	VALUE("bound", "", COLUMN_TEXT, bound,
		"the term of the model that binds; filled by busbar verdict"),
};
/* clang-format on */
const size_t record_column_count = sizeof record_columns / sizeof *record_columns;

void record_clear(struct record *r)
{
	memset(r, 0, sizeof *r);
	r->redop = OP_NONE;
	r->root = ALL_RANKS;
	r->wrong_rank = -1;
	r->first_op_ns = r->wrong_index = r->cpu_ns = r->cycles = r->instructions = r->model_bytes = -1;
	r->tx_data_bytes = r->tx_management_bytes = r->tx_loopback_bytes = -1;
	r->mean_ns = r->algbw_gbs = r->busbw_gbs = r->model_ns = r->efficiency = NAN;
	r->time_ns = (struct stats){0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

const struct column *record_column(const char *name)
{
	for (size_t i = 0; i < record_column_count; i++)
		if (!strcmp(record_columns[i].name, name))
			return &record_columns[i];
	return NULL;
}

void csv_field(FILE *f, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, f);
		return;
	}
	putc('"', f);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', f);
		putc(*text, f);
	}
	putc('"', f);
}

void record_print(const struct column *c, FILE *f, const struct record *r)
{
	const void *at = (const char *)r + c->offset;
	switch (c->kind) {
	case COLUMN_SCHEMA:
		fprintf(f, "%d", RECORD_SCHEMA);
		break;
	case COLUMN_TEXT:
		csv_field(f, at);
		break;
	case COLUMN_INT:
		fprintf(f, "%d", *(const int *)at);
		break;
	case COLUMN_COUNT:
		fprintf(f, "%" PRIu64, *(const uint64_t *)at);
		break;
	case COLUMN_WRONG:
		if (r->checked == CHECK_DONE)
			fprintf(f, "%" PRIu64, *(const uint64_t *)at);
		break;
	case COLUMN_INTEGER:
		if (*(const int64_t *)at >= 0)
			fprintf(f, "%" PRId64, *(const int64_t *)at);
		break;
	case COLUMN_REAL:
		if (!isnan(*(const double *)at))
			fprintf(f, "%.9g", *(const double *)at);
		break;
	case COLUMN_DTYPE:
		fputs(dtype_name(*(const enum dtype *)at), f);
		break;
	case COLUMN_REDOP:
		fputs(redop_name(*(const enum redop *)at), f);
		break;
	case COLUMN_CHECK:
		fputs(*(const enum check *)at == CHECK_DONE ? "done" : "unchecked", f);
		break;
	}
}

/* A whole number from low to high, the whole text. */
static bool scan_integer(const char *text, int64_t low, int64_t high, int64_t *value_p)
{
	char *end;
	errno = 0;
	int64_t value = strtoll(text, &end, 10);
	if (errno || end == text || *end || value < low || value > high)
		return false;
	*value_p = value;
	return true;
}

static bool scan_number(const struct column *c, void *at, const char *text)
{
	int64_t whole;
	char *end;
	double real;
	switch (c->kind) {
	case COLUMN_INT:
		if (!scan_integer(text, INT32_MIN, INT32_MAX, &whole))
			return false;
		*(int *)at = (int)whole;
		return true;
	case COLUMN_COUNT:
	case COLUMN_WRONG:
		if (!scan_integer(text, 0, INT64_MAX, &whole))
			return false;
		*(uint64_t *)at = (uint64_t)whole;
		return true;
	case COLUMN_INTEGER:
		return scan_integer(text, 0, INT64_MAX, at);
	default:
		real = strtod(text, &end);
		if (end == text || *end || !isfinite(real))
			return false;
		*(double *)at = real;
		return true;
	}
}

bool record_scan(const struct column *c, struct record *r, const char *text)
{
	void *at = (char *)r + c->offset;
	int found;
	if (!*text && c->kind != COLUMN_SCHEMA)
		return true; /* unknown, as record_clear() left it */
	switch (c->kind) {
	case COLUMN_SCHEMA: {
		int64_t version;
		return scan_integer(text, 1, INT32_MAX, &version);
	}
	case COLUMN_TEXT:
		if (strlen(text) >= c->bytes)
			return false;
		memcpy(at, text, strlen(text) + 1);
		return true;
	case COLUMN_DTYPE:
		found = dtype_find(text);
		if (found < 0)
			return false;
		*(enum dtype *)at = (enum dtype)found;
		return true;
	case COLUMN_REDOP:
		found = strcmp(text, redop_name(OP_NONE)) ? redop_find(text) : OP_NONE;
		if (found < 0)
			return false;
		*(enum redop *)at = (enum redop)found;
		return true;
	case COLUMN_CHECK:
		*(enum check *)at = strcmp(text, "done") ? CHECK_NONE : CHECK_DONE;
		return !strcmp(text, "done") || !strcmp(text, "unchecked");
	default:
		return scan_number(c, at, text);
	}
}

void record_print_header(FILE *f)
{
	for (size_t i = 0; i < record_column_count; i++)
		fprintf(f, "%s%s", i ? "," : "", record_columns[i].name);
	putc('\n', f);
}

void record_print_row(FILE *f, const struct record *r)
{
	for (size_t i = 0; i < record_column_count; i++) {
		if (i)
			putc(',', f);
		record_print(&record_columns[i], f, r);
	}
	putc('\n', f);
}

void record_print_schema(FILE *f)
{
	fprintf(f, "| column | unit | key | meaning |\n|---|---|---|---|\n");
	for (size_t i = 0; i < record_column_count; i++) {
		const struct column *c = &record_columns[i];
		fprintf(f, "| %s | %s | %s | %s |\n", c->name, c->unit, c->key ? "yes" : "", c->meaning);
	}
}
