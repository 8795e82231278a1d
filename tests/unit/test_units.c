/* test_units.c - sizes as people write and read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/core/units.h"

static void reads_as_nccl_tests_does(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {
	        {"0", 0},
	        {"8", 8},
	        {"64K", 65536},
	        {"64k", 65536},
	        {"32MB", 32 << 20},
	        {"32Mi", 32 << 20},
	        {"1.5G", UINT64_C(3) << 29},
	        {" 4 K", 4096},
	        {"1e3", 1000},
	        {"0x10", 16},
	        {"0.4", 0},
	};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		uint64_t bytes = 77;
		assert_null(units_scan_bytes(good[i].text, &bytes));
		assert_int_equal(bytes, good[i].bytes);
	}
}

static void refuses_the_rest(void **state)
{
	(void)state;
	static const char *const bad[] = {
	        "", "K", "x", "8T", "8 bytes", "-1", "-1K", "nan", "inf", "1e30", "9000000000G"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		uint64_t bytes = 77;
		assert_non_null(units_scan_bytes(bad[i], &bytes));
		assert_int_equal(bytes, 77);
	}
}

static void prints_what_reads_back(void **state)
{
	(void)state;
	static const struct {
		uint64_t bytes;
		const char *text;
	} pairs[] = {
	        {0, "0"},
	        {1, "1"},
	        {1023, "1023"},
	        {1024, "1K"},
	        {65537, "65537"},
	        {1536 << 10, "1536K"},
	        {32 << 20, "32M"},
	        {UINT64_C(5) << 30, "5G"},
	        {(UINT64_C(1) << 53) + 1, "9007199254740993"},
	};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		char text[UNITS_TEXT_BYTES];
		units_print_bytes(pairs[i].bytes, text);
		assert_string_equal(text, pairs[i].text);
	}
}

static void prints_memory(void **state)
{
	(void)state;
	static const struct {
		int64_t bytes;
		const char *text;
	} pairs[] = {
	        {0, "0.00 B"},
	        {12, "12.0 B"},
	        {512, "512 B"},
	        {1024, "1.00 KB"},
	        {96 << 20, "96.0 MB"},
	        {INT64_C(1288490189), "1.20 GB"},
	        {-2048, "-2.00 KB"},
	};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		char text[UNITS_TEXT_BYTES];
		units_print_memory(pairs[i].bytes, text);
		assert_string_equal(text, pairs[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(reads_as_nccl_tests_does),
	        cmocka_unit_test(refuses_the_rest),
	        cmocka_unit_test(prints_what_reads_back),
	        cmocka_unit_test(prints_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
