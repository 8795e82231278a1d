/* test_verdict.c - clean runs pass, slowed, wrong and misrouted ones fail for the right reason. Runs are made
 * up here, with the noise of a busy machine: every row is off by some percent, and now and then one is
 * disturbed. */
#include "analysis/verdict.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static gsl_rng *rng;

struct world_of_runs {
	double alpha_ns, bytes_per_s, reduce_factor;
	double noise, disturbed; /* share of a row's time; chance that a row takes twice as long */
	double slow_collective;  /* factor on the times of `slow`, from slow_from bytes on */
	const char *slow;
	uint64_t slow_from;
	int nodes;
};

static const struct world_of_runs idle = {.alpha_ns = 20e3,
        .bytes_per_s = 1e9,
        .reduce_factor = 1.3,
        .noise = 0.08,
        .disturbed = 0.02,
        .nodes = 1};

static void add_row(struct rows *rows, const struct world_of_runs *w, const char *collective, uint64_t bytes,
        const char *place)
{
	enum { RANKS = 4 };
	const struct collective *c = collective_find(collective);
	struct record r;
	record_clear(&r);
	strcpy(r.collective, collective);
	strcpy(r.backend, "ring");
	strcpy(r.transport_asked, "socket");
	strcpy(r.transport_seen, "socket");
	strcpy(r.memory, "host");
	strcpy(r.placement, place);
	r.ranks = RANKS;
	r.nodes = w->nodes;
	r.bytes = bytes;
	r.checked = CHECK_DONE;
	double ns = c->ring_steps(RANKS) * w->alpha_ns + c->ring_bytes((double)bytes, RANKS) /
	                                                         w->bytes_per_s * 1e9 *
	                                                         (c->reduces ? w->reduce_factor : 1);
	if (w->slow && !strcmp(w->slow, collective) && bytes >= w->slow_from)
		ns *= w->slow_collective;
	ns *= 1 + gsl_ran_gaussian(rng, w->noise);
	if (gsl_rng_uniform(rng) < w->disturbed)
		ns *= 2;
	r.mean_ns = ns * 1.1;
	r.time_ns = (struct stats){
	        20, ns * 0.9, ns, ns * 1.3, ns * 1.5, ns * 2, ns * 1.1, ns * 0.2, ns * 0.97, ns * 1.03};
	assert_int_equal(rows_append(rows, &r), ST_OK);
}

static struct rows run_of(const struct world_of_runs *w)
{
	static const char *const names[] = {
	        "sendrecv", "all_reduce", "all_gather", "reduce_scatter", "alltoall"};
	struct rows rows = {0};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (uint64_t bytes = 1024; bytes <= 16 << 20; bytes *= 4)
			for (int in_place = 0; in_place < 2; in_place++)
				add_row(&rows, w, names[i], bytes, in_place ? "in-place" : "out-of-place");
	return rows;
}

/* The exit code, and the gravest failure. */
static int verdict_on(const struct rows *rows, struct judge *judge, enum reason *reason_p)
{
	struct calibrations calibrations;
	struct verdict v;
	judge->calibrations = &calibrations;
	assert_int_equal(calibrations_of(rows, &calibrations), ST_OK);
	assert_int_equal(verdict_of(judge, rows, &v), ST_OK);
	*reason_p = REASON_NONE;
	for (size_t i = 0; i < rows->count; i++)
		if (v.at[i].outcome == OUTCOME_FAIL && v.at[i].reason > *reason_p)
			*reason_p = v.at[i].reason;
	FILE *nowhere = fopen("/dev/null", "w");
	struct output *o = output_open(nowhere, OUTPUT_TEXT, "");
	int code = verdict_put(o, &v, false);
	output_close(o);
	fclose(nowhere);
	verdict_free(&v);
	calibrations_free(&calibrations);
	return code;
}

static int code_of(struct rows rows, enum reason *reason_p)
{
	struct judge judge = {.tolerance = verdict_tolerance};
	int code = verdict_on(&rows, &judge, reason_p);
	rows_free(&rows);
	return code;
}

static void clean_runs_pass(void **state)
{
	(void)state;
	enum { TRIALS = 500 };
	int passed = 0;
	enum reason reason;
	for (int t = 0; t < TRIALS; t++)
		passed += code_of(run_of(&idle), &reason) == EXIT_PASS;
	if (passed < TRIALS * 99 / 100)
		fail_msg("%d of %d clean runs passed", passed, TRIALS);
}

static void slow_collective_fails(void **state)
{
	(void)state;
	static const char *const names[] = {"all_reduce", "all_gather", "alltoall"};
	for (int t = 0; t < 60; t++) {
		struct world_of_runs w = idle;
		enum reason reason;
		w.slow = names[t % 3];
		w.slow_collective = 2.5;
		w.slow_from = 65536;
		assert_int_equal(code_of(run_of(&w), &reason), EXIT_VERDICT_FAIL);
		assert_int_equal(reason, REASON_SLOW);
	}
}

static void slow_steps_fail_as_such(void **state)
{
	(void)state;
	struct world_of_runs w = idle;
	enum reason reason;
	w.slow = "all_gather";
	w.slow_collective = 6;
	struct rows rows = {0};
	for (uint64_t bytes = 64; bytes <= 4096; bytes *= 4)
		add_row(&rows, &w, "all_gather", bytes, "out-of-place");
	for (uint64_t bytes = 64; bytes <= 16 << 20; bytes *= 4)
		add_row(&rows, &w, "sendrecv", bytes, "out-of-place");
	assert_int_equal(code_of(rows, &reason), EXIT_VERDICT_FAIL);
	assert_int_equal(reason, REASON_LATENCY);
}

static void given_rate_judges_the_links_themselves(void **state)
{
	(void)state;
	struct rows rows = run_of(&idle);
	struct judge judge = {.tolerance = verdict_tolerance, .given = {.bytes_per_s = 10e9}};
	enum reason reason;
	assert_int_equal(verdict_on(&rows, &judge, &reason), EXIT_VERDICT_FAIL);
	assert_int_equal(reason, REASON_SLOW);
	judge.given.bytes_per_s = 0.9e9;
	assert_int_equal(verdict_on(&rows, &judge, &reason), EXIT_PASS);
	rows_free(&rows);
}

static void wrong_data_outrank_all(void **state)
{
	(void)state;
	struct rows rows = run_of(&idle);
	enum reason reason;
	rows.row[20].wrong_elems = 3;
	strcpy(rows.row[21].transport_seen, "shm");
	assert_int_equal(code_of(rows, &reason), EXIT_VERDICT_FAIL);
	assert_int_equal(reason, REASON_WRONG_DATA);
}

static void another_transport_fails(void **state)
{
	(void)state;
	struct rows rows = run_of(&idle);
	enum reason reason;
	strcpy(rows.row[21].transport_seen, "shm+socket");
	assert_int_equal(code_of(rows, &reason), EXIT_VERDICT_FAIL);
	assert_int_equal(reason, REASON_TRANSPORT);
}

static void unchecked_never_passes(void **state)
{
	(void)state;
	struct rows rows = run_of(&idle);
	enum reason reason;
	for (size_t i = 0; i < rows.count; i++)
		rows.row[i].checked = CHECK_NONE;
	assert_int_equal(code_of(rows, &reason), EXIT_NOT_JUDGED);
}

static void without_sendrecv_nothing_is_judged(void **state)
{
	(void)state;
	struct rows rows = {0};
	enum reason reason;
	add_row(&rows, &idle, "all_reduce", 1 << 20, "out-of-place");
	assert_int_equal(code_of(rows, &reason), EXIT_NOT_JUDGED);
}

static void one_rank_is_not_applicable(void **state)
{
	(void)state;
	struct rows rows = run_of(&idle);
	enum reason reason;
	for (size_t i = 0; i < rows.count; i++)
		rows.row[i].ranks = 1;
	assert_int_equal(code_of(rows, &reason), EXIT_NOT_JUDGED);
}

static struct rows run_on_hosts(int64_t data, int64_t management, const char *interfaces)
{
	struct world_of_runs w = idle;
	w.nodes = 4;
	struct rows rows = run_of(&w);
	for (size_t i = 0; i < rows.count; i++) {
		rows.row[i].model_bytes = 1000000;
		rows.row[i].tx_data_bytes = data;
		rows.row[i].tx_management_bytes = management;
		strcpy(rows.row[i].interfaces, interfaces);
	}
	return rows;
}

static void bytes_on_the_data_interfaces_are_proof(void **state)
{
	(void)state;
	enum reason reason;
	assert_int_equal(
	        code_of(run_on_hosts(1020000, 8000, "node-0/ens1=1020000 node-0/eth0=8000"), &reason),
	        EXIT_PASS);
	/* Nobody counted: no proof, no blame. */
	assert_int_equal(code_of(run_on_hosts(-1, -1, ""), &reason), EXIT_PASS);
}

static void misroute_names_the_interface(void **state)
{
	(void)state;
	enum reason reason;
	assert_int_equal(
	        code_of(run_on_hosts(3000, 1010000, "node-0/eth0=510000 node-1/eth0=500000 node-0/ens1=3000"),
	                &reason),
	        EXIT_VERDICT_FAIL);
	assert_int_equal(reason, REASON_MISROUTE);
	struct rows rows = run_on_hosts(520000, 500000, "node-0/eth0=500000 node-0/ens1=520000");
	char detail[160];
	assert_int_equal(wire_of(&rows.row[0], 0.03, detail, sizeof detail), WIRE_MISROUTED);
	assert_non_null(strstr(detail, "eth0"));
	rows_free(&rows);
	/* Over sockets, bytes that no interface saw took another path; a transport past the kernel is not
	 * blamed. */
	rows = run_on_hosts(1000, 1000, "");
	assert_int_equal(wire_of(&rows.row[0], 0.03, detail, sizeof detail), WIRE_MISROUTED);
	strcpy(rows.row[0].transport_seen, "verbs");
	assert_int_equal(wire_of(&rows.row[0], 0.03, detail, sizeof detail), WIRE_UNKNOWN);
	rows_free(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(clean_runs_pass),
	        cmocka_unit_test(slow_collective_fails),
	        cmocka_unit_test(slow_steps_fail_as_such),
	        cmocka_unit_test(given_rate_judges_the_links_themselves),
	        cmocka_unit_test(wrong_data_outrank_all),
	        cmocka_unit_test(another_transport_fails),
	        cmocka_unit_test(unchecked_never_passes),
	        cmocka_unit_test(without_sendrecv_nothing_is_judged),
	        cmocka_unit_test(one_rank_is_not_applicable),
	        cmocka_unit_test(bytes_on_the_data_interfaces_are_proof),
	        cmocka_unit_test(misroute_names_the_interface),
	};
	rng = gsl_rng_alloc(gsl_rng_mt19937);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	gsl_rng_free(rng);
	return failed;
}
