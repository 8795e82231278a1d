/* report_samples.h - the samples of a few rows out of a run's raw.csv. */
#ifndef ANALYSIS_REPORT_SAMPLES_H
#define ANALYSIS_REPORT_SAMPLES_H

#include "bench/core/record.h"

enum { SAMPLES_KEPT = 4096 };

struct samples_of {
	const struct record *row; /* in */
	double *ns;               /* out, sorted; freed by the caller */
	size_t count;
};

/* False when the run has no raw.csv or it holds none of them. Of more than SAMPLES_KEPT samples the first are
 * taken. */
bool report_samples(const char *run_folder, struct samples_of *wanted, size_t count);

#endif
