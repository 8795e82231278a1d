/* regress.h - has anything become slower? Statistics on series of runs; no files.
 *
 * For every key the newest run is held against the runs before it; a drift along the runs and a step within
 * them are sought as well. Locations are logarithms, so effects are shares. A key's spread between runs is
 * moderated by that of all keys; all tests of all keys together are held to one false-discovery rate; effects
 * below a least size are nothing. */
#ifndef ANALYSIS_REGRESS_H
#define ANALYSIS_REGRESS_H

#include "bench/core/status.h"

#include <stddef.h>

enum {
	REGRESS_RUNS = 64,
	REGRESS_LEAST = 4
}; /* runs kept of a series; runs that a judgement needs, the newest included */

struct run_point {
	size_t run; /* index of the run; ascending within a series */
	double samples;
	double mean,
	        mean_error; /* logarithm of the mean, and its standard error from the samples; 0 unknown */
	double median, median_error; /* likewise; NaN where the median is unknown */
};

struct series {
	struct run_point point[REGRESS_RUNS];
	size_t points;
};

enum change { CHANGE_NONE, CHANGE_TOO_FEW, CHANGE_FASTER, CHANGE_NEWEST, CHANGE_STEP, CHANGE_DRIFT };

struct regression {
	enum change change;
	double effect;    /* share of time: 0.03 is 3 % slower; of the whole drift; of the newest run where
	                     nothing changed */
	double p;         /* of the test that found it, or of the newest run's */
	size_t since_run; /* STEP: the first run at the new level; NEWEST, FASTER: the newest; DRIFT: the
	                     first of the series */
	double low, high; /* 95 % interval of the effect */
};

struct regress_limits {
	double effect;      /* least share that counts, 1 % */
	double false_alarm; /* false-discovery rate, 0.001 */
};

/* out: one for each series. */
enum status regress_judge(
        const struct series *, size_t count, const struct regress_limits *, struct regression *out);

#endif
