/* test_verdict.c - clean runs pass, slowed, wrong and misrouted ones fail for the right reason. Runs are made
 * up here, with the noise of a busy machine: every row is off by some percent, and now and then one is
 * disturbed. */
#include "analysis/verdict.h"
#include "tests/unit/made_up.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

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
		passed += code_of(made_up_run(&made_up_idle), &reason) == EXIT_PASS;
	if (passed < TRIALS * 99 / 100)
		fail_msg("%d of %d clean runs passed", passed, TRIALS);
}

static void slow_collective_fails(void **state)
{
	(void)state;
	static const char *const names[] = {"all_reduce", "all_gather", "alltoall"};
	for (int t = 0; t < 60; t++) {
		struct made_up_world w = made_up_idle;
		enum reason reason;
		w.slow = names[t % 3];
		w.slow_collective = 2.5;
		w.slow_from = 65536;
		assert_int_equal(code_of(made_up_run(&w), &reason), EXIT_VERDICT_FAIL);
		assert_int_equal(reason, REASON_SLOW);
	}
}

static void slow_steps_fail_as_such(void **state)
{
	(void)state;
	struct made_up_world w = made_up_idle;
	enum reason reason;
	w.slow = "all_gather";
	w.slow_collective = 6;
	struct rows rows = {0};
	for (uint64_t bytes = 64; bytes <= 4096; bytes *= 4)
		made_up_row(&rows, &w, "all_gather", bytes, "out-of-place");
	for (uint64_t bytes = 64; bytes <= 16 << 20; bytes *= 4)
		made_up_row(&rows, &w, "sendrecv", bytes, "out-of-place");
	assert_int_equal(code_of(rows, &reason), EXIT_VERDICT_FAIL);
	assert_int_equal(reason, REASON_LATENCY);
}

static void given_rate_judges_the_links_themselves(void **state)
{
	(void)state;
	struct rows rows = made_up_run(&made_up_idle);
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
	struct rows rows = made_up_run(&made_up_idle);
	enum reason reason;
	rows.row[20].wrong_elems = 3;
	strcpy(rows.row[21].transport_seen, "shm");
	assert_int_equal(code_of(rows, &reason), EXIT_VERDICT_FAIL);
	assert_int_equal(reason, REASON_WRONG_DATA);
}

static void another_transport_fails(void **state)
{
	(void)state;
	struct rows rows = made_up_run(&made_up_idle);
	enum reason reason;
	strcpy(rows.row[21].transport_seen, "shm+socket");
	assert_int_equal(code_of(rows, &reason), EXIT_VERDICT_FAIL);
	assert_int_equal(reason, REASON_TRANSPORT);
}

static void unchecked_never_passes(void **state)
{
	(void)state;
	struct rows rows = made_up_run(&made_up_idle);
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
	made_up_row(&rows, &made_up_idle, "all_reduce", 1 << 20, "out-of-place");
	assert_int_equal(code_of(rows, &reason), EXIT_NOT_JUDGED);
}

static void one_rank_is_not_applicable(void **state)
{
	(void)state;
	struct rows rows = made_up_run(&made_up_idle);
	enum reason reason;
	for (size_t i = 0; i < rows.count; i++)
		rows.row[i].ranks = 1;
	assert_int_equal(code_of(rows, &reason), EXIT_NOT_JUDGED);
}

static struct rows run_on_hosts(int64_t data, int64_t management, const char *interfaces)
{
	struct made_up_world w = made_up_idle;
	w.nodes = 4;
	struct rows rows = made_up_run(&w);
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
	made_up_begin();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	made_up_end();
	return failed;
}
