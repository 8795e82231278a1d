/* table.c - see table.h. The formats are nccl-tests' contract with its parsers: never change a width. */
#include "bench/core/table.h"

#include "bench/core/types.h"
#include "bench/core/units.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define NCCL_TESTS_VERSION "2.19.6" /* whose output this is */

void table_number(double value, int width, char text[TABLE_NUMBER_BYTES])
{
	for (int decimals = 2; decimals >= 0; decimals--)
		if (snprintf(text, TABLE_NUMBER_BYTES, "%*.*f", width, decimals, value) <= width)
			return;
	snprintf(text, TABLE_NUMBER_BYTES, "%*.*e", width, width >= 7, value);
}

const char *table_redop(const struct plan *plan, const struct record *r)
{
	const struct collective *collective = collective_find(plan->collective);
	return collective && collective->redop_column ? collective->redop_column : redop_name(r->redop);
}

void table_device(const struct device_facts *d, char text[32])
{
	snprintf(text, 32, "%04x:%02x:%02x", (unsigned)d->domain, (unsigned)d->bus, (unsigned)d->slot);
}

/* The program's name; where a plan file has it run another collective, that of the program which would. */
static void print_program(FILE *out, const char *what, const struct plan *p, const struct run_facts *facts)
{
	const char *end = strstr(facts->program, "_perf");
	char own[sizeof p->collective] = "";
	if (end && (size_t)(end - facts->program) < sizeof own)
		memcpy(own, facts->program, (size_t)(end - facts->program));
	bool known = collective_find(own) != NULL;
	fprintf(out, "# Collective test %s: %s%s\n", what, known ? p->collective : "",
	        known ? end : facts->program);
}

static void print_settings(FILE *out, const struct plan *p)
{
	bool factor = p->step_factor > 1;
	fprintf(out, "# nThread %d nGpus %d minBytes %" PRIu64 " maxBytes %" PRIu64 " step: ", p->threads,
	        p->gpus, p->min_bytes, p->max_bytes);
	if (factor)
		fprintf(out, "%g(factor)", p->step_factor);
	else
		fprintf(out, "%" PRIu64 "(bytes)", p->step_bytes);
	fprintf(out, " warmup iters: %d iters: %d agg iters: %d validation: %d graph: %d unalign: %d\n",
	        p->warmup_iters, p->iters, p->agg_iters, p->check, p->graph, p->unalign_elems);
}

static void print_modes(FILE *out, const struct plan *p, const struct run_facts *facts)
{
	static const char *const blocking[] = {
	        NULL,
	        "wait and barrier after each inner iteration (-m)",
	        "wait after each inner iteration (-m), no barrier",
	        "wait and barrier after each outer iteration (-n); time excludes barrier",
	};
	if (blocking[p->blocking])
		fprintf(out, "# Blocking Enabled: %s \n", blocking[p->blocking]);
	if (p->per_iter) {
		fprintf(out, "# Per-Iteration Report: %s timing; i_* uses max over process rows",
		        strcmp(facts->memory, "cuda") ? "host clock" : "CUDA event");
		if (p->per_iter_skip)
			fprintf(out, "; summary skips first %d iterations", p->per_iter_skip);
		fputs(" \n", out);
	}
	if (p->parallel_init)
		fputs("# Parallel Init Enabled: threads call into NcclInitRank concurrently \n", out);
}

/* Ours; holds none of the words that parsers look for. */
static void print_choice(FILE *out, const struct world *w, const struct run_facts *facts)
{
	fprintf(out,
	        "# busbar %s backend: %s memory: %s transport: %s processes: %d ranks: %d nodes: %d run: "
	        "%s\n",
	        facts->version, facts->backend, facts->memory, facts->transport[0] ? facts->transport : "any",
	        w->processes, w->ranks, w->nodes, facts->run_id);
}

static void print_devices(FILE *out, const struct world *w, const struct run_facts *facts)
{
	fputs("# Using devices\n", out);
	for (int rank = 0; rank < facts->ranks; rank++) {
		const struct place *place = &w->places[rank];
		char device[32];
		table_device(&facts->devices[rank], device);
		fprintf(out, "#  Rank %2d Group %2d Pid %6d on %10s device %2d [%s] %s\n", rank, place->group,
		        (int)place->pid, place->host, place->device, device, facts->devices[rank].name);
	}
	if (facts->reduced_max_bytes)
		fprintf(out, "#\n# Reducing maxBytes to %" PRIu64 " due to memory limitation\n",
		        facts->reduced_max_bytes);
}

static void print_title(FILE *out, const struct plan *p)
{
	fprintf(out, "#\n# %10s  %12s  %8s  %6s  %6s", "", "", "", "", "");
	if (p->per_iter)
		fprintf(out, "%14sout-of-place (+ per-iteration)%32sin-place (+ per-iteration)\n", "", "");
	else
		fprintf(out, "%11sout-of-place%23sin-place%10s\n", "", "", "");
}

static void print_columns(FILE *out, const struct plan *p, const char *const key[5],
        const char *const placement[8], const char *timestamp)
{
	fprintf(out, "# %10s  %12s  %8s  %6s  %6s", key[0], key[1], key[2], key[3], key[4]);
	for (int i = 0; i < 2; i++) {
		fprintf(out, "  %7s  %6s  %6s  %6s", placement[0], placement[1], placement[2], placement[3]);
		if (p->per_iter)
			fprintf(out, "  %7s  %7s  %7s  %7s", placement[4], placement[5], placement[6],
			        placement[7]);
	}
	fprintf(out, " %*s\n", p->timestamps ? 19 : 0, p->timestamps ? timestamp : "");
}

void table_header(FILE *out, const struct world *w, const struct plan *p, const struct run_facts *facts)
{
	const char *const names[] = {"size", "count", "type", "redop", "root"};
	const char *const units[] = {"(B)", "(elements)", "", "", ""};
	const char *const placement_names[] = {p->report_cputime ? "cputime" : "time", "algbw", "busbw",
	        "#wrong", "i_min", "i_max", "i_p99", "i_cv%"};
	const char *const placement_units[] = {"(us)", "(GB/s)", "(GB/s)", "", "(us)", "(us)", "(us)", "(%)"};
	fprintf(out, "# nccl-tests version %s nccl-headers=%d nccl-library=%d\n", NCCL_TESTS_VERSION,
	        facts->nccl_headers, facts->nccl_library);
	print_program(out, "starting", p, facts);
	print_settings(out, p);
	print_modes(out, p, facts);
	print_choice(out, w, facts);
	fputs("#\n", out);
	print_devices(out, w, facts);
	print_title(out, p);
	print_columns(out, p, names, placement_names, "timestamp");
	print_columns(out, p, units, placement_units, "%Y-%m-%d %H:%M:%S");
}

void table_key(FILE *out, const struct plan *p, const struct record *r)
{
	fprintf(out, "%12" PRIu64 "  %12" PRIu64 "  %8s  %6s  %6d", r->bytes, r->count_elems,
	        dtype_name(r->dtype), table_redop(p, r), r->root);
}

void table_placement(FILE *out, const struct plan *p, const struct row *row, const struct per_iter *per_iter)
{
	const struct record *r = row->combined;
	char time[TABLE_NUMBER_BYTES], algbw[TABLE_NUMBER_BYTES], busbw[TABLE_NUMBER_BYTES];
	table_number((p->report_cputime ? row->launch_ns : r->mean_ns) / 1e3, 7, time);
	table_number(r->algbw_gbs, 6, algbw);
	table_number(r->busbw_gbs, 6, busbw);
	fprintf(out, "  %7s  %6s  %6s", time, algbw, busbw);
	if (r->checked == CHECK_DONE)
		fprintf(out, "  %6g", (double)r->wrong_elems);
	else
		fputs("    N/A", out);
	if (per_iter) {
		const double columns[] = {per_iter->min, per_iter->max, per_iter->p99, per_iter->cv_percent};
		for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
			char text[TABLE_NUMBER_BYTES];
			table_number(columns[i], 7, text);
			fprintf(out, "  %7s", text);
		}
	}
}

void table_traffic(FILE *out, const struct plan *p, const struct row *row)
{
	const struct traffic *t = row->traffic;
	const struct record *r = row->combined;
	int n = row->groups[0].ranks;
	size_t total_bytes = (size_t)r->count_elems * dtype_bytes(r->dtype) * (size_t)n;
	if (t->dimension)
		fprintf(out,
		        "# NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY: mode=matrix nranks=%d matrix_dim=%d "
		        "scale=%.3f",
		        n, t->dimension, p->alltoallv_scale);
	else
		fprintf(out,
		        "# NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY: mode=generated nranks=%d total_bytes=%zu "
		        "spread=%.3f",
		        n, total_bytes, t->spread);
	fprintf(out, " time_usec=%.2f\n", r->mean_ns / 1e3);
	for (int rank = 0; rank < n; rank++) {
		size_t sent = 0, received = 0;
		for (int peer = 0; peer < n; peer++) {
			sent += traffic_bytes(t, rank, peer, n, total_bytes);
			received += traffic_bytes(t, peer, rank, n, total_bytes);
		}
		double gbs = r->mean_ns > 0 ? (double)(sent > received ? sent : received) / r->mean_ns : 0;
		fprintf(out, "#   rank=%d send_bytes=%zu recv_bytes=%zu alg_bw=%.2f bus_bw=%.2f\n", rank,
		        sent, received, gbs, gbs * (n - 1) / n);
	}
}

static void print_memory(FILE *out, const struct run_facts *facts, const struct summary *sum)
{
	static const char *const parts[MEMORY_PARTS] = {
	        [MEMORY_INITIALIZATION] = "Initialization",
	        [MEMORY_USER] = "User-Allocated",
	        [MEMORY_COLLECTIVE] = "Collective",
	};
	char text[UNITS_TEXT_BYTES];
	int64_t total = 0;
	fprintf(out, "# %-20s : ", strcmp(facts->memory, "cuda") ? "Host memory usage" : "GPU memory usage");
	for (int i = 0; i < MEMORY_PARTS; i++) {
		units_print_memory(sum->memory_bytes[i], text);
		fprintf(out, "%s %s | ", parts[i], text);
		total += sum->memory_bytes[i];
	}
	units_print_memory(total, text);
	fprintf(out, "Total  %s\n", text);
}

void table_footer(FILE *out, const struct plan *p, const struct run_facts *facts, const struct summary *sum)
{
	const char *rate_verdict = p->min_bandwidth_gbs < 0 ? "" : sum->bandwidth_low ? "FAILED" : "OK";
	fprintf(out, "# %-20s : %" PRIu64 " %s\n", "Out of bounds values", sum->wrong_checks,
	        sum->wrong_checks ? "FAILED" : "OK");
	fprintf(out, "# %-20s : %g %s\n", "Avg bus bandwidth", sum->avg_busbw_gbs, rate_verdict);
	fputs("#\n", out);
	print_program(out, "concluded", p, facts);
	if (p->memory_report)
		print_memory(out, facts, sum);
	fputs("#\n\n", out);
}

void table_failure(FILE *out, const struct run_facts *facts, const struct summary *sum)
{
	fprintf(out, " .. %s pid %d: Test failure: %s\n", facts->host, (int)facts->places[0].pid, sum->error);
}
