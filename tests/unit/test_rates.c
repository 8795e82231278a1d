/* test_rates.c - units mean what they say, and text without one is refused. */
#include "analysis/output.h"
#include "analysis/rates.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void assert_value(double got, double expected)
{
	if (!(fabs(got - expected) <= 1e-9 * fabs(expected)))
		fail_msg("got %.15g, expected %.15g", got, expected);
}

static void rates_are_bytes_per_second(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		double bytes_per_s;
	} cases[] = {
	        {"25GB/s", 25e9},
	        {"400Gb/s", 50e9},
	        {"200Gbps", 25e9},
	        {"3.2Tbps", 400e9},
	        {"200 Mb/s", 25e6},
	        {"1GiB/s", 1073741824},
	        {"8b/s", 1},
	        {"12.5kB/s", 12500},
	        {"1e3MB/s", 1e9},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		double got;
		assert_int_equal(parse_rate(cases[i].text, &got), ST_OK);
		assert_value(got, cases[i].bytes_per_s);
	}
}

static void sizes_are_binary_or_plain(void **state)
{
	(void)state;
	double got;
	assert_int_equal(parse_size("14e9", &got), ST_OK);
	assert_value(got, 14e9);
	assert_int_equal(parse_size("64K", &got), ST_OK);
	assert_value(got, 65536);
	assert_int_equal(parse_size("1.5G", &got), ST_OK);
	assert_value(got, 1610612736);
	assert_int_equal(parse_size("2MiB", &got), ST_OK);
	assert_value(got, 2097152);
}

static void times_and_shares_have_units(void **state)
{
	(void)state;
	double got;
	assert_int_equal(parse_time("2s", &got), ST_OK);
	assert_value(got, 2e9);
	assert_int_equal(parse_time("3us", &got), ST_OK);
	assert_value(got, 3000);
	assert_int_equal(parse_share("2%", &got), ST_OK);
	assert_value(got, 0.02);
	assert_int_equal(parse_share("0.1", &got), ST_OK);
	assert_value(got, 0.1);
}

static void nonsense_is_refused(void **state)
{
	(void)state;
	static const char *const rates[] = {
	        "25", "", "GB/s", "-1GB/s", "0GB/s", "infGB/s", "nan Gb/s", "25GBps!", "25 gb/s"};
	double value = 7;
	fail_keep(true);
	for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
		assert_int_equal(parse_rate(rates[i], &value), ST_USAGE);
	assert_int_equal(parse_size("14GB", &value), ST_USAGE);
	assert_int_equal(parse_size("-8", &value), ST_USAGE);
	assert_int_equal(parse_time("2", &value), ST_USAGE);
	assert_int_equal(parse_share("2 percent", &value), ST_USAGE);
	assert_null(tier_find("1.7T"));
	fail_keep(false);
	assert_true(value == 7);
}

static void tiers_are_the_documented_shares(void **state)
{
	(void)state;
	assert_value(tier_find("1.6T")->node_bytes_per_s, 25e9);
	assert_value(tier_find("3.2T")->node_bytes_per_s, 50e9);
	assert_value(tier_find("8x400G")->node_bytes_per_s, 400e9);
}

static void people_read_scaled_units(void **state)
{
	(void)state;
	static const struct {
		double value;
		const char *unit, *text;
	} cases[] = {
	        {980e6, "ns", "980.0 ms"},
	        {1102.5e6, "ns", "1102 ms"},
	        {24.5e9, "bytes", "24.50 GB"},
	        {8, "bytes", "8 B"},
	        {65536, "size", "64K"},
	        {100, "size", "100"},
	        {14e9, "size", "14000000000"},
	        {8388608, "size", "8M"},
	        {350, "ns", "350 ns"},
	        {12.345, "GB/s", "12.35"},
	        {NAN, "ns", "-"},
	};
	char text[QUANTITY_BYTES];
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(output_quantity(text, cases[i].value, cases[i].unit, 2), cases[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rates_are_bytes_per_second),
	        cmocka_unit_test(sizes_are_binary_or_plain),
	        cmocka_unit_test(times_and_shares_have_units),
	        cmocka_unit_test(nonsense_is_refused),
	        cmocka_unit_test(tiers_are_the_documented_shares),
	        cmocka_unit_test(people_read_scaled_units),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
