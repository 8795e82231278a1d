/* A row written is the row read back, column by column; what is no value is refused. */
#include "bench/core/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *printed(void (*print)(FILE *, const struct record *), const struct record *r)
{
	char *text;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);
	print(f, r);
	fclose(f);
	return text;
}

static void row_survives_the_round_trip(void **state)
{
	(void)state;
	struct record r, back;
	record_clear(&r);
	record_clear(&back);
	strcpy(r.host_set, "node-0 node-1, \"b\"");
	r.dtype = DT_BFLOAT16;
	r.redop = OP_MULSUM;
	r.bytes = 1ull << 40;
	r.busbw_gbs = 12.5;
	r.checked = CHECK_DONE;
	r.wrong_index = 7;
	for (size_t i = 0; i < record_column_count; i++) {
		const struct column *c = &record_columns[i];
		char *field;
		size_t bytes;
		FILE *f = open_memstream(&field, &bytes);
		record_print(c, f, &r);
		fclose(f);
		if (c->kind != COLUMN_TEXT)
			assert_true(record_scan(c, &back, field));
		free(field);
	}
	memcpy(back.host_set, r.host_set, sizeof r.host_set);
	assert_memory_equal(&r, &back, offsetof(struct record, time_ns));
	assert_true(back.busbw_gbs == 12.5 && back.checked == CHECK_DONE && back.wrong_index == 7);
	assert_true(isnan(back.mean_ns) && back.cpu_ns == -1);
	char *text = printed(record_print_row, &r);
	assert_non_null(strstr(text, ",\"node-0 node-1, \"\"b\"\"\","));
	free(text);
}

static void header_names_each_column_once(void **state)
{
	(void)state;
	for (size_t i = 0; i < record_column_count; i++)
		assert_ptr_equal(record_column(record_columns[i].name), &record_columns[i]);
	assert_null(record_column("no_such_column"));
}

static void what_is_no_value_is_refused(void **state)
{
	(void)state;
	static const struct {
		const char *column, *text;
	} bad[] = {{"ranks", "4x"}, {"ranks", "99999999999"}, {"bytes", "-1"}, {"dtype", "floaty"},
	        {"redop", "xor"}, {"checked", "OK"}, {"busbw_gbs", "fast"}, {"busbw_gbs", "inf"},
	        {"schema_version", ""}, {"cycles", "1e9"}};
	struct record r;
	record_clear(&r);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(record_scan(record_column(bad[i].column), &r, bad[i].text));
	char long_text[64];
	memset(long_text, 'x', 63);
	long_text[63] = 0;
	assert_false(record_scan(record_column("tier"), &r, long_text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(row_survives_the_round_trip),
	        cmocka_unit_test(header_names_each_column_once),
	        cmocka_unit_test(what_is_no_value_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
