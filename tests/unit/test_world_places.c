/* test_world_places.c - nodes, local ranks and groups, counted from who lives where. */
#include "bench/core/world_places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { RANKS = 6 };

static void numbered(struct places *p, struct place at[RANKS], int members[RANKS])
{
	static const uint64_t machine[RANKS] = {70, 90, 70, 80, 90, 70};
	static const int group[RANKS] = {1, 0, 1, 5, 0, 0};
	for (int r = 0; r < RANKS; r++)
		at[r] = (struct place){.machine = machine[r], .group = group[r], .process = r};
	*p = (struct places){.at = at, .members = members, .ranks = RANKS};
	places_number(p);
}

static void nodes_follow_the_lowest_rank(void **state)
{
	static const int node[RANKS] = {0, 1, 0, 2, 1, 0}, local[RANKS] = {0, 0, 1, 0, 1, 2};
	struct places p;
	struct place at[RANKS];
	int members[RANKS];
	(void)state;
	numbered(&p, at, members);
	assert_int_equal(p.nodes, 3);
	for (int r = 0; r < RANKS; r++) {
		assert_int_equal(at[r].node, node[r]);
		assert_int_equal(at[r].local_rank, local[r]);
	}
}

static void groups_hold_their_ranks_in_order(void **state)
{
	static const int first[RANKS] = {0, 1, 0, 3, 1, 1}, size[RANKS] = {2, 3, 2, 1, 3, 3};
	static const int rank_in[RANKS] = {0, 0, 1, 0, 1, 2};
	struct places p;
	struct place at[RANKS];
	int members[RANKS];
	(void)state;
	numbered(&p, at, members);
	for (int r = 0; r < RANKS; r++) {
		struct world w = {0};
		places_world(&p, r, &w);
		assert_int_equal(w.group_ranks, size[r]);
		assert_int_equal(w.group_rank, rank_in[r]);
		assert_int_equal(w.group_members[0], first[r]);
		assert_int_equal(w.group_members[w.group_rank], r);
		assert_int_equal(w.local_ranks, at[r].node == 0 ? 3 : at[r].node == 1 ? 2 : 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(nodes_follow_the_lowest_rank),
	        cmocka_unit_test(groups_hold_their_ranks_in_order),
	};
	return cmocka_run_group_tests_name("world_places", tests, NULL, NULL);
}
