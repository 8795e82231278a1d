/* made_up.h - runs for tests: four ranks over sockets that follow the ring model, with the noise of a busy
 * machine: every row is off by some percent, and now and then one is disturbed. Included once a test program.
 */
#ifndef TESTS_UNIT_MADE_UP_H
#define TESTS_UNIT_MADE_UP_H

#include "analysis/rows.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static gsl_rng *made_up_rng;

static inline void made_up_begin(void)
{
	made_up_rng = gsl_rng_alloc(gsl_rng_mt19937);
}

static inline void made_up_end(void)
{
	gsl_rng_free(made_up_rng);
}

struct made_up_world {
	double alpha_ns, bytes_per_s, reduce_factor;
	double noise, disturbed; /* share of a row's time; chance that a row takes twice as long */
	double slow_collective;  /* factor on the times of `slow`, from slow_from bytes on */
	const char *slow;
	uint64_t slow_from;
	int nodes;
};

static const struct made_up_world made_up_idle = {.alpha_ns = 20e3,
        .bytes_per_s = 1e9,
        .reduce_factor = 1.3,
        .noise = 0.08,
        .disturbed = 0.02,
        .nodes = 1};

static inline void made_up_row(struct rows *rows, const struct made_up_world *w, const char *collective,
        uint64_t bytes, const char *place)
{
	enum { RANKS = 4 };
	const struct collective *c = collective_find(collective);
	struct record r;
	record_clear(&r);
	strcpy(r.collective, collective);
	strcpy(r.backend, "ring");
	strcpy(r.transport_asked, "socket");
	strcpy(r.transport_seen, "socket");
	strcpy(r.memory, "host");
	strcpy(r.placement, place);
	r.ranks = RANKS;
	r.nodes = w->nodes;
	r.bytes = bytes;
	r.checked = CHECK_DONE;
	double ns = c->ring_steps(RANKS) * w->alpha_ns + c->ring_bytes((double)bytes, RANKS) /
	                                                         w->bytes_per_s * 1e9 *
	                                                         (c->reduces ? w->reduce_factor : 1);
	if (w->slow && !strcmp(w->slow, collective) && bytes >= w->slow_from)
		ns *= w->slow_collective;
	ns *= 1 + gsl_ran_gaussian(made_up_rng, w->noise);
	if (gsl_rng_uniform(made_up_rng) < w->disturbed)
		ns *= 2;
	r.mean_ns = ns * 1.1;
	r.time_ns = (struct stats){
	        20, ns * 0.9, ns, ns * 1.3, ns * 1.5, ns * 2, ns * 1.1, ns * 0.2, ns * 0.97, ns * 1.03};
	assert_int_equal(rows_append(rows, &r), ST_OK);
}

static inline struct rows made_up_run(const struct made_up_world *w)
{
	static const char *const names[] = {
	        "sendrecv", "all_reduce", "all_gather", "reduce_scatter", "alltoall"};
	struct rows rows = {0};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (uint64_t bytes = 1024; bytes <= 16 << 20; bytes *= 4)
			for (int in_place = 0; in_place < 2; in_place++)
				made_up_row(
				        &rows, w, names[i], bytes, in_place ? "in-place" : "out-of-place");
	return rows;
}

#endif
