/* test_world_split.c - the grammar of NCCL_TESTS_SPLIT and NCCL_TESTS_SPLIT_MASK, one row a text. */
#include "bench/core/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const struct row {
	const char *split, *mask;
	int process, colour; /* colour -1: refused */
} rows[] = {
        {NULL, NULL, 5, 0},
        {"", "", 5, 0},
        {"AND 0x3", NULL, 6, 2},
        {"and3", NULL, 6, 2},
        {"&0b011", NULL, 6, 2},
        {"& 3", NULL, 7, 3},
        {"OR 1", NULL, 6, 7},
        {"|0x1", NULL, 6, 7},
        {"MOD 4", NULL, 6, 2},
        {"mod\t010", NULL, 9, 1}, /* octal 8 */
        {"%3", NULL, 5, 2},
        {"DIV 2", NULL, 5, 2},
        {"/ 0x2 ", NULL, 5, 2},
        {"MOD 2", "0x6", 7, 6},   /* the mask wins */
        {NULL, "10", 0x13, 0x10}, /* and is hexadecimal */
        {NULL, "f", 0x13, 3},
        {"MOD 0", NULL, 1, -1},
        {"DIV 0x0", NULL, 1, -1},
        {"MOD", NULL, 1, -1},
        {"MOD 2x", NULL, 1, -1},
        {"MOD -2", NULL, 1, -1},
        {"AND 0b12", NULL, 1, -1},
        {"AND 08", NULL, 1, -1},
        {"XOR 2", NULL, 1, -1},
        {"2", NULL, 1, -1},
        {"OR 0xffffffff", NULL, 1, -1},
        {"OR 99999999999999999999", NULL, 1, -1},
        {NULL, "g", 1, -1},
        {NULL, "-1", 1, -1},
};

static void every_row(void **state)
{
	(void)state;
	fail_keep(true);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *r = &rows[i];
		int colour = -1;
		fail_forget();
		enum status s = world_split_parse(r->split, r->mask, r->process, &colour);
		if (colour != r->colour || s != (r->colour < 0 ? ST_USAGE : ST_OK))
			fail_msg("row %zu: status %d, colour %d", i, (int)s, colour);
		assert_true(!fail_sentence()[0] == (r->colour >= 0));
	}
	fail_keep(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_row)};
	return cmocka_run_group_tests_name("world_split", tests, NULL, NULL);
}
