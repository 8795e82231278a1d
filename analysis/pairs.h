/* pairs.h - which node, direction or link is slow, from bandwidths between pairs of nodes. Arithmetic on one
 * matrix; no files.
 *
 * The logarithm of a pair's bandwidth is taken as the common level plus what the sender, the receiver and the
 * pair itself add; slow parts are few, so the fewest culprits that explain the slow pairs are sought. A node
 * is convicted only by two slow pairs whose other ends are fast elsewhere; what the pairs at hand cannot tell
 * apart is said to be unresolved. */
#ifndef ANALYSIS_PAIRS_H
#define ANALYSIS_PAIRS_H

#include "bench/core/status.h"

#include <stddef.h>

struct pairs {
	int nodes;
	char **name;
	bool directed; /* false: gbs is symmetric */
	double *gbs;   /* [from * nodes + to]; NaN: not measured */
};

enum pairs_part { PART_NODE, PART_SENDER, PART_RECEIVER, PART_LINK, PART_UNRESOLVED };

struct pairs_finding {
	enum pairs_part part;
	int node, peer;     /* peer: LINK, or the other end where one pair is UNRESOLVED; else -1 */
	bool both;          /* LINK: slow in both directions */
	double share;       /* of the common level */
	int slow, measured; /* pairs of the part */
	int *member;        /* UNRESOLVED: the nodes that cannot be told apart */
	int members;
};

struct pairs_report {
	double level_gbs; /* of the pairs that nothing slows */
	double noise;     /* share, robust standard deviation of those */
	double threshold; /* share below the level from which a pair is slow */
	double between;   /* where nodes fall into groups: the level between groups as a share of the level
	                     inside; else 1 */
	int groups;       /* 1: all alike */
	int *group;       /* of each node */
	int measured, slow;
	struct pairs_finding *finding; /* worst first */
	size_t findings;
};

struct pairs_limits {
	double effect;      /* a smaller share lost is nothing, 5 % */
	double false_alarm; /* chance of any in a matrix without fault, 0.001 */
};

enum status pairs_judge(const struct pairs *, const struct pairs_limits *, struct pairs_report *out);
void pairs_report_free(struct pairs_report *);

#endif
