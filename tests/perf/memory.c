/* What host memory costs: fill, verify and reduce of each datatype against memcpy of the same bytes.
 * Usage: memory [MEGABYTES [REPETITIONS]]. Everything is measured in turn, over and over; medians are printed
 * as GB/s of the buffer and as the ratio of times to memcpy's. Reduce adds into one of its sources, as a ring
 * does: three streams to memcpy's two, so 1.50 is what memory allows. */
#include "bench/core/clock.h"
#include "bench/core/types.h"
#include "bench/memory/host.h"
#include "bench/memory/host_ops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum work { COPY, FILL, FILL_NONE, VERIFY, VERIFY_NONE, REDUCE, WORKS };
enum { MOST = 101 };

static const char *const names[WORKS] = {
        "memcpy", "fill sum", "fill none", "verify sum", "verify none", "reduce sum"};

struct bench {
	size_t bytes;
	int reps;
	char *a, *b, *expected, *plain;
	uint64_t wrong;
};

static int64_t measure(struct bench *t, enum work what, enum dtype dtype)
{
	struct pattern p = {dtype, OP_SUM, 1, 8}, none = {dtype, OP_NONE, 1, 8},
	               whole = {dtype, OP_SUM, 1, 1};
	size_t elems = t->bytes / dtype_bytes(dtype);
	struct mismatch m = {0};
	int64_t start = clock_ns();
	switch (what) {
	case COPY:
		memcpy(t->b, t->a, t->bytes);
		break;
	case FILL:
		host_fill(&p, 3, 0, t->a, elems);
		break;
	case FILL_NONE:
		host_fill(&none, 3, 0, t->a, elems);
		break;
	case VERIFY:
		host_verify(&whole, 0, 0, t->expected, elems, &m);
		break;
	case VERIFY_NONE:
		host_verify(&none, 3, 0, t->plain, elems, &m);
		break;
	default:
		host_reduce(t->b, t->a, t->b, elems, dtype, OP_SUM);
		break;
	}
	int64_t ns = clock_ns() - start;
	t->wrong += m.wrong_elems;
	return ns;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static void measure_type(struct bench *t, enum dtype dtype)
{
	static int64_t ns[WORKS][MOST];
	struct pattern none = {dtype, OP_NONE, 1, 8}, whole = {dtype, OP_SUM, 1, 1};
	host_fill(&whole, 0, 0, t->expected, t->bytes / dtype_bytes(dtype));
	host_fill(&none, 3, 0, t->plain, t->bytes / dtype_bytes(dtype));
	for (int i = -1; i < t->reps; i++)
		for (int what = 0; what < WORKS; what++)
			ns[what][i < 0 ? 0 : i] = measure(t, (enum work)what, dtype);
	printf("%-9s", dtype_name(dtype));
	int64_t copy = 0;
	for (int what = 0; what < WORKS; what++) {
		qsort(ns[what], (size_t)t->reps, sizeof ns[what][0], compare);
		int64_t median = ns[what][t->reps / 2];
		copy = what == COPY ? median : copy;
		printf("  %7.2f %5.2f", (double)t->bytes / (double)median, (double)median / (double)copy);
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	struct bench t = {.bytes = (size_t)((argc > 1 ? atof(argv[1]) : 64) * 1048576),
	        .reps = argc > 2 ? atoi(argv[2]) : 11};
	struct buffer buffer[4];
	if (t.reps < 1 || t.reps > MOST || t.bytes < 64)
		return 2;
	for (int i = 0; i < 4; i++)
		if (memory_host.alloc(0, t.bytes, &buffer[i]))
			return 1;
	t.a = buffer[0].base, t.b = buffer[1].base, t.expected = buffer[2].base, t.plain = buffer[3].base;
	printf("# %s loops, %zu bytes, median of %d; GB/s of the buffer, and time relative to memcpy\n#      "
	       " ",
	        host_ops()->name, t.bytes, t.reps);
	for (int what = 0; what < WORKS; what++)
		printf("  %13s", names[what]);
	printf("\n");
	for (int type = 0; type < DTYPES; type++)
		measure_type(&t, (enum dtype)type);
	printf("# wrong elements: %llu\n", (unsigned long long)t.wrong);
	return t.wrong ? 1 : 0;
}
