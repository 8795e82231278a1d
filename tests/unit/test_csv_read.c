/* test_csv_read.c - rows, quotes, line ends, windows, numbers; and the sketch and keys that stand on it. */
#include "analysis/csv_read.h"
#include "analysis/keys.h"
#include "analysis/sketch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct seen {
	char text[4096]; /* rows as "line:field|field;" */
	size_t rows, fields;
	bool cut_off, binary;
};

static enum status see(void *arg, const struct csv_row *row)
{
	struct seen *s = arg;
	char **field;
	size_t fields, used = strlen(s->text);
	assert_int_equal(csv_split(row, &field, &fields), ST_OK);
	s->rows++;
	s->fields += fields;
	s->cut_off = row->cut_off;
	s->binary = s->binary || row->binary;
	if (used + row->bytes + 64 > sizeof s->text)
		return ST_OK;
	used += (size_t)snprintf(s->text + used, sizeof s->text - used, "%zu:", row->line);
	for (size_t i = 0; i < fields; i++)
		used += (size_t)snprintf(
		        s->text + used, sizeof s->text - used, "%s%s", i ? "|" : "", field[i]);
	snprintf(s->text + used, sizeof s->text - used, ";");
	return ST_OK;
}

static struct seen read_text(const char *text, size_t bytes)
{
	struct seen s = {.rows = 0};
	FILE *file = fmemopen((void *)(uintptr_t)text, bytes, "r");
	assert_int_equal(csv_read(file, "text", see, &s), ST_OK);
	fclose(file);
	return s;
}

static void assert_rows(const char *text, const char *expected)
{
	struct seen s = read_text(text, strlen(text));
	assert_string_equal(s.text, expected);
}

static void rows_and_fields(void **state)
{
	(void)state;
	assert_rows("a,b\nc,,d\n", "1:a|b;2:c||d;");
	assert_rows("a,b\r\n\r\n\nc,d\r\n", "1:a|b;4:c|d;");
	assert_rows("  a , b\t,c c \n", "1:a|b|c c;");
	assert_rows("\"a,1\",\"b \"\"q\"\"\"\n", "1:a,1|b \"q\";");
	assert_rows("x,\"two\nlines\"\ny\n", "1:x|two\nlines;3:y;");
	assert_rows("a \"stray\" quote,b\nc\n", "1:a \"stray\" quote|b;2:c;");
	assert_rows("\n\n", "");
}

static void a_row_that_is_cut_off_is_told(void **state)
{
	(void)state;
	assert_true(read_text("a,b\nc,d", 7).cut_off);
	assert_false(read_text("a,b\nc,d\n", 8).cut_off);
	assert_true(read_text("a,\"b\nc", 6).cut_off);
	assert_true(read_text("a\0b\n", 4).binary);
}

/* Rows that lie across the ends of the window come out whole, wherever they fall. */
static void windows_do_not_show(void **state)
{
	(void)state;
	enum { ROWS = 60000 };
	char *text = malloc(ROWS * 64), *at = text;
	for (int i = 0; i < ROWS; i++)
		at += sprintf(at, i % 7 ? "%d,abcdefghij,%d\n" : "%d,\"quoted\n, %d\",last\n", i, i * 3);
	struct seen s = {.rows = 0};
	FILE *file = fmemopen(text, (size_t)(at - text), "r");
	assert_int_equal(csv_read(file, "text", see, &s), ST_OK);
	fclose(file);
	assert_int_equal(s.rows, ROWS);
	assert_int_equal(s.fields, 3 * ROWS);
	free(text);
}

static void a_quote_without_end_is_refused_in_time(void **state)
{
	(void)state;
	size_t bytes = 40 << 20;
	char *text = malloc(bytes);
	memset(text, 'x', bytes);
	memcpy(text, "\"", 1);
	struct seen s = {.rows = 0};
	FILE *file = fmemopen(text, bytes, "r");
	fail_keep(true);
	assert_int_equal(csv_read(file, "text", see, &s), ST_USAGE);
	fail_keep(false);
	fclose(file);
	free(text);
}

static void plain_numbers_are_what_strtod_reads(void **state)
{
	(void)state;
	static const char *const plain[] = {
	        "0", "7", "123456789012345", "0.1", "20012.5", "1.", "0.00000000000001", "999.999999"};
	static const char *const other[] = {
	        "", ".5", "1e5", "-1", "+1", "1234567890123456", "1.2.3", " 1", "1x", "nan"};
	double value;
	char text[32];
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
		assert_true(csv_plain_number(plain[i], &value));
		assert_true(value == strtod(plain[i], NULL));
	}
	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		assert_false(csv_plain_number(other[i], &value));
	srand(1);
	for (int i = 0; i < 100000; i++) {
		snprintf(text, sizeof text, "%d.%0*d", rand() % 1000000, 1 + rand() % 8, rand() % 10000000);
		if (csv_plain_number(text, &value))
			assert_true(value == strtod(text, NULL));
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static void sketch_is_near_the_truth(void **state)
{
	(void)state;
	enum { COUNT = 20000 };
	static double value[COUNT];
	struct sketch s = {.count = 0};
	double sum = 0, squares = 0;
	srand(2);
	for (int i = 0; i < COUNT; i++) {
		value[i] = 1000 * exp(4.0 * rand() / RAND_MAX);
		sum += value[i];
		assert_true(sketch_add(&s, value[i]));
	}
	for (int i = 0; i < COUNT; i++)
		squares += pow(value[i] - sum / COUNT, 2);
	qsort(value, COUNT, sizeof *value, by_value);
	static const double share[] = {0.001, 0.25, 0.5, 0.95, 0.99, 1};
	for (size_t i = 0; i < sizeof share / sizeof *share; i++) {
		double exact = value[(int)ceil(share[i] * COUNT) - 1];
		assert_true(fabs(sketch_percentile(&s, share[i]) / exact - 1) <= 0.0005);
	}
	assert_true(s.min == value[0] && s.max == value[COUNT - 1]);
	assert_true(fabs(sketch_mean(&s) / (sum / COUNT) - 1) < 1e-12);
	assert_true(fabs(sketch_stdev(&s) / sqrt(squares / COUNT) - 1) < 1e-9);
	sketch_free(&s);
}

static void few_values_are_exact(void **state)
{
	(void)state;
	struct sketch s = {.count = 0};
	for (int i = SKETCH_EXACT; i > 0; i--)
		assert_true(sketch_add(&s, i));
	assert_true(sketch_percentile(&s, 0.5) == SKETCH_EXACT / 2);
	assert_true(sketch_percentile(&s, 0.99) == SKETCH_EXACT);
	assert_true(sketch_add(&s, 0));
	assert_true(sketch_percentile(&s, 0.001) == 0);
	sketch_free(&s);
}

static void keys_keep_their_numbers(void **state)
{
	(void)state;
	struct keys k = {.count = 0};
	char text[32];
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < 5000; i++)
			assert_int_equal(keys_number(&k, text,
			                         (size_t)snprintf(text, sizeof text, "key number %zu", i)),
			        i);
	assert_int_equal(k.count, 5000);
	assert_string_equal(k.at[4321].text, "key number 4321");
	keys_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rows_and_fields),
	        cmocka_unit_test(a_row_that_is_cut_off_is_told),
	        cmocka_unit_test(windows_do_not_show),
	        cmocka_unit_test(a_quote_without_end_is_refused_in_time),
	        cmocka_unit_test(plain_numbers_are_what_strtod_reads),
	        cmocka_unit_test(sketch_is_near_the_truth),
	        cmocka_unit_test(few_values_are_exact),
	        cmocka_unit_test(keys_keep_their_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
