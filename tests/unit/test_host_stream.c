/* test_host_stream.c - copies past the caches copy every byte and no other, at every alignment. */
#include "bench/memory/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { ROOM = 1024, EDGE = 70, GUARD = 0xa5 };

static void every_byte_and_no_other(void **state)
{
	(void)state;
	static unsigned char src[ROOM], dst[ROOM];
	for (int i = 0; i < ROOM; i++)
		src[i] = (unsigned char)(i * 7 + 1);
	for (size_t to = 0; to < EDGE; to++)
		for (size_t from = 0; from < EDGE; from += 11)
			for (size_t bytes = 0; bytes < 5 * EDGE; bytes += bytes < 140 ? 1 : 37) {
				memset(dst, GUARD, sizeof dst);
				assert_int_equal(host_copy_through(dst + to, src + from, bytes), ST_OK);
				assert_memory_equal(dst + to, src + from, bytes);
				for (size_t i = 0; i < ROOM; i++)
					if (i < to || i >= to + bytes)
						assert_int_equal(dst[i], GUARD);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_byte_and_no_other)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
