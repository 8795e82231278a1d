/* test_tiers.c - two made-up networks, one twice as fast: ratios where bytes bind, where steps bind, and
 * where it does not hold. */
#include "analysis/tiers.h"
#include "tests/unit/made_up.h"

enum { SLOW, FAST, SIDES };

struct case_of {
	struct made_up_world world[SIDES];
	struct rows rows[SIDES];
	struct calibrations calibrations[SIDES];
	struct judge judge[SIDES];
	struct tiers tiers;
};

static void compare(struct case_of *c)
{
	for (int i = 0; i < SIDES; i++) {
		c->rows[i] = made_up_run(&c->world[i]);
		assert_int_equal(calibrations_of(&c->rows[i], &c->calibrations[i]), ST_OK);
		c->judge[i].calibrations = &c->calibrations[i];
	}
	assert_int_equal(tiers_compare(&c->rows[SLOW], &c->judge[SLOW], &c->rows[FAST], &c->judge[FAST], 0.1,
	                         &c->tiers),
	        ST_OK);
}

static void release(struct case_of *c)
{
	tiers_free(&c->tiers);
	for (int i = 0; i < SIDES; i++) {
		calibrations_free(&c->calibrations[i]);
		rows_free(&c->rows[i]);
	}
}

static struct case_of two_networks(void)
{
	struct case_of c = {.world = {made_up_idle, made_up_idle}};
	for (int i = 0; i < SIDES; i++) {
		c.world[i].noise = 0.01;
		c.world[i].disturbed = 0;
		c.world[i].reduce_factor = 1;
		c.world[i].bytes_per_s = 25e6 * (1 + i);
	}
	return c;
}

static const struct tier_summary *summary_of(const struct tiers *t, const char *collective)
{
	for (size_t i = 0; i < t->summaries; i++)
		if (!strcmp(t->summary[i].like->collective, collective))
			return &t->summary[i];
	fail_msg("no summary of %s", collective);
	return NULL;
}

static void twice_the_rate_is_half_the_time(void **state)
{
	(void)state;
	struct case_of c = two_networks();
	compare(&c);
	static const char *const names[] = {"all_reduce", "all_gather", "reduce_scatter", "alltoall"};
	for (size_t i = 0; i < 4; i++) {
		const struct tier_summary *s = summary_of(&c.tiers, names[i]);
		assert_true(fabs(s->ratio - 2) < 0.1);
		assert_true(fabs(s->predicted - 2) < 0.1);
		assert_true(s->pays_from_bytes <= 4096);
	}
	assert_int_equal(c.tiers.unmatched, 0);
	release(&c);
}

static void steps_make_both_alike(void **state)
{
	(void)state;
	struct case_of c = two_networks();
	c.world[SLOW].alpha_ns = c.world[FAST].alpha_ns = 50e6;
	compare(&c);
	size_t small = 0;
	for (size_t i = 0; i < c.tiers.pairs; i++) {
		const struct tier_pair *p = &c.tiers.pair[i];
		if (p->a->bytes > 16384 || isnan(p->predicted))
			continue;
		small++;
		assert_int_equal(p->a_bound, BOUND_LATENCY);
		assert_true(fabs(p->ratio.value - 1) < 0.1);
		assert_int_equal(p->agreement, AGREES);
	}
	assert_true(small > 8);
	assert_true(summary_of(&c.tiers, "all_gather")->pays_from_bytes > 65536);
	release(&c);
}

static void a_collective_that_gains_nothing_disagrees(void **state)
{
	(void)state;
	struct case_of c = two_networks();
	c.world[FAST].slow = "alltoall";
	c.world[FAST].slow_collective = 2;
	compare(&c);
	const struct tier_summary *s = summary_of(&c.tiers, "alltoall");
	assert_true(fabs(s->ratio - 1) < 0.1);
	assert_true(fabs(s->predicted - 2) < 0.1);
	assert_true(s->disagree > s->rows / 2);
	assert_true(isnan(s->pays_from_bytes));
	assert_int_equal(summary_of(&c.tiers, "all_gather")->disagree, 0);
	release(&c);
}

/* Rates that are given hold nothing back: inside the node NVLink binds on the faster network. */
static void nvlink_bounds_the_gain(void **state)
{
	(void)state;
	struct case_of c = two_networks();
	for (int i = 0; i < SIDES; i++) {
		c.world[i].nodes = 2;
		c.judge[i].given = (struct link_rate){.bytes_per_s = 200e9 * (1 + i), .alpha_ns = 1};
		c.judge[i].inside.bytes_per_s = 370e9;
	}
	compare(&c);
	const struct tier_summary *s = summary_of(&c.tiers, "all_reduce");
	assert_true(fabs(s->predicted - 1.85) < 0.01);
	release(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(twice_the_rate_is_half_the_time),
	        cmocka_unit_test(steps_make_both_alike),
	        cmocka_unit_test(a_collective_that_gains_nothing_disagrees),
	        cmocka_unit_test(nvlink_bounds_the_gain),
	};
	made_up_begin();
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	made_up_end();
	return failed;
}
