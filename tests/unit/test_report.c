/* What ranks tell becomes the record of all and of each group: averages, rates, hosts, interfaces, the first
 * wrong element. */
#include "bench/core/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

enum { RANKS = 5 };

/* Five ranks on two nodes; group 0 has ranks 0 2 4, group 1 ranks 1 3. */
static const struct place places[RANKS] = {
        {.host = "node-0", .node = 0, .local_rank = 0, .group = 0},
        {.host = "node-0", .node = 0, .local_rank = 1, .group = 1},
        {.host = "node-0", .node = 0, .local_rank = 2, .group = 0},
        {.host = "node-1", .node = 1, .local_rank = 0, .group = 1},
        {.host = "node-1", .node = 1, .local_rank = 1, .group = 0},
};

struct stage {
	struct world world;
	struct plan plan;
	struct backend backend;
	struct memory_kind memory;
	struct run run;
	struct test_case row;
	struct outcome outcome;
	struct report all[RANKS];
};

static struct stage *stage(const char *collective, uint64_t bytes)
{
	static struct stage s;
	s = (struct stage){
	        .world = {.ranks = RANKS, .nodes = 2, .group_ranks = 3, .places = places, .run_id = "cafe"},
	        .plan = {.average = AVERAGE_MEAN, .iters = 10, .agg_iters = 2},
	        .backend = {.name = "double"},
	        .memory = {.name = "host"},
	        .row = {.bytes = bytes,
	                .dtype = DT_FLOAT,
	                .redop = OP_SUM,
	                .redop_printed = OP_SUM,
	                .root = ALL_RANKS,
	                .elem_bytes = 4},
	        .outcome = {.timing = {.iterations = 10}, .checked = true},
	};
	s.run = (struct run){
	        .world = &s.world,
	        .plan = &s.plan,
	        .collective = collective_find(collective),
	        .backend = &s.backend,
	        .memory = &s.memory,
	};
	for (int i = 0; i < RANKS; i++) {
		s.all[i].mean_ns = 1000 * (i + 1);
		s.all[i].first_op_ns = 10 * i;
		s.all[i].cpu_ns = 100;
		s.all[i].cycles = -1;
	}
	return &s;
}

static struct record record_of(struct stage *s, int group)
{
	struct record r;
	report_record(&(struct reported){&s->run, &s->row, &s->outcome, s->all}, group, &r);
	return r;
}

static void time_is_combined_as_asked(void **state)
{
	(void)state;
	struct stage *s = stage("all_reduce", 4000);
	static const double of_all[] = {1000, 3000, 1000, 5000}, of_group_1[] = {2000, 3000, 2000, 4000};
	for (int a = AVERAGE_RANK0; a <= AVERAGE_MAX; a++) {
		s->plan.average = (enum average)a;
		assert_true(record_of(s, EVERY_GROUP).mean_ns == of_all[a]);
		assert_true(record_of(s, 1).mean_ns == of_group_1[a]);
	}
}

/* The record over all has the sizes and the factor of rank 0's group, each group its own. */
static void rates_are_of_the_groups_size(void **state)
{
	(void)state;
	struct stage *s = stage("all_gather", 1000);
	struct record all = record_of(s, EVERY_GROUP), three = record_of(s, 0), two = record_of(s, 1);
	assert_int_equal(all.ranks, 5);
	assert_int_equal(all.count_elems, 80); /* 250 / 3, in 16 bytes */
	assert_int_equal(all.bytes, 960);
	assert_int_equal(three.ranks, 3);
	assert_int_equal(three.bytes, 960);
	assert_int_equal(two.ranks, 2);
	assert_int_equal(two.bytes, 992);
	assert_true(all.algbw_gbs == 960.0 / 3000);
	assert_true(two.busbw_gbs == 992.0 / 3000 / 2);
	assert_int_equal(all.group, 0);
	assert_int_equal(two.group, 1);
}

static void counts_are_summed_and_stay_unknown_when_one_is(void **state)
{
	(void)state;
	struct stage *s = stage("all_reduce", 4000);
	struct record all = record_of(s, EVERY_GROUP);
	assert_int_equal(all.cpu_ns, 500);
	assert_int_equal(all.cycles, -1);
	assert_int_equal(all.first_op_ns, 40);
	s->all[1].cpu_ns = -1;
	assert_int_equal(record_of(s, EVERY_GROUP).cpu_ns, -1);
	assert_int_equal(record_of(s, 0).cpu_ns, 300);
}

/* A node's interfaces were read by its first rank, whichever group that is in. */
static void interfaces_are_a_nodes(void **state)
{
	(void)state;
	struct stage *s = stage("all_reduce", 4000);
	s->all[0].tx_bytes[0] = 7;
	s->all[3].tx_bytes[0] = 5;
	strcpy(s->all[0].busiest[0].name, "ens1");
	s->all[0].busiest[0].tx_bytes = 7;
	strcpy(s->all[3].busiest[0].name, "ens1");
	s->all[3].busiest[0].tx_bytes = 4;
	strcpy(s->all[3].busiest[1].name, "lo");
	s->all[3].busiest[1].tx_bytes = 1;
	struct record one = record_of(s, 1);
	assert_int_equal(one.nodes, 2);
	assert_string_equal(one.host_set, "node-[0-1]");
	assert_int_equal(one.tx_data_bytes, 12);
	assert_string_equal(one.interfaces, "node-0/ens1=7 node-1/ens1=4 node-1/lo=1");
	s->all[3].tx_bytes[0] = -1;
	assert_int_equal(record_of(s, 0).tx_data_bytes, -1);
}

/* sendrecv, group 0 is ranks 0 2 | 4: 2 -> 4 and 4 -> 0 leave their node; group 1 is 1 | 3: both do. */
static void model_counts_what_leaves_nodes(void **state)
{
	(void)state;
	struct stage *s = stage("sendrecv", 4000);
	assert_int_equal(record_of(s, 0).model_bytes, 2 * 4000 * 10 * 2);
	assert_int_equal(record_of(s, 1).model_bytes, 2 * 4000 * 10 * 2);
	assert_int_equal(record_of(s, EVERY_GROUP).model_bytes, -1);
	s->run.collective = collective_find("all_reduce");
	assert_int_equal(record_of(s, 1).model_bytes, 2 * 4000 * 10 * 2); /* 2(n-1)/n S is S */
}

static void the_first_wrong_rank_is_named(void **state)
{
	(void)state;
	struct stage *s = stage("all_reduce", 4000);
	struct record right = record_of(s, EVERY_GROUP);
	assert_int_equal(right.checked, CHECK_DONE);
	assert_int_equal(right.wrong_rank, -1);
	s->all[4].wrong = (struct mismatch){.wrong_elems = 1, .first_index = 3};
	s->all[2].wrong = (struct mismatch){.wrong_elems = 2, .first_index = 17};
	struct record wrong = record_of(s, EVERY_GROUP);
	assert_int_equal(wrong.wrong_elems, 3);
	assert_int_equal(wrong.wrong_rank, 2);
	assert_int_equal(wrong.wrong_index, 17);
	assert_int_equal(record_of(s, 1).wrong_elems, 0);
	s->outcome.checked = false;
	assert_int_equal(record_of(s, EVERY_GROUP).checked, CHECK_NONE);
}

static void transports_are_joined(void **state)
{
	(void)state;
	struct stage *s = stage("all_reduce", 4000);
	strcpy(s->all[0].seen.transport, "shm");
	strcpy(s->all[1].seen.transport, "socket+shm");
	strcpy(s->all[3].seen.transport, "socket");
	assert_string_equal(record_of(s, EVERY_GROUP).transport_seen, "shm+socket");
	assert_string_equal(record_of(s, 0).transport_seen, "shm");
}

/* What a rank says of its own counters. */
static void a_rank_reports_differences(void **state)
{
	(void)state;
	struct outcome o = {
	        .before = {.cpu_ns = 10, .cycles = -1, .instructions = 5, .interfaces = 3},
	        .after = {.cpu_ns = 25, .cycles = 7, .instructions = 9, .interfaces = 2},
	};
	o.before.interface[0] = (struct interface_bytes){"gone", 'd', 1, 0};
	o.before.interface[1] = (struct interface_bytes){"lo", 'l', 100, 0};
	o.before.interface[2] = (struct interface_bytes){"ens1", 'd', 1000, 0};
	o.after.interface[0] = (struct interface_bytes){"ens1", 'd', 1500, 0};
	o.after.interface[1] = (struct interface_bytes){"lo", 'l', 700, 0};
	struct world w = {.local_rank = 0};
	struct report r = report_of(&w, &o);
	assert_int_equal(r.cpu_ns, 15);
	assert_int_equal(r.cycles, -1);
	assert_int_equal(r.instructions, 4);
	assert_int_equal(r.tx_bytes[0], 500);
	assert_int_equal(r.tx_bytes[1], 0);
	assert_int_equal(r.tx_bytes[2], 600);
	assert_string_equal(r.busiest[0].name, "lo");
	assert_string_equal(r.busiest[1].name, "ens1");
	o.after.interfaces = 0;
	assert_int_equal(report_of(&w, &o).tx_bytes[0], -1);
	w.local_rank = 1;
	assert_int_equal(report_of(&w, &o).tx_bytes[0], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(time_is_combined_as_asked),
	        cmocka_unit_test(rates_are_of_the_groups_size),
	        cmocka_unit_test(counts_are_summed_and_stay_unknown_when_one_is),
	        cmocka_unit_test(interfaces_are_a_nodes),
	        cmocka_unit_test(model_counts_what_leaves_nodes),
	        cmocka_unit_test(the_first_wrong_rank_is_named),
	        cmocka_unit_test(transports_are_joined),
	        cmocka_unit_test(a_rank_reports_differences),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
