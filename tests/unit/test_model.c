/* test_model.c - the worked example, the bounds of each algorithm, and the edges. */
#include "analysis/model.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct model_answer answer_of(struct model_question q)
{
	struct model_answer a;
	assert_int_equal(model_answer_of(&q, &a), ST_OK);
	return a;
}

static void assert_near(double got, double expected)
{
	if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
		fail_msg("got %.15g, expected %.15g", got, expected);
}

static struct model_question seven_billion(int ranks, int nodes, double bytes_per_s)
{
	return (struct model_question){.collective = collective_find("all_reduce"),
	        .size_bytes = 14e9,
	        .ranks = ranks,
	        .nodes = nodes,
	        .wire = {bytes_per_s, 0}};
}

/* 2 (8 - 1) / 8 x 14 GB, at 25 and at 50 GB/s. */
static void worked_example(void **state)
{
	(void)state;
	struct model_answer a = answer_of(seven_billion(8, 8, 25e9));
	assert_near(a.wire_bytes, 24.5e9);
	assert_near(a.time_ns, 980e6);
	assert_int_equal(a.bound, BOUND_WIRE);
	assert_near(answer_of(seven_billion(8, 8, 50e9)).time_ns, 490e6);
	assert_near(answer_of(seven_billion(8, 1, 25e9)).time_ns, 980e6);
}

static void eight_gpus_a_node(void **state)
{
	(void)state;
	struct model_question q = seven_billion(64, 8, 25e9);
	struct model_answer flat = answer_of(q);
	assert_near(flat.wire_bytes, 27.5625e9);
	assert_near(flat.time_ns, 1102.5e6);
	q.wire.bytes_per_s = 50e9;
	assert_near(answer_of(q).time_ns, 551.25e6);
	q.shape = MODEL_HIERARCHICAL;
	struct model_answer hierarchical = answer_of(q);
	assert_near(hierarchical.wire_bytes, 24.5e9);
	assert_near(hierarchical.time_ns, 490e6);
	assert_near(hierarchical.inside_bytes, 24.5e9);
}

/* Ring: the least of NVLink and all of a node's interfaces. */
static void ring_busbw_is_bounded_by_the_slower_link(void **state)
{
	(void)state;
	static const char *const names[] = {"all_reduce", "all_gather", "reduce_scatter"};
	for (size_t i = 0; i < 3; i++) {
		struct model_question q = {.collective = collective_find(names[i]),
		        .size_bytes = 1e10,
		        .ranks = 16,
		        .nodes = 2,
		        .wire = {200e9, 0},
		        .inside = {370e9, 0}};
		assert_near(answer_of(q).busbw_gbs, 200);
		q.wire.bytes_per_s = 400e9;
		struct model_answer a = answer_of(q);
		assert_near(a.busbw_gbs, 370);
		assert_int_equal(a.bound, BOUND_NVLINK);
	}
}

/* Two nodes exchange the data once: legitimately above the line rate. Inner nodes of larger trees send it
 * twice. */
static void tree_bounds(void **state)
{
	(void)state;
	struct model_question q = {.collective = collective_find("all_reduce"),
	        .size_bytes = 1e10,
	        .ranks = 16,
	        .nodes = 2,
	        .shape = MODEL_TREE,
	        .wire = {100e9, 0}};
	assert_near(answer_of(q).busbw_gbs, 2.0 * 15 / 16 * 100);
	q.ranks = 32;
	q.nodes = 4;
	assert_near(answer_of(q).busbw_gbs, 31.0 / 32 * 100);
}

/* A rank sends S (n - g) / n off its node: busbw <= b (n - 1) / (n - g), b the rank's part of the node's
 * rate. */
static void alltoall_bound(void **state)
{
	(void)state;
	struct model_question q = {.collective = collective_find("alltoall"),
	        .size_bytes = 1e10,
	        .ranks = 16,
	        .nodes = 2,
	        .wire = {200e9, 0}};
	assert_near(answer_of(q).busbw_gbs, 25.0 * 15 / 8);
	q.shape = MODEL_HIERARCHICAL;
	assert_near(answer_of(q).busbw_gbs, 25.0 * 15 / 8);
}

static void steps_bind_small_sizes(void **state)
{
	(void)state;
	struct model_question q = seven_billion(8, 8, 25e9);
	q.size_bytes = 8;
	q.wire.alpha_ns = 5000;
	struct model_answer a = answer_of(q);
	assert_int_equal(a.bound, BOUND_LATENCY);
	assert_near(a.latency_ns, 14 * 5000);
}

static void memory_binds_when_it_is_the_slowest(void **state)
{
	(void)state;
	struct model_question q = seven_billion(4, 1, 10e9);
	q.memory_bytes_per_s = 5e9;
	struct model_answer a = answer_of(q);
	assert_int_equal(a.bound, BOUND_MEMORY);
	assert_near(a.time_ns, 1.5 * 14e9 / 5e9 * 1e9);
}

static void one_rank_moves_nothing(void **state)
{
	(void)state;
	struct model_answer a = answer_of(seven_billion(1, 1, 25e9));
	assert_int_equal(a.bound, BOUND_NONE);
	assert_true(a.time_ns == 0 && a.busbw_gbs == 0 && a.algbw_gbs == 0);
}

/* Whatever the collective, bytes over time times factor comes back as the rate on a flat ring of one rank a
 * node. */
static void busbw_is_the_link_rate(void **state)
{
	(void)state;
	for (int i = 0; collectives[i]; i++) {
		struct model_question q = {.collective = collectives[i],
		        .size_bytes = 1 << 30,
		        .ranks = 8,
		        .nodes = 8,
		        .wire = {12.5e9, 0}};
		assert_near(answer_of(q).busbw_gbs, 12.5);
	}
}

static void shapes_without_a_model_are_refused(void **state)
{
	(void)state;
	struct model_question q = {.collective = collective_find("alltoall"),
	        .size_bytes = 1,
	        .ranks = 8,
	        .nodes = 2,
	        .shape = MODEL_TREE};
	struct model_answer a;
	fail_keep(true);
	assert_int_equal(model_answer_of(&q, &a), ST_UNSUPPORTED);
	q.collective = collective_find("gather");
	q.shape = MODEL_HIERARCHICAL;
	assert_int_equal(model_answer_of(&q, &a), ST_UNSUPPORTED);
	fail_keep(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(worked_example),
	        cmocka_unit_test(eight_gpus_a_node),
	        cmocka_unit_test(ring_busbw_is_bounded_by_the_slower_link),
	        cmocka_unit_test(tree_bounds),
	        cmocka_unit_test(alltoall_bound),
	        cmocka_unit_test(steps_bind_small_sizes),
	        cmocka_unit_test(memory_binds_when_it_is_the_slowest),
	        cmocka_unit_test(one_rank_moves_nothing),
	        cmocka_unit_test(busbw_is_the_link_rate),
	        cmocka_unit_test(shapes_without_a_model_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
