/* near.h - "did you mean": finds the known name that is nearest to a mistyped one. */
#ifndef BENCH_CORE_NEAR_H
#define BENCH_CORE_NEAR_H

#include <stddef.h>

struct near {
	const char *wanted, *best;
	size_t distance; /* edits between wanted and best */
};

/* Starts a search for something like `wanted`; then offer every known name; then ask. The strings must live
 * on. */
struct near near_begin(const char *wanted);
void near_offer(struct near *, const char *known);
/* The nearest name offered, or NULL when none is near enough to be what was meant. */
const char *near_best(const struct near *);

#endif
