/* rates.h - quantities as people write them (rates, sizes, times, shares), and the tiers of a network. */
#ifndef ANALYSIS_RATES_H
#define ANALYSIS_RATES_H

#include "bench/core/status.h"

/* "25GB/s", "400Gb/s", "200Gbps", "3.2Tbps", "12GiB/s": bytes per second. A bare number is refused: it has no
 * unit. */
enum status parse_rate(const char *text, double *bytes_per_s_p);
/* "14e9", "64K", "1.5G", "2MiB": bytes; K M G T are binary as on the benchmark's command line. "14GB" is
 * refused: it could be either. */
enum status parse_size(const char *text, double *bytes_p);
/* "2s", "490ms", "3us", "120ns": nanoseconds. A bare number is refused. */
enum status parse_time(const char *text, double *ns_p);
/* "2%" or "0.02". */
enum status parse_share(const char *text, double *share_p);

/* A network by its sales name: what one node gets of it, in one direction, and over how many interfaces. */
struct tier {
	const char *name;
	double node_bytes_per_s;
	int rails;
	const char *meaning;
};
/* NULL, after a sentence that lists the tiers, when there is none of that name. */
const struct tier *tier_find(const char *name);

#endif
