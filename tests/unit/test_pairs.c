/* test_pairs.c - injected faults are found and named, faultless matrices stay silent, ambiguity is said. */
#include "analysis/pairs.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

enum { NODES = 8 };

static const struct pairs_limits limits = {0.05, 0.001};
static gsl_rng *rng;

struct fault { /* bandwidth is the least of what sender, receiver and link allow */
	double send[NODES], receive[NODES], link[NODES][NODES];
};

static struct fault none(void)
{
	struct fault f;
	for (int i = 0; i < NODES; i++) {
		f.send[i] = f.receive[i] = 1;
		for (int j = 0; j < NODES; j++)
			f.link[i][j] = 1;
	}
	return f;
}

static struct pairs_report judge(int nodes, const struct fault *f, double noise)
{
	double gbs[NODES * NODES];
	struct pairs p = {.nodes = nodes, .directed = true, .gbs = gbs};
	for (int i = 0; i < nodes; i++)
		for (int j = 0; j < nodes; j++) {
			double share = fmin(fmin(f->send[i], f->receive[j]), f->link[i][j]);
			gbs[i * nodes + j] = i == j ? NAN : 25 * share * (1 + gsl_ran_gaussian(rng, noise));
		}
	struct pairs_report r;
	assert_int_equal(pairs_judge(&p, &limits, &r), ST_OK);
	return r;
}

static void clean_matrices_stay_silent(void **state)
{
	(void)state;
	enum { TRIALS = 4000 };
	int alarms = 0;
	struct fault f = none();
	for (int t = 0; t < TRIALS; t++) {
		struct pairs_report r = judge(NODES, &f, t % 2 ? 0.02 : 0.005);
		alarms += r.findings > 0;
		pairs_report_free(&r);
	}
	/* Promised: one in a thousand. */
	if (alarms > TRIALS / 1000 * 3)
		fail_msg("%d false alarms in %d clean matrices", alarms, TRIALS);
}

static void slow_node_is_found(void **state)
{
	(void)state;
	for (int t = 0; t < 200; t++) {
		struct fault f = none();
		int node = t % NODES;
		f.send[node] = f.receive[node] = 0.6;
		struct pairs_report r = judge(NODES, &f, 0.01);
		assert_true(r.findings >= 1);
		assert_int_equal(r.finding[0].part, PART_NODE);
		assert_int_equal(r.finding[0].node, node);
		assert_true(fabs(r.finding[0].share - 0.6) < 0.03);
		pairs_report_free(&r);
	}
}

static void two_slow_nodes_are_both_found(void **state)
{
	(void)state;
	struct fault f = none();
	f.send[3] = f.receive[3] = 0.6;
	f.send[5] = f.receive[5] = 0.8;
	struct pairs_report r = judge(NODES, &f, 0.005);
	assert_int_equal(r.findings, 2);
	assert_int_equal(r.finding[0].node, 3);
	assert_int_equal(r.finding[1].node, 5);
	pairs_report_free(&r);
}

static void one_direction_is_told_from_both(void **state)
{
	(void)state;
	struct fault f = none();
	f.send[2] = 0.9;
	struct pairs_report r = judge(NODES, &f, 0.01);
	assert_int_equal(r.findings, 1);
	assert_int_equal(r.finding[0].part, PART_SENDER);
	assert_int_equal(r.finding[0].node, 2);
	pairs_report_free(&r);
	f = none();
	f.receive[7] = 0.5;
	r = judge(NODES, &f, 0.01);
	assert_int_equal(r.findings, 1);
	assert_int_equal(r.finding[0].part, PART_RECEIVER);
	pairs_report_free(&r);
}

static void bad_link_is_not_blamed_on_its_ends(void **state)
{
	(void)state;
	struct fault f = none();
	f.link[2][6] = 0.5;
	f.link[1][4] = f.link[4][1] = 0.3;
	struct pairs_report r = judge(NODES, &f, 0.01);
	assert_int_equal(r.findings, 2);
	assert_int_equal(r.finding[0].part, PART_LINK);
	assert_true(r.finding[0].both);
	assert_int_equal(r.finding[0].node, 1);
	assert_int_equal(r.finding[0].peer, 4);
	assert_int_equal(r.finding[1].part, PART_LINK);
	assert_false(r.finding[1].both);
	assert_int_equal(r.finding[1].node, 2);
	assert_int_equal(r.finding[1].peer, 6);
	pairs_report_free(&r);
}

static void bad_link_of_a_slow_node_is_found_too(void **state)
{
	(void)state;
	struct fault f = none();
	f.send[3] = f.receive[3] = 0.6;
	f.link[3][0] = f.link[0][3] = 0.2;
	struct pairs_report r = judge(NODES, &f, 0.005);
	assert_int_equal(r.findings, 2);
	assert_int_equal(r.finding[0].part, PART_NODE);
	assert_int_equal(r.finding[1].part, PART_LINK);
	pairs_report_free(&r);
}

static void racks_are_no_fault(void **state)
{
	(void)state;
	struct fault f = none();
	for (int i = 0; i < NODES; i++)
		for (int j = 0; j < NODES; j++)
			f.link[i][j] = i / 4 == j / 4 ? 1 : 0.5;
	struct pairs_report r = judge(NODES, &f, 0.01);
	assert_int_equal(r.findings, 0);
	assert_int_equal(r.groups, 2);
	assert_true(fabs(r.between - 0.5) < 0.02);
	pairs_report_free(&r);
}

static void two_nodes_cannot_be_told_apart(void **state)
{
	(void)state;
	struct fault f = none();
	f.send[0] = 0.5;
	struct pairs_report r = judge(2, &f, 0.001);
	assert_int_equal(r.findings, 1);
	assert_int_equal(r.finding[0].part, PART_UNRESOLVED);
	assert_int_equal(r.finding[0].members, 2);
	assert_int_equal(r.finding[0].slow, 1);
	pairs_report_free(&r);
}

/* Five pairs of seven nodes: 0 is slow with two that are fast elsewhere; 5 and 6 met only each other. */
static void sparse_lists_are_judged_by_what_they_show(void **state)
{
	(void)state;
	enum { N = 7 };
	static const struct {
		int a, b;
		double gbs;
	} list[] = {{0, 1, 49.4}, {2, 3, 88.4}, {5, 6, 49.3}, {3, 0, 49.3}, {4, 1, 86.8}};
	double gbs[N * N];
	for (int i = 0; i < N * N; i++)
		gbs[i] = NAN;
	for (int i = 0; i < 5; i++)
		gbs[list[i].a * N + list[i].b] = gbs[list[i].b * N + list[i].a] = list[i].gbs;
	struct pairs p = {.nodes = N, .directed = false, .gbs = gbs};
	struct pairs_report r;
	assert_int_equal(pairs_judge(&p, &limits, &r), ST_OK);
	assert_int_equal(r.measured, 5);
	assert_int_equal(r.slow, 3);
	assert_int_equal(r.findings, 2);
	assert_int_equal(r.finding[0].part, PART_NODE);
	assert_int_equal(r.finding[0].node, 0);
	assert_int_equal(r.finding[1].part, PART_UNRESOLVED);
	assert_int_equal(r.finding[1].members, 2);
	assert_int_equal(r.finding[1].slow, 1);
	pairs_report_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(clean_matrices_stay_silent),
	        cmocka_unit_test(slow_node_is_found),
	        cmocka_unit_test(two_slow_nodes_are_both_found),
	        cmocka_unit_test(one_direction_is_told_from_both),
	        cmocka_unit_test(bad_link_is_not_blamed_on_its_ends),
	        cmocka_unit_test(bad_link_of_a_slow_node_is_found_too),
	        cmocka_unit_test(racks_are_no_fault),
	        cmocka_unit_test(two_nodes_cannot_be_told_apart),
	        cmocka_unit_test(sparse_lists_are_judged_by_what_they_show),
	};
	rng = gsl_rng_alloc(gsl_rng_mt19937);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	gsl_rng_free(rng);
	return failed;
}
