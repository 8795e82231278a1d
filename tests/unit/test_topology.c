/* test_topology.c - how cores and machines are written, and that binding takes only what is free. */
#include "bench/core/topology.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <sched.h>
#include <string.h>

static void core_lists(void **state)
{
	(void)state;
	static const struct {
		const char *in_set, *text;
	} cases[] = {
	        {"", ""},
	        {"1", "0"},
	        {"1111", "0-3"},
	        {"110100111", "0-1,3,6-8"},
	        {"00001", "4"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		unsigned char in_set[16];
		char text[64];
		int count = (int)strlen(cases[i].in_set);
		for (int cpu = 0; cpu < count; cpu++)
			in_set[cpu] = cases[i].in_set[cpu] == '1';
		topology_format_cores(in_set, count, text, sizeof text);
		assert_string_equal(text, cases[i].text);
	}
}

static void long_core_list_is_cut(void **state)
{
	(void)state;
	unsigned char in_set[64];
	char text[16];
	for (int cpu = 0; cpu < 64; cpu++)
		in_set[cpu] = cpu % 2 == 0;
	topology_format_cores(in_set, 64, text, sizeof text);
	assert_int_equal(strlen(text), sizeof text - 1);
}

static void machines_in_words(void **state)
{
	(void)state;
	struct topology_summary s = {.sockets = 2, .numa_nodes = 1, .cores = 64, .threads = 128};
	topology_describe(&s);
	assert_string_equal(s.text, "2 sockets, 1 NUMA node, 64 cores, 128 threads");
	s = (struct topology_summary){.threads = 1};
	topology_describe(&s);
	assert_string_equal(s.text, "1 thread");
}

static void summary_knows_this_machine(void **state)
{
	(void)state;
	struct topology_summary s;
	topology->summary(&s);
	assert_true(s.threads > 0);
	assert_non_null(strstr(s.text, "thread"));
}

static void bound_threads_are_left_alone(void **state)
{
	(void)state;
	cpu_set_t before, after;
	assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
	assert_false(topology->bind(0, INT_MAX)); /* nobody has that many cores */
	assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
	if (CPU_COUNT(&before) < 2)
		skip(); /* one core: bound or not looks the same */
	size_t cpu = 0;
	while (!CPU_ISSET(cpu, &before))
		cpu++;
	CPU_ZERO(&after);
	CPU_SET(cpu, &after);
	assert_int_equal(sched_setaffinity(0, sizeof after, &after), 0);
	assert_false(topology->bind(0, 1));
	assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(core_lists),
	        cmocka_unit_test(long_core_list_is_cut),
	        cmocka_unit_test(machines_in_words),
	        cmocka_unit_test(summary_knows_this_machine),
	        cmocka_unit_test(bound_threads_are_left_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
