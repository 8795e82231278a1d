/* test_rail.c - rails of made-up hosts are paired network to network, the same way from both sides. */
#include "bench/transport/rail.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct host {
	int count;
	struct rail rails[RAILS];
};

static void add(struct host *host, const char *name, char class, const char *address, int prefix_bits)
{
	struct rail *rail = &host->rails[host->count++];

	snprintf(rail->name, sizeof(rail->name), "%s", name);
	rail->class = class;
	rail->ipv6 = strchr(address, ':') != NULL;
	rail->prefix_bits = (uint8_t)prefix_bits;
	assert_int_equal(inet_pton(rail->ipv6 ? AF_INET6 : AF_INET, address, rail->address), 1);
}

/* expected: "ens1-ens1 ens2-ens3", "~" in front of a routed pair */
static void pair(const struct host *a, const struct host *b, bool same_machine, const char *expected)
{
	struct rail_pair there[RAILS], back[RAILS];
	int count = rails_pair(a->rails, a->count, b->rails, b->count, same_machine, there);
	char got[256] = "";

	for (int i = 0; i < count; i++) {
		size_t used = strlen(got);

		snprintf(got + used, sizeof(got) - used, "%s%s%s-%s", i > 0 ? " " : "",
		        there[i].routed ? "~" : "", a->rails[there[i].mine].name,
		        b->rails[there[i].theirs].name);
	}
	assert_string_equal(got, expected);
	assert_int_equal(rails_pair(b->rails, b->count, a->rails, a->count, same_machine, back), count);
	for (int i = 0; i < count; i++) {
		bool found = false;

		for (int j = 0; j < count; j++)
			found |= back[j].mine == there[i].theirs && back[j].theirs == there[i].mine;
		assert_true(found);
	}
}

static void network_to_network(void **state)
{
	struct host a = {0}, b = {0}, c = {0};

	(void)state;
	add(&a, "ens1", 'd', "10.65.1.1", 24);
	add(&a, "ens2", 'd', "10.65.2.1", 24);
	add(&a, "ens3", 'd', "10.65.3.1", 24);
	add(&b, "ens1", 'd', "10.65.1.2", 24);
	add(&b, "ens3", 'd', "10.65.3.2", 24);
	pair(&a, &b, false, "ens1-ens1 ens3-ens3");
	/* the names are swapped on one host: the network decides */
	add(&c, "ens1", 'd', "10.65.2.3", 24);
	add(&c, "ens2", 'd', "10.65.1.3", 24);
	pair(&a, &c, false, "ens1-ens2 ens2-ens1");
}

static void one_flat_network_pairs_by_name(void **state)
{
	struct host a = {0}, b = {0};

	(void)state;
	add(&a, "ens1", 'd', "10.65.0.1", 16);
	add(&a, "ens2", 'd', "10.65.0.2", 16);
	add(&b, "ens2", 'd', "10.65.0.3", 16);
	add(&b, "ens1", 'd', "10.65.0.4", 16);
	pair(&a, &b, false, "ens1-ens1 ens2-ens2");
}

static void loopback_stays_in_the_machine(void **state)
{
	struct host a = {0}, b = {0}, c = {0};

	(void)state;
	add(&a, "lo", 'l', "127.0.0.1", 8);
	add(&a, "ens1", 'd', "10.65.1.1", 24);
	add(&b, "lo", 'l', "127.0.0.1", 8);
	add(&b, "ens1", 'd', "10.65.1.2", 24);
	add(&c, "ens1", 'd', "10.65.1.1", 24);
	pair(&a, &b, false, "ens1-ens1");
	pair(&a, &a, true, "lo-lo");
	pair(&a, &c, true, "ens1-ens1");
}

static void two_addresses_are_one_rail(void **state)
{
	struct host a = {0}, b = {0}, six = {0};

	(void)state;
	add(&a, "ens1", 'd', "10.65.1.1", 24);
	add(&a, "ens1", 'd', "fd00:1::1", 64);
	add(&b, "ens1", 'd', "10.65.1.2", 24);
	add(&b, "ens1", 'd', "fd00:1::2", 64);
	add(&six, "ens1", 'd', "fd00:1::3", 64);
	pair(&a, &b, false, "ens1-ens1");
	pair(&a, &six, false, "ens1-ens1");
}

static void disjoint_networks_are_marked(void **state)
{
	struct host a = {0}, b = {0}, management = {0}, six = {0};

	(void)state;
	add(&a, "ens1", 'd', "10.65.1.1", 24);
	add(&b, "ens2", 'd', "10.66.1.2", 24);
	add(&management, "eth0", 'm', "172.16.0.2", 24);
	add(&six, "ens1", 'd', "fd00::3", 64);
	pair(&a, &b, false, "~ens1-ens2");
	pair(&a, &management, false, "");
	pair(&a, &six, false, "");
}

static void interfaces_become_rails(void **state)
{
	struct interfaces chosen = {.count = 1};
	struct rail rails[RAILS];
	char text[128];

	(void)state;
	chosen.at[0] = (struct interface){.name = "ens1",
	        .class = INTERFACE_DATA,
	        .up = true,
	        .mtu_bytes = 9000,
	        .speed_mbps = -1,
	        .addresses = 3,
	        .address = {{.family = AF_INET, .prefix_bits = 24, .bytes = {10, 65, 1, 1}},
	                {.family = AF_INET6, .prefix_bits = 64, .scope = 2, .bytes = {0xfe, 0x80}},
	                {.family = AF_INET6, .prefix_bits = 64, .bytes = {0xfd}}}};
	assert_int_equal(rails_of(&chosen, rails), 2);
	assert_int_equal(rails[0].mtu_bytes, 9000);
	assert_int_equal(rails[0].speed_mbps, 0);
	rails_print(rails, 2, text, sizeof(text));
	assert_string_equal(text, "ens1 (10.65.1.1/24), ens1 (fd00::/64)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(network_to_network),
	        cmocka_unit_test(one_flat_network_pairs_by_name),
	        cmocka_unit_test(loopback_stays_in_the_machine),
	        cmocka_unit_test(two_addresses_are_one_rail),
	        cmocka_unit_test(disjoint_networks_are_marked),
	        cmocka_unit_test(interfaces_become_rails),
	};

	return cmocka_run_group_tests_name("rail", tests, NULL, NULL);
}
