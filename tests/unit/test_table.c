/* test_table.c - the lines that nccl-tests prints, byte for byte, and what parsers do to them. */
#include "bench/core/options.h"
#include "bench/core/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct place places[2] = {
        {.host = "gpu49", .pid = 65234, .device = 0, .group = 0},
        {.host = "a-longer-hostname", .pid = 7, .device = 11, .group = 1},
};
static struct device_facts devices[2] = {
        {.bus = 0x0a, .name = "NVIDIA H200"},
        {.domain = 1, .bus = 0xc0, .slot = 3, .name = "AMD EPYC 7763 64-Core Processor"},
};
static const struct world world = {.ranks = 2, .processes = 2, .nodes = 1, .places = places};
static struct run_facts facts = {
        .run_id = "0123456789abcdef",
        .program = "all_reduce_perf",
        .version = "0.1",
        .host = "gpu49",
        .ranks = 2,
        .places = places,
        .devices = devices,
        .backend = "ring",
        .transport = "",
        .memory = "host",
};

static char text[8192];
static FILE *out;

static FILE *start(void)
{
	memset(text, 0, sizeof text);
	out = fmemopen(text, sizeof text, "w");
	assert_non_null(out);
	return out;
}

#define assert_printed(expected)                                                                             \
	do {                                                                                                 \
		fclose(out);                                                                                 \
		assert_string_equal(text, expected);                                                         \
	} while (0)

static struct plan plan_of(const char *collective)
{
	struct plan plan;
	options_defaults(collective, &plan);
	plan.min_bytes = 8;
	plan.max_bytes = 128 << 20;
	plan.step_factor = 2;
	return plan;
}

static void numbers_fit_their_width(void **state)
{
	(void)state;
	static const struct {
		double value;
		int width;
		const char *text;
	} cases[] = {
	        {12.345, 7, "  12.35"},
	        {8123.451, 7, "8123.45"},
	        {12345.67, 7, "12345.7"},
	        {123456.7, 7, " 123457"},
	        {0, 6, "  0.00"},
	        {231.317, 6, "231.32"},
	        {1234.56, 6, "1234.6"},
	        {12345.6, 6, " 12346"},
	        {123456, 6, "123456"},
	        {1234567, 7, "1234567"},
	        {12345678, 7, "1.2e+07"},
	        {1234567, 6, " 1e+06"},
	        {99999.95, 7, "99999.9"},
	        {999.995, 6, "1000.0"},
	        {INFINITY, 7, "    inf"},
	        {NAN, 6, "   nan"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char number[TABLE_NUMBER_BYTES];
		table_number(cases[i].value, cases[i].width, number);
		assert_string_equal(number, cases[i].text);
	}
}

static void header(void **state)
{
	(void)state;
	struct plan plan = plan_of("all_reduce");
	table_header(start(), &world, &plan, &facts);
	assert_printed(
	        "# nccl-tests version 2.19.6 nccl-headers=0 nccl-library=0\n"
	        "# Collective test starting: all_reduce_perf\n"
	        "# nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 1 iters: 20 "
	        "agg iters: 1 "
	        "validation: 1 graph: 0 unalign: 0\n"
	        "# busbar 0.1 backend: ring memory: host transport: any processes: 2 ranks: 2 nodes: 1 run: "
	        "0123456789abcdef\n"
	        "#\n"
	        "# Using devices\n"
	        "#  Rank  0 Group  0 Pid  65234 on      gpu49 device  0 [0000:0a:00] NVIDIA H200\n"
	        "#  Rank  1 Group  1 Pid      7 on a-longer-hostname device 11 [0001:c0:03] AMD EPYC 7763 "
	        "64-Core "
	        "Processor\n"
	        "#\n"
	        "#                                                              out-of-place                 "
	        "      "
	        "in-place          \n"
	        "#       size         count      type   redop    root     time   algbw   busbw  #wrong     "
	        "time   algbw   "
	        "busbw  #wrong \n"
	        "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             "
	        "(us)  (GB/s)  "
	        "(GB/s)         \n");
}

/* A plan file has any program run any collective: the line names the one that runs. */
static void program_names(void **state)
{
	(void)state;
	static const struct {
		const char *program, *collective, *line;
	} cases[] = {
	        {"all_reduce_perf", "all_reduce", "\n# Collective test starting: all_reduce_perf\n"},
	        {"all_reduce_perf_mpi", "all_gather", "\n# Collective test starting: all_gather_perf_mpi\n"},
	        {"renamed", "all_gather", "\n# Collective test starting: renamed\n"},
	        {"my_perf", "all_gather", "\n# Collective test starting: my_perf\n"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct plan plan = plan_of(cases[i].collective);
		facts.program = cases[i].program;
		table_header(start(), &world, &plan, &facts);
		fclose(out);
		assert_non_null(strstr(text, cases[i].line));
	}
	facts.program = "all_reduce_perf";
}

static void header_variants(void **state)
{
	(void)state;
	struct plan plan = plan_of("all_reduce");
	plan.step_factor = 1;
	plan.step_bytes = 1 << 20;
	plan.blocking = 3;
	plan.per_iter = 1;
	plan.per_iter_skip = 2;
	plan.parallel_init = true;
	plan.report_cputime = true;
	plan.timestamps = true;
	facts.reduced_max_bytes = 4096;
	table_header(start(), &world, &plan, &facts);
	facts.reduced_max_bytes = 0;
	fclose(out);
	static const char *const lines[] = {
	        " step: 1048576(bytes) ",
	        "\n# Blocking Enabled: wait and barrier after each outer iteration (-n); time excludes "
	        "barrier \n",
	        "\n# Per-Iteration Report: host clock timing; i_* uses max over process rows; summary skips "
	        "first 2 iterations \n",
	        "\n# Parallel Init Enabled: threads call into NcclInitRank concurrently \n",
	        "\n#\n# Reducing maxBytes to 4096 due to memory limitation\n#\n",
	        "\n#                                                                 out-of-place ("
	        "+ per-iteration)                                in-place (+ per-iteration)\n",
	        "\n#       size         count      type   redop    root  cputime   algbw   busbw  #"
	        "wrong    i_min    i_max    i_p99    i_cv%  cputime   algbw   busbw  #wrong    i_min    "
	        "i_max    i_p99    i_cv%           timestamp\n",
	        "\n#        (B)    (elements)                               (us)  (GB/s)  (GB/s)   "
	        "          (us)     (us)     (us)      (%)     (us)  (GB/s)  (GB/s)             (us)     "
	        "(us)     (us)      (%)   %Y-%m-%d %H:%M:%S\n",
	};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		assert_non_null(strstr(text, lines[i]));
	plan.blocking = 1;
	table_header(start(), &world, &plan, &facts);
	fclose(out);
	assert_non_null(
	        strstr(text, "\n# Blocking Enabled: wait and barrier after each inner iteration (-m) \n"));
	plan.blocking = 2;
	table_header(start(), &world, &plan, &facts);
	fclose(out);
	assert_non_null(
	        strstr(text, "\n# Blocking Enabled: wait after each inner iteration (-m), no barrier \n"));
}

static void print_row(const struct plan *plan, struct record r, double time_ns, double algbw, double busbw,
        enum check checked, uint64_t wrong)
{
	r.mean_ns = time_ns;
	r.algbw_gbs = algbw;
	r.busbw_gbs = busbw;
	r.checked = checked;
	r.wrong_elems = wrong;
	struct row row = {.combined = &r, .launch_ns = 1500};
	table_placement(out, plan, &row, NULL);
}

static void rows(void **state)
{
	(void)state;
	struct plan plan = plan_of("all_reduce");
	struct record r = {.bytes = 8, .count_elems = 2, .dtype = DT_FLOAT, .redop = OP_SUM, .root = -1};
	start();
	table_key(out, &plan, &r);
	print_row(&plan, r, 12350, 0, 0, CHECK_DONE, 0);
	print_row(&plan, r, 11980, 0, 0, CHECK_DONE, 0);
	assert_printed("           8             2     float     sum      -1    12.35    0.00    0.00       "
	               "0    11.98    0.00    0.00       0");
	r.bytes = 1 << 30;
	r.count_elems = 1 << 28;
	start();
	table_key(out, &plan, &r);
	print_row(&plan, r, 8123450, 132.18, 231.32, CHECK_DONE, 0);
	print_row(&plan, r, 8119100, 132.25, 231.44, CHECK_DONE, 3);
	assert_printed("  1073741824     268435456     float     sum      -1  8123.45  132.18  231.32       "
	               "0  8119.10  132.25  231.44       3");
	plan = plan_of("alltoall");
	r = (struct record){
	        .bytes = 33554432, .count_elems = 1048576, .dtype = DT_FLOAT, .redop = OP_NONE, .root = -1};
	start();
	table_key(out, &plan, &r);
	print_row(&plan, r, 123400, 271.9, 237.9, CHECK_DONE, 0);
	print_row(&plan, r, 120100, 279.4, 244.5, CHECK_NONE, 0);
	assert_printed("    33554432       1048576     float    none      -1   123.40  271.90  237.90       "
	               "0   120.10  279.40  244.50    N/A");
	plan.report_cputime = true;
	start();
	print_row(&plan, r, 123400, 1, 2, CHECK_DONE, 12345678);
	assert_printed("     1.50    1.00    2.00  1.23457e+07");
}

static void redop_columns(void **state)
{
	(void)state;
	static const struct {
		const char *collective;
		enum redop redop;
		const char *column;
	} cases[] = {
	        {"all_reduce", OP_MAX, "max"},
	        {"all_gather", OP_NONE, "none"},
	        {"sendrecv", OP_SUM, "sum"},
	        {"hypercube", OP_NONE, ""},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct plan plan = plan_of(cases[i].collective);
		struct record r = {.redop = cases[i].redop};
		assert_string_equal(table_redop(&plan, &r), cases[i].column);
	}
}

static void per_iteration_columns(void **state)
{
	(void)state;
	struct plan plan = plan_of("all_reduce");
	struct record r = {.mean_ns = 1000, .checked = CHECK_DONE};
	struct row row = {.combined = &r};
	const struct per_iter p = {.min = 0.5, .max = 123456.789, .p99 = 12345678, .cv_percent = 12.5};
	table_placement(start(), &plan, &row, &p);
	assert_printed("     1.00    0.00    0.00       0     0.50   123457  1.2e+07    12.50");
}

static void per_iteration_numbers(void **state)
{
	(void)state;
	const int64_t ns[] = {9000000, 1000, 2000, 3000, 4000};
	const struct samples samples = {.count = 5, .elapsed_ns = ns};
	struct per_iter p;
	assert_int_equal(per_iter_of(&samples, 1, &p), ST_OK);
	assert_true(p.min == 1 && p.max == 4 && p.avg == 2.5);
	assert_true(p.p50 == 3); /* the upper middle one of 1 2 3 4 */
	assert_true(p.p95 == 4 && p.p99 == 4);
	assert_float_equal(p.stdev, 1.11803, 1e-5);
	assert_float_equal(p.cv_percent, 44.7214, 1e-4);
}

static void footer(void **state)
{
	(void)state;
	struct plan plan = plan_of("all_reduce");
	struct summary sum = {.avg_busbw_gbs = 231.3829};
	table_footer(start(), &plan, &facts, &sum);
	assert_printed("# Out of bounds values : 0 OK\n"
	               "# Avg bus bandwidth    : 231.383 \n"
	               "#\n"
	               "# Collective test concluded: all_reduce_perf\n"
	               "#\n"
	               "\n");
	plan.min_bandwidth_gbs = 200;
	plan.memory_report = true;
	sum.wrong_checks = 2;
	sum.memory_bytes[MEMORY_INITIALIZATION] = 1288490189;
	sum.memory_bytes[MEMORY_USER] = 96 << 20;
	table_footer(start(), &plan, &facts, &sum);
	assert_printed("# Out of bounds values : 2 FAILED\n"
	               "# Avg bus bandwidth    : 231.383 OK\n"
	               "#\n"
	               "# Collective test concluded: all_reduce_perf\n"
	               "# Host memory usage    : Initialization 1.20 GB | User-Allocated 96.0 MB | "
	               "Collective 0.00 B | Total  "
	               "1.29 GB\n"
	               "#\n"
	               "\n");
	sum.bandwidth_low = true;
	plan.memory_report = false;
	table_footer(start(), &plan, &facts, &sum);
	fclose(out);
	assert_non_null(strstr(text, "# Avg bus bandwidth    : 231.383 FAILED\n"));
}

/* Parsers take the footer's two lines for success: a run that ended early must not have them. */
static void failure(void **state)
{
	(void)state;
	struct summary sum = {.error = "the link went away"};
	table_failure(start(), &facts, &sum);
	assert_printed(" .. gpu49 pid 65234: Test failure: the link went away\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(numbers_fit_their_width),
	        cmocka_unit_test(header),
	        cmocka_unit_test(program_names),
	        cmocka_unit_test(header_variants),
	        cmocka_unit_test(rows),
	        cmocka_unit_test(redop_columns),
	        cmocka_unit_test(per_iteration_columns),
	        cmocka_unit_test(per_iteration_numbers),
	        cmocka_unit_test(footer),
	        cmocka_unit_test(failure),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
