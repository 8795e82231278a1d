/* One text for a set of hosts, whatever the order they come in. */
#include "bench/core/host_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

enum { HOSTS_MOST = 200 };

static void assert_set(const char *expected, int count, ...)
{
	const char *hosts[16];
	char text[64];
	va_list names;
	va_start(names, count);
	for (int i = 0; i < count; i++)
		hosts[i] = va_arg(names, const char *);
	va_end(names);
	host_set_print(hosts, count, text, sizeof text);
	assert_string_equal(text, expected);
}

static void numbers_that_count_up_are_joined(void **state)
{
	(void)state;
	assert_set("node-[0-2]", 3, "node-2", "node-0", "node-1");
	assert_set("node-[9-11]", 3, "node-10", "node-9", "node-11");
	assert_set("n[07-10]", 4, "n08", "n07", "n10", "n09");
	assert_set("login node-[0-1] node-5", 4, "node-5", "node-1", "login", "node-0");
}

static void what_does_not_count_up_is_listed(void **state)
{
	(void)state;
	assert_set("", 0);
	assert_set("vm", 1, "vm");
	assert_set("a b", 2, "b", "a");
	assert_set("a1 b2", 2, "b2", "a1");
	assert_set("n1 n02", 2, "n02", "n1"); /* written differently: not one row of hosts */
	assert_set("n99 n0100", 2, "n0100", "n99");
	assert_set("7 8x", 2, "8x", "7");
}

static void too_many_are_counted(void **state)
{
	(void)state;
	static char names[HOSTS_MOST][8];
	const char *hosts[HOSTS_MOST];
	char text[64];
	for (int i = 0; i < HOSTS_MOST; i++) {
		snprintf(names[i], sizeof names[i], "n%d", 1000 - 2 * i);
		hosts[i] = names[i];
	}
	host_set_print(hosts, HOSTS_MOST, text, sizeof text);
	assert_string_equal(text, "n602 .. n1000 (200 hosts)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(numbers_that_count_up_are_joined),
	        cmocka_unit_test(what_does_not_count_up_is_listed),
	        cmocka_unit_test(too_many_are_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
