/* test_step_predict.c - the memory and step arithmetic of the worked example; prediction of larger runs from
 * smaller ones. */
#include "analysis/predict.h"
#include "analysis/step.h"
#include "tests/unit/made_up.h"

static void assert_near(double got, double expected, double share)
{
	if (!(fabs(got - expected) <= share * fabs(expected)))
		fail_msg("got %.10g, expected %.10g", got, expected);
}

static struct step_answer answer_of(struct step_question q)
{
	struct step_answer a;
	assert_int_equal(step_answer_of(&q, &a), ST_OK);
	return a;
}

static void seven_billion_parameters(void **state)
{
	(void)state;
	struct step_question q = {.params = 7e9,
	        .bytes_per_param = 2,
	        .nodes = 8,
	        .gpus_per_node = 1,
	        .wire = {25e9, 0},
	        .shape = MODEL_RING};
	struct step_answer a = answer_of(q);
	assert_near(a.wire_bytes, 24.5e9, 1e-12);
	assert_near(a.time_ns, 980e6, 1e-12);
	q.wire.bytes_per_s = 50e9;
	assert_near(answer_of(q).time_ns / 2e9, 0.245, 1e-12);
	/* Scattering and gathering are the two halves of reducing. */
	q.parallel = PARALLEL_ZERO2;
	assert_near(answer_of(q).wire_bytes, 24.5e9, 1e-12);
	q.parallel = PARALLEL_ZERO3;
	assert_near(answer_of(q).wire_bytes, 1.5 * 24.5e9, 1e-12);
}

static void seventy_billion_parameters(void **state)
{
	(void)state;
	struct step_question q = {.params = 70e9,
	        .bytes_per_param = 2,
	        .nodes = 8,
	        .gpus_per_node = 8,
	        .wire = {50e9, 0},
	        .shape = MODEL_HIERARCHICAL,
	        .parallel = PARALLEL_ZERO2};
	struct step_answer a = answer_of(q);
	assert_near(a.memory[0].bytes, 140e9, 1e-12);
	assert_near(a.memory[2].bytes, 840e9, 1e-12);
	assert_near(a.memory[2].gpu_bytes, 13.125e9, 1e-12);
	assert_near(a.memory[3].bytes, 980e9, 1e-12);
	assert_near(a.memory[0].gpu_bytes, 140e9, 1e-12);
	q.parallel = PARALLEL_ZERO3;
	assert_near(answer_of(q).memory[3].gpu_bytes, 980e9 / 64, 1e-12);
}

static void tensors_stay_inside_the_node(void **state)
{
	(void)state;
	struct step_question q = {.params = 7e9,
	        .bytes_per_param = 2,
	        .parallel = PARALLEL_TP,
	        .nodes = 1,
	        .gpus_per_node = 8,
	        .inside = {450e9, 0},
	        .layers = 32,
	        .hidden = 4096,
	        .tokens = 16384};
	struct step_answer a = answer_of(q);
	assert_near(a.part[0].count, 128, 0);
	assert_near(a.part[0].bytes, 16384.0 * 4096 * 2, 1e-12);
	assert_true(a.wire_bytes == 0);
	assert_near(a.time_ns, 128 * 2 * 7.0 / 8 * 16384 * 4096 * 2 / 450, 1e-12);
}

/* Rows of one collective at n ranks on n nodes: alpha 30 us, 2 GB/s. */
static void add_rows(struct rows *rows, const char *collective, int ranks, double noise)
{
	const struct collective *c = collective_find(collective);
	for (uint64_t bytes = 4096; bytes <= 64 << 20; bytes *= 4) {
		struct record r;
		record_clear(&r);
		strcpy(r.collective, collective);
		strcpy(r.backend, "ring");
		strcpy(r.transport_seen, "socket");
		strcpy(r.placement, "out-of-place");
		r.ranks = r.nodes = ranks;
		r.bytes = bytes;
		r.mean_ns = (c->ring_steps(ranks) * 30e3 + c->ring_bytes((double)bytes, ranks) / 2) *
		            (1 + gsl_ran_gaussian(made_up_rng, noise));
		assert_int_equal(rows_append(rows, &r), ST_OK);
	}
}

static void larger_runs_follow_from_smaller_ones(void **state)
{
	(void)state;
	struct rows rows = {0};
	struct self_check check;
	struct levels l;
	for (int ranks = 2; ranks <= 8; ranks *= 2)
		add_rows(&rows, "all_reduce", ranks, 0.03);
	assert_true(predict_check(&rows, &rows.row[0], &check));
	assert_int_equal(check.ranks, 8);
	assert_int_equal(check.rows, 8);
	assert_true(check.median < 0.05);
	assert_true(predict_learn(&rows, &(struct selection){&rows.row[0], 2, 1000}, &l));
	assert_true(l.has_wire && !l.has_inside);
	struct model_question q = {.collective = collective_find("all_reduce"),
	        .size_bytes = 1 << 30,
	        .ranks = 1250,
	        .nodes = 1250};
	struct model_answer a;
	assert_true(predict_time(&l, &q, &a));
	assert_near(a.time_ns, 2 * 1249 * 30e3 + 2.0 * 1249 / 1250 * (1 << 30) / 2, 0.05);
	rows_free(&rows);
}

static void a_run_that_does_not_scale_is_told(void **state)
{
	(void)state;
	struct rows rows = {0};
	struct self_check check;
	for (int ranks = 2; ranks <= 8; ranks *= 2)
		add_rows(&rows, "alltoall", ranks, 0.01);
	for (size_t i = 0; i < rows.count; i++)
		if (rows.row[i].ranks == 8)
			rows.row[i].mean_ns *= 2; /* the switch is oversubscribed */
	assert_true(predict_check(&rows, &rows.row[0], &check));
	assert_near(check.median, 0.5, 0.1);
	rows_free(&rows);
}

static void one_size_of_run_checks_nothing(void **state)
{
	(void)state;
	struct rows rows = {0};
	struct self_check check;
	add_rows(&rows, "all_gather", 4, 0.01);
	assert_false(predict_check(&rows, &rows.row[0], &check));
	rows_free(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(seven_billion_parameters),
	        cmocka_unit_test(seventy_billion_parameters),
	        cmocka_unit_test(tensors_stay_inside_the_node),
	        cmocka_unit_test(larger_runs_follow_from_smaller_ones),
	        cmocka_unit_test(a_run_that_does_not_scale_is_told),
	        cmocka_unit_test(one_size_of_run_checks_nothing),
	};
	made_up_begin();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	made_up_end();
	return failed;
}
