/* Every element of every result is accounted for, sizes are the contract's, and the factors and the traffic
 * of the model agree with each other: all collectives, 1 to 17 ranks. */
#include "bench/collective/alltoallv.h"
#include "bench/collective/collective.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

enum { MOST_RANKS = 17, MOST_ELEMS = 1 << 12 };

static const size_t sizes[] = {0, 1, 3, 17, 100, 1001, 4095};
static const size_t elem_sizes[] = {1, 2, 4, 8};

struct subject { /* one collective on one set of buffers */
	const struct collective *c;
	struct shape shape;
	struct traffic traffic;
	int n, root;
};

/* Calls visit for every collective, rank count, root, element size and buffer size. */
static void for_each(void (*visit)(const struct subject *))
{
	fail_keep(true); /* hypercube says why not */
	for (int i = 0; collectives[i]; i++)
		for (int n = 1; n <= MOST_RANKS; n++) {
			struct subject s = {.c = collectives[i], .traffic = {.spread = 0.75}, .n = n};
			if (s.c->runs_on(n) != ST_OK)
				continue;
			for (size_t e = 0; e < sizeof elem_sizes / sizeof *elem_sizes; e++)
				for (size_t b = 0; b < sizeof sizes / sizeof *sizes; b++) {
					s.shape = s.c->shape(sizes[b], elem_sizes[e], n, &s.traffic);
					s.root = s.c->rooted ? (int)b % n : ALL_RANKS;
					visit(&s);
				}
		}
	fail_keep(false);
}

static size_t result_elems(const struct subject *s, int rank, unsigned char *covered)
{
	size_t total = 0;
	memset(covered, 0, MOST_ELEMS);
	int blocks = s->c->blocks(s->n, rank, s->root);
	for (int i = 0; i < blocks; i++) {
		struct block b = s->c->block(&s->shape, s->n, rank, s->root, i, &s->traffic);
		assert_true(b.source == ALL_RANKS ? s->c->reduces : b.source >= 0 && b.source < s->n);
		assert_true(b.source_offset + b.elems <= s->shape.send);
		assert_true(b.offset + b.elems <= s->shape.recv);
		for (size_t k = 0; k < b.elems; k++)
			assert_int_equal(covered[b.offset + k]++, 0);
		total += b.elems;
	}
	return total;
}

static void check_no_gap_no_overlap(const struct subject *s)
{
	static unsigned char covered[MOST_ELEMS];
	for (int rank = 0; rank < s->n; rank++) {
		size_t total = result_elems(s, rank, covered);
		bool receives = s->c->blocks(s->n, rank, s->root) > 0;
		if (!strcmp(s->c->name, "alltoallv"))
			for (size_t k = 0; k < total; k++) /* each rank its own amount, without a hole */
				assert_int_equal(covered[k], 1);
		else
			assert_int_equal(total, receives ? s->shape.recv : 0);
	}
}

static void results_have_no_gap_and_no_overlap(void **state)
{
	(void)state;
	for_each(check_no_gap_no_overlap);
}

/* How often each element of a source must arrive somewhere. */
static int copies(const struct subject *s, int source)
{
	const char *name = s->c->name;
	if (!strcmp(name, "all_gather") || !strcmp(name, "hypercube"))
		return s->n;
	if (!strcmp(name, "broadcast"))
		return source == s->root ? s->n : 0;
	if (!strcmp(name, "scatter"))
		return source == s->root ? 1 : 0;
	return 1; /* alltoall, alltoallv, gather, sendrecv */
}

static void check_every_input_arrives(const struct subject *s)
{
	static unsigned char arrived[MOST_RANKS][MOST_ELEMS];
	if (s->c->reduces)
		return;
	memset(arrived, 0, sizeof arrived);
	for (int rank = 0; rank < s->n; rank++)
		for (int i = 0; i < s->c->blocks(s->n, rank, s->root); i++) {
			struct block b = s->c->block(&s->shape, s->n, rank, s->root, i, &s->traffic);
			for (size_t k = 0; k < b.elems; k++)
				arrived[b.source][b.source_offset + k]++;
		}
	for (int source = 0; source < s->n; source++)
		for (size_t k = 0; k < s->shape.send; k++)
			assert_int_equal(arrived[source][k], copies(s, source));
}

static void every_input_arrives_as_often_as_it_should(void **state)
{
	(void)state;
	for_each(check_every_input_arrives);
}

static void check_reductions_cover_the_input(const struct subject *s)
{
	static unsigned char reduced[MOST_ELEMS];
	if (!s->c->reduces)
		return;
	memset(reduced, 0, sizeof reduced);
	for (int rank = 0; rank < s->n; rank++)
		for (int i = 0; i < s->c->blocks(s->n, rank, s->root); i++) {
			struct block b = s->c->block(&s->shape, s->n, rank, s->root, i, &s->traffic);
			for (size_t k = 0; k < b.elems; k++)
				reduced[b.source_offset + k]++;
		}
	int times = !strcmp(s->c->name, "all_reduce") ? s->n : 1;
	for (size_t k = 0; k < s->shape.send; k++)
		assert_int_equal(reduced[k], times);
}

static void reductions_cover_the_whole_input(void **state)
{
	(void)state;
	for_each(check_reductions_cover_the_input);
}

static void check_in_place_fits(const struct subject *s)
{
	size_t room = s->shape.send > s->shape.recv ? s->shape.send : s->shape.recv;
	for (size_t rank = 0; rank < (size_t)s->n; rank++) {
		assert_true(s->shape.send_stride * rank + s->shape.send <= room);
		assert_true(s->shape.recv_stride * rank + s->shape.recv <= room);
	}
	assert_int_equal(shape_size_bytes(&s->shape, s->shape.elem_bytes), room * s->shape.elem_bytes);
}

static void in_place_data_fit_the_buffer(void **state)
{
	(void)state;
	for_each(check_in_place_fits);
}

/* The columns for 1000 floats a buffer and 7 ranks: a share is 1000 / 7 = 142, in 16 bytes 140. */
static void columns_are_the_contract(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		size_t count, send, recv, send_stride, recv_stride, algo_bytes;
		bool checked_in_place, reduces, rooted;
	} table[] = {
	        {"all_reduce", 1000, 1000, 1000, 0, 0, 4000, true, true, false},
	        {"all_gather", 140, 140, 980, 140, 0, 3920, true, false, false},
	        {"reduce_scatter", 140, 980, 140, 0, 140, 3920, true, true, false},
	        {"alltoall", 140, 980, 980, 0, 0, 3920, false, false, false},
	        {"broadcast", 1000, 1000, 1000, 0, 0, 4000, true, false, true},
	        {"reduce", 1000, 1000, 1000, 0, 0, 4000, true, true, true},
	        {"gather", 140, 140, 980, 140, 0, 3920, true, false, true},
	        {"scatter", 140, 980, 140, 0, 140, 3920, true, false, true},
	        {"sendrecv", 1000, 1000, 1000, 0, 0, 4000, false, false, false},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		const struct collective *c = collective_find(table[i].name);
		assert_non_null(c);
		struct shape s = c->shape(1000, 4, 7, NULL);
		assert_int_equal(s.count, table[i].count);
		assert_int_equal(s.send, table[i].send);
		assert_int_equal(s.recv, table[i].recv);
		assert_int_equal(s.send_stride, table[i].send_stride);
		assert_int_equal(s.recv_stride, table[i].recv_stride);
		assert_true(c->algo_bytes(&s, 4, 7) == (double)table[i].algo_bytes);
		assert_int_equal(c->checked_in_place, table[i].checked_in_place);
		assert_int_equal(c->reduces, table[i].reduces);
		assert_int_equal(c->rooted, table[i].rooted);
	}
}

/* Hypercube counts what a rank receives; it wants a power of two and prints no op. */
static void hypercube_is_special(void **state)
{
	(void)state;
	const struct collective *c = collective_find("hypercube");
	struct shape s = c->shape(1000, 4, 8, NULL);
	assert_int_equal(s.count, 124);
	assert_int_equal(s.recv, 8 * 124);
	assert_true(c->algo_bytes(&s, 4, 8) == 7 * 124 * 4.0);
	assert_string_equal(c->redop_column, "");
	fail_keep(true);
	assert_int_equal(c->runs_on(7), ST_UNSUPPORTED);
	assert_string_equal(fail_sentence(), "nRanks 7 is not a power of 2, skipping");
	fail_forget();
	fail_keep(false);
	for (int n = 1; n <= 64; n *= 2)
		assert_int_equal(c->runs_on(n), ST_OK);
}

static void bus_factors(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		double of_1, of_2, of_8;
	} table[] = {
	        {"all_reduce", 0, 1, 1.75},
	        {"all_gather", 0, 0.5, 0.875},
	        {"reduce_scatter", 0, 0.5, 0.875},
	        {"alltoall", 0, 0.5, 0.875},
	        {"alltoallv", 0, 0.5, 0.875},
	        {"broadcast", 1, 1, 1},
	        {"reduce", 1, 1, 1},
	        {"gather", 0, 0.5, 0.875},
	        {"scatter", 0, 0.5, 0.875},
	        {"sendrecv", 1, 1, 1},
	        {"hypercube", 1, 1, 1},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		const struct collective *c = collective_find(table[i].name);
		assert_true(c->bus_factor(1) == table[i].of_1);
		assert_true(c->bus_factor(2) == table[i].of_2);
		assert_true(c->bus_factor(8) == table[i].of_8);
	}
	assert_null(collectives[sizeof table / sizeof *table]);
	assert_null(collective_find("all_reduc"));
}

/* The busiest rank of the traffic between pairs sends or receives what the ring model says. */
static void check_pairs_add_up(const struct subject *s)
{
	double busiest = 0;
	for (int rank = 0; rank < s->n; rank++) {
		double out = 0, in = 0;
		for (int peer = 0; peer < s->n; peer++) {
			out += s->c->pair_bytes(&s->shape, s->n, rank, peer, s->root, &s->traffic);
			in += s->c->pair_bytes(&s->shape, s->n, peer, rank, s->root, &s->traffic);
		}
		assert_true(s->c->pair_bytes(&s->shape, s->n, rank, rank, s->root, &s->traffic) == 0);
		busiest = out > busiest ? out : busiest;
		busiest = in > busiest ? in : busiest;
	}
	double size_bytes = (double)shape_size_bytes(&s->shape, s->shape.elem_bytes);
	if (!strcmp(s->c->name, "alltoallv"))
		assert_true(busiest <= size_bytes); /* its own matrix, not the ring's even share */
	else
		assert_true(fabs(busiest - s->c->ring_bytes(size_bytes, s->n)) <= 1e-9 * size_bytes);
}

static void pairs_add_up_to_the_ring_model(void **state)
{
	(void)state;
	for_each(check_pairs_add_up);
}

static void ring_steps(void **state)
{
	(void)state;
	for (int n = 1; n <= MOST_RANKS; n++) {
		assert_true(collective_find("all_reduce")->ring_steps(n) == 2.0 * (n - 1));
		assert_true(collective_find("all_gather")->ring_steps(n) == n - 1);
		assert_true(collective_find("sendrecv")->ring_steps(n) == (n > 1));
	}
	assert_true(collective_find("hypercube")->ring_steps(16) == 4);
}

static void shares_are_whole_16_bytes(void **state)
{
	(void)state;
	assert_int_equal(share_elems(100, 1, 3), 32);
	assert_int_equal(share_elems(100, 4, 3), 32);
	assert_int_equal(share_elems(100, 8, 3), 32);
	assert_int_equal(share_elems(7, 4, 2), 0);
	assert_int_equal(share_elems(SIZE_MAX, 8, 1), SIZE_MAX - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(results_have_no_gap_and_no_overlap),
	        cmocka_unit_test(every_input_arrives_as_often_as_it_should),
	        cmocka_unit_test(reductions_cover_the_whole_input),
	        cmocka_unit_test(in_place_data_fit_the_buffer),
	        cmocka_unit_test(columns_are_the_contract),
	        cmocka_unit_test(hypercube_is_special),
	        cmocka_unit_test(bus_factors),
	        cmocka_unit_test(pairs_add_up_to_the_ring_model),
	        cmocka_unit_test(ring_steps),
	        cmocka_unit_test(shares_are_whole_16_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
