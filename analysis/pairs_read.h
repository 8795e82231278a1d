/* pairs_read.h - pair bandwidths as people have them: a csv with from and to columns, lines of two names and
 * a number, or a square matrix with names. */
#ifndef ANALYSIS_PAIRS_READ_H
#define ANALYSIS_PAIRS_READ_H

#include "analysis/pairs.h"

enum { PAIRS_RAILS = 64 };

struct pairs_input {
	int rails; /* 1 where no column tells them apart */
	char *rail_name[PAIRS_RAILS];
	struct pairs rail[PAIRS_RAILS]; /* all share the names; the median where a pair was measured several
	                                   times */
	size_t taken, bad, other; /* lines: measurements, broken ones (each told), text that is neither */
};

/* ST_USAGE after a sentence when the file cannot be read or holds no pair at all. "-" is standard input. */
enum status pairs_read(const char *path, struct pairs_input *out);
void pairs_input_free(struct pairs_input *);

#endif
