/* Rounds of pairs: in each round partners agree and nobody has two; over all rounds every two ranks meet
 * exactly once. */
#include "bench/core/pairs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

static void everybody_meets_everybody_once(void **state)
{
	(void)state;
	for (int n = 2; n <= 33; n++) {
		int met[33][33];
		memset(met, 0, sizeof met);
		for (int round = 0; round < pairs_rounds(n); round++) {
			int resting = 0;
			for (int rank = 0; rank < n; rank++) {
				int partner = pairs_partner(n, rank, round);
				if (partner < 0) {
					resting++;
					continue;
				}
				assert_int_not_equal(partner, rank);
				assert_int_equal(pairs_partner(n, partner, round), rank);
				met[rank][partner]++;
			}
			assert_int_equal(resting, n % 2);
		}
		for (int a = 0; a < n; a++)
			for (int b = 0; b < n; b++)
				assert_int_equal(met[a][b], a != b);
	}
}

static void one_rank_has_no_partner(void **state)
{
	(void)state;
	assert_int_equal(pairs_partner(1, 0, 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(everybody_meets_everybody_once),
	        cmocka_unit_test(one_rank_has_no_partner),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
