/* sweep.c - see sweep.h. The step and factor rules are nccl-tests'; the end of the sweep is not left to
 * chance. */
#include "bench/core/sweep.h"

bool sweep_next(const struct plan *plan, uint64_t *bytes_p)
{
	uint64_t now = *bytes_p, next;
	if (plan->step_factor > 1) {
		double grown = (double)now * plan->step_factor;
		if (grown > (double)plan->max_bytes || grown >= 0x1p64)
			return false;
		next = (uint64_t)grown;
		if (next <= now && now < UINT64_MAX)
			next = now + 1; /* 0 x 2, 1 x 1.5: by a byte at least */
	} else if (__builtin_add_overflow(now, plan->step_bytes, &next)) {
		return false;
	}
	if (next <= now || next > plan->max_bytes)
		return false;
	*bytes_p = next;
	return true;
}

uint64_t sweep_count(const struct plan *plan)
{
	if (plan->min_bytes > plan->max_bytes)
		return 0;
	uint64_t count = 1;
	for (uint64_t bytes = plan->min_bytes; sweep_next(plan, &bytes); count++)
		;
	return count;
}
