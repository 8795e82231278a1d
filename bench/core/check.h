/* check.h - fills buffers with data whose result is known, and looks at the result. */
#ifndef BENCH_CORE_CHECK_H
#define BENCH_CORE_CHECK_H

#include "bench/core/run.h"

/* Input of this rank for the first places of the buffers, other data at each, and results zeroed. */
enum status check_fill(struct run *, const struct test_case *, size_t places, uint64_t seed);

/* This rank's result at place `place` of the buffers; adds to found, whose first_index is an element of the
 * row's result. */
enum status check_verify(
        struct run *, const struct test_case *, size_t place, uint64_t seed, struct mismatch *found);

#endif
