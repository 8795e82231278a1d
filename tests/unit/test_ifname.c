/* test_ifname.c - the interface filter, classes and choice, on made-up hosts; and the real one of this
 * machine. */
#include "bench/transport/ifname.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void add(struct interfaces *host, const char *name, bool up, const char *address, int prefix_bits)
{
	struct interface *one = &host->at[host->count++];

	snprintf(one->name, sizeof(one->name), "%s", name);
	one->loopback = strcmp(name, "lo") == 0;
	one->up = up;
	if (address != NULL) {
		one->addresses = 1;
		one->address[0].family = strchr(address, ':') != NULL ? AF_INET6 : AF_INET;
		one->address[0].prefix_bits = prefix_bits;
		assert_int_equal(inet_pton(one->address[0].family, address, one->address[0].bytes), 1);
	}
}

static struct interfaces cluster_host(bool ens1_up)
{
	struct interfaces host = {.host = "node-0"};

	add(&host, "lo", true, "127.0.0.1", 8);
	add(&host, "ens1", ens1_up, "10.65.1.1", 24);
	add(&host, "ens2", true, "10.65.2.1", 24);
	add(&host, "eth0", true, "172.16.0.1", 24);
	add(&host, "docker0", true, "172.17.0.1", 16);
	interfaces_classify(&host);
	return host;
}

static void chosen_are(const struct interfaces *host, const char *filter, const char *names)
{
	struct interfaces chosen;
	char got[256] = "";

	fail_keep(true);
	assert_int_equal(interfaces_choose(host, filter, &chosen), ST_OK);
	for (int i = 0; i < chosen.count; i++) {
		strcat(got, i > 0 ? " " : "");
		strcat(got, chosen.at[i].name);
	}
	assert_string_equal(got, names);
}

static void refused(const struct interfaces *host, const char *filter, enum status status, const char *word)
{
	struct interfaces chosen;

	fail_keep(true);
	fail_forget();
	assert_int_equal(interfaces_choose(host, filter, &chosen), status);
	assert_non_null(strstr(fail_sentence(), word));
	assert_non_null(strstr(fail_sentence(), "node-0"));
	fail_forget();
}

static void filter_follows_nccls_grammar(void **state)
{
	static const struct {
		const char *filter, *name;
		bool passes;
	} cases[] = {
	        {"", "ens1", true},
	        {"ens", "ens1", true},
	        {"ens1", "ens10", true},
	        {"=ens1", "ens10", false},
	        {"=ens1", "ens1", true},
	        {"=ens", "ens1", false},
	        {"eth,ens", "ens3", true},
	        {"eth,ib", "ens3", false},
	        {"^docker,lo", "ens1", true},
	        {"^docker,lo", "docker0", false},
	        {"^docker,lo", "lo", false},
	        {"^=eth0", "eth01", true},
	        {"^=eth0", "eth0", false},
	        {"=eth0,ens2", "ens2", true},
	        {"ens1:2", "ens1", true},
	        {"=ens1:2", "ens1", true},
	        {"=ens1:2", "ens12", false},
	        {",ens", "eth0", false},
	        {"^", "eth0", true},
	        {"=", "eth0", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (ifname_passes(cases[i].filter, cases[i].name) != cases[i].passes)
			fail_msg("filter '%s' on '%s'", cases[i].filter, cases[i].name);
}

static void classes_by_name_and_company(void **state)
{
	struct interfaces cluster = cluster_host(true), cloud = {.host = "node-0"}, eno = {.host = "node-0"};

	(void)state;
	assert_int_equal(cluster.at[0].class, INTERFACE_LOOPBACK);
	assert_int_equal(cluster.at[1].class, INTERFACE_DATA);
	assert_int_equal(cluster.at[2].class, INTERFACE_DATA);
	assert_int_equal(cluster.at[3].class, INTERFACE_MANAGEMENT);
	assert_int_equal(cluster.at[4].class, INTERFACE_MANAGEMENT);
	/* the only one a host has is what carries its data */
	add(&cloud, "eth0", true, "10.0.0.1", 24);
	add(&cloud, "docker0", true, "172.17.0.1", 16);
	add(&cloud, "ifb0", false, NULL, 0);
	interfaces_classify(&cloud);
	assert_int_equal(cloud.at[0].class, INTERFACE_DATA);
	assert_int_equal(cloud.at[1].class, INTERFACE_MANAGEMENT);
	assert_int_equal(cloud.at[2].class, INTERFACE_MANAGEMENT);
	add(&eno, "eno1", true, "10.0.0.1", 24);
	add(&eno, "ib0", true, "10.1.0.1", 24);
	interfaces_classify(&eno);
	assert_int_equal(eno.at[0].class, INTERFACE_MANAGEMENT);
	assert_int_equal(eno.at[1].class, INTERFACE_DATA);
}

static void data_interfaces_stand_before_eth0(void **state)
{
	struct interfaces host = cluster_host(true), one_down = cluster_host(false);

	(void)state;
	chosen_are(&host, "", "ens1 ens2");
	chosen_are(&host, "^docker,lo", "ens1 ens2");
	chosen_are(&host, "^ens2", "ens1");
	chosen_are(&host, "^ens", "eth0");
	chosen_are(&host, "^ens,eth", "docker0");
	chosen_are(&host, "eth0", "eth0");
	chosen_are(&host, "=eth0,ens2", "eth0 ens2");
	chosen_are(&host, "ens2,ens", "ens2 ens1");
	chosen_are(&host, "lo", "lo");
	chosen_are(&one_down, "", "ens2");
	chosen_are(&one_down, "ens", "ens2");
}

static void nothing_left_is_explained(void **state)
{
	struct interfaces host = cluster_host(false);

	(void)state;
	refused(&host, "ens9", ST_USAGE, "'ens9'");
	refused(&host, "ens9", ST_USAGE, "ens2 (10.65.2.1/24)");
	refused(&host, "=ens", ST_USAGE, "eth0 (172.16.0.1/24, management)");
	refused(&host, "=ens1", ST_SYSTEM, "'ens1' of host 'node-0' is down");
	/* eth0 is up, but a data interface exists: it is not taken in silence */
	refused(&host, "^ens2", ST_SYSTEM, "'ens1' of host 'node-0' is down");
	host.at[2].addresses = 0;
	refused(&host, "ens2", ST_SYSTEM, "no address");
}

static void a_host_without_data_interfaces_uses_what_it_has(void **state)
{
	struct interfaces laptop = {.host = "node-0"}, lonely = {.host = "node-0"};

	(void)state;
	add(&laptop, "lo", true, "127.0.0.1", 8);
	add(&laptop, "eth0", true, "10.0.0.1", 24);
	interfaces_classify(&laptop);
	chosen_are(&laptop, "", "eth0");
	add(&lonely, "lo", true, "127.0.0.1", 8);
	add(&lonely, "docker0", false, NULL, 0);
	interfaces_classify(&lonely);
	chosen_are(&lonely, "", "lo");
}

static void same_network(const char *a, int a_bits, const char *b, int b_bits, bool same)
{
	struct interfaces host = {.count = 0};

	add(&host, "ens1", true, a, a_bits);
	add(&host, "ens2", true, b, b_bits);
	assert_int_equal(interface_same_network(&host.at[0].address[0], &host.at[1].address[0]), same);
	assert_int_equal(interface_same_network(&host.at[1].address[0], &host.at[0].address[0]), same);
}

static void networks_are_compared_by_prefix(void **state)
{
	(void)state;
	same_network("10.65.1.1", 24, "10.65.1.2", 24, true);
	same_network("10.65.1.1", 24, "10.65.2.2", 24, false);
	same_network("10.65.1.1", 16, "10.65.2.2", 24, false);
	same_network("10.65.1.1", 20, "10.65.14.2", 20, true);
	same_network("10.65.1.1", 20, "10.65.16.2", 20, false);
	same_network("fd00:1::1", 64, "fd00:1::2", 64, true);
	same_network("fd00:1::1", 64, "fd00:2::2", 64, false);
	same_network("10.65.1.1", 24, "fd00:2::2", 64, false);
	same_network("10.65.1.1", 0, "10.66.1.1", 0, false);
}

static void this_host_has_a_loopback(void **state)
{
	struct interfaces host;
	const struct interface *lo;
	struct interface_address localhost = {.family = AF_INET, .bytes = {127, 0, 0, 1}};

	(void)state;
	assert_int_equal(interfaces_read(&host), ST_OK);
	lo = interface_find(&host, "lo");
	assert_non_null(lo);
	assert_int_equal(lo->class, INTERFACE_LOOPBACK);
	assert_ptr_equal(interface_holding(&host, &localhost), lo);
	assert_true(lo->mtu_bytes >= 1500);
	assert_null(interface_find(&host, "ens"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(filter_follows_nccls_grammar),
	        cmocka_unit_test(classes_by_name_and_company),
	        cmocka_unit_test(data_interfaces_stand_before_eth0),
	        cmocka_unit_test(nothing_left_is_explained),
	        cmocka_unit_test(a_host_without_data_interfaces_uses_what_it_has),
	        cmocka_unit_test(networks_are_compared_by_prefix),
	        cmocka_unit_test(this_host_has_a_loopback),
	};

	return cmocka_run_group_tests_name("ifname", tests, NULL, NULL);
}
