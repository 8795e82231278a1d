/* Who sends how much to whom: made from a spread, or read from a matrix; and what is no matrix. */
#include "bench/collective/alltoallv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void spread_0_is_even(void **state)
{
	(void)state;
	struct traffic t = {.spread = 0};
	for (int from = 0; from < 4; from++)
		for (int to = 0; to < 4; to++)
			assert_int_equal(traffic_bytes(&t, from, to, 4, 4096), 1024);
}

static void spread_1_is_proportional_to_the_distance(void **state)
{
	(void)state;
	struct traffic t = {.spread = 1};
	for (int from = 0; from < 4; from++)
		for (int far = 0; far < 4; far++)
			assert_int_equal(traffic_bytes(&t, from, (from + far) % 4, 4, 6 * 1600), far * 1600);
	assert_int_equal(traffic_bytes(&t, 0, 0, 1, 100), 96); /* alone: all to itself */
}

static void any_spread_is_balanced_and_in_16_bytes(void **state)
{
	(void)state;
	struct traffic t = {.spread = 0.3};
	for (int n = 1; n <= 17; n++) {
		size_t first_out = 0;
		for (int rank = 0; rank < n; rank++) {
			size_t out = 0, in = 0;
			for (int peer = 0; peer < n; peer++) {
				assert_int_equal(traffic_bytes(&t, rank, peer, n, 100000) % 16, 0);
				out += traffic_bytes(&t, rank, peer, n, 100000);
				in += traffic_bytes(&t, peer, rank, n, 100000);
			}
			first_out = rank ? first_out : out;
			assert_int_equal(out, in);
			assert_int_equal(out, first_out);
			assert_true(out <= 100000 && out + 16 * (size_t)n > 100000);
		}
	}
}

/* Reads text as a matrix file. */
static enum status read_text(const char *text, double scale, struct traffic *out)
{
	char path[] = "/tmp/test_alltoallv_XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	fail_keep(true);
	enum status s = traffic_read(path, scale, out);
	fail_keep(false);
	unlink(path);
	return s;
}

static void a_matrix_says_it_all(void **state)
{
	(void)state;
	struct traffic t;
	assert_int_equal(read_text("100 200\t150\n\n50 1e2 75\r\n300 150 200", 2, &t), ST_OK);
	assert_int_equal(t.dimension, 3);
	assert_int_equal(traffic_bytes(&t, 0, 1, 3, 12345), 400);
	assert_int_equal(traffic_bytes(&t, 1, 0, 3, 0), 96);  /* 100 in 16 bytes */
	assert_int_equal(traffic_bytes(&t, 1, 1, 2, 0), 192); /* fewer ranks: its first rows and columns */
	assert_int_equal(traffic_check(&t, 3), ST_OK);
	fail_keep(true);
	assert_int_equal(traffic_check(&t, 4), ST_USAGE);
	fail_keep(false);
	traffic_free(&t);
	assert_null(t.matrix);
}

static void what_is_no_matrix_is_refused_with_the_reason(void **state)
{
	(void)state;
	static const struct {
		const char *text, *reason;
	} table[] = {
	        {"", "0 rows"},
	        {"\n \n", "0 rows"},
	        {"1 2\n3\n", "row 2"},
	        {"1 2\n", "1 rows and 2 columns"},
	        {"1 x\n3 4\n", "'x'"},
	        {"1 -2\n3 4\n", "'-2'"},
	        {"1 nan\n3 4\n", "'nan'"},
	        {"1 1e300\n3 4\n", "'1e300'"},
	        {"1 2,\n3 4\n", "'2,'"},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct traffic t;
		assert_int_equal(read_text(table[i].text, 1, &t), ST_USAGE);
		assert_non_null(strstr(fail_sentence(), table[i].reason));
	}
	struct traffic t;
	fail_keep(true);
	assert_int_equal(traffic_read("/nonexistent/matrix", 1, &t), ST_USAGE);
	assert_non_null(strstr(fail_sentence(), "/nonexistent/matrix"));
	fail_keep(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(spread_0_is_even),
	        cmocka_unit_test(spread_1_is_proportional_to_the_distance),
	        cmocka_unit_test(any_spread_is_balanced_and_in_16_bytes),
	        cmocka_unit_test(a_matrix_says_it_all),
	        cmocka_unit_test(what_is_no_matrix_is_refused_with_the_reason),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
