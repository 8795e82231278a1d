/* What the kernels reach of the device's own copy bandwidth: GB/s of bytes read and written, medians of runs
 * that take turns, and the ratio to a copy from device to device. Usage: bandwidth [MEGABYTES [REPETITIONS]].
 * Without a device it says so and exits with 77; with one, 1 when data are wrong. */
#include <stddef.h>
#include <stdint.h>

extern "C" {
#include "bench/core/types.h"
#include "bench/memory/recipe.h"
}
#include "kernels/copy.h"
#include "kernels/fill.h"
#include "kernels/reduce.h"
#include "kernels/verify.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum work { COPY, COPY_KERNEL, FILL, VERIFY, REDUCE, WORKS };

static const struct {
	const char *name;
	double streams; /* bytes read and written of each byte of buffer */
} works[WORKS] = {{"memcpy", 2}, {"copy", 2}, {"fill", 1}, {"verify", 1}, {"reduce", 3}};

struct bench {
	size_t bytes;
	char *a, *b, *c, *data;
	struct kernel_verdict *verdict;
	cudaEvent_t start, stop;
};

static void check(int error, const char *what)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "bandwidth: %s: %s\n", what, cudaGetErrorString((cudaError_t)error));
	exit(2);
}

static int enqueue(const struct bench *t, int what, enum dtype dtype)
{
	struct pattern p = {dtype, OP_SUM, 1, 8}, whole = {dtype, OP_SUM, 1, 1};
	struct element_recipe share, result;
	size_t elems = t->bytes / dtype_bytes(dtype);
	struct kernel_operands o = {t->c, t->a, t->b, elems, dtype};
	recipe_of_input(&p, 3, &share);
	recipe_of_result(&whole, 0, &result);
	struct kernel_expected expected = {&result, 0, 0};
	switch (what) {
	case COPY:
		return cudaMemcpyAsync(t->b, t->a, t->bytes, cudaMemcpyDeviceToDevice, 0);
	case COPY_KERNEL:
		return kernel_copy(t->b, t->a, t->bytes, 0, 0);
	case FILL:
		return kernel_fill(&share, 0, t->a, elems, 0);
	case VERIFY:
		return kernel_verify(&expected, t->data, elems, t->verdict, 0);
	default:
		return kernel_reduce(&o, OP_SUM, 0);
	}
}

static double measure_ms(const struct bench *t, int what, enum dtype dtype)
{
	float ms;
	check(cudaEventRecord(t->start, 0), "record");
	check(enqueue(t, what, dtype), works[what].name);
	check(cudaEventRecord(t->stop, 0), "record");
	check(cudaEventSynchronize(t->stop), works[what].name);
	check(cudaEventElapsedTime(&ms, t->start, t->stop), "elapsed time");
	return ms;
}

static unsigned long long measure_type(const struct bench *t, enum dtype dtype, int reps)
{
	static double ms[WORKS][1000];
	struct pattern whole = {dtype, OP_SUM, 1, 1};
	struct element_recipe input;
	struct kernel_verdict verdict;
	recipe_of_input(&whole, 0, &input);
	check(kernel_fill(&input, 0, t->data, t->bytes / dtype_bytes(dtype), 0), "fill");
	for (int i = -2; i < reps; i++)
		for (int what = 0; what < WORKS; what++)
			ms[what][i < 0 ? 0 : i] = measure_ms(t, what, dtype);
	printf("%-9s", dtype_name(dtype));
	double copy_gbs = 0;
	for (int what = 0; what < WORKS; what++) {
		std::sort(ms[what], ms[what] + reps);
		double gbs = works[what].streams * (double)t->bytes / ms[what][reps / 2] / 1e6;
		copy_gbs = what == COPY ? gbs : copy_gbs;
		printf("  %7.1f %5.2f", gbs, gbs / copy_gbs);
	}
	check(cudaMemcpy(&verdict, t->verdict, sizeof verdict, cudaMemcpyDeviceToHost), "verdict");
	printf("  %llu\n", verdict.wrong_elems);
	return verdict.wrong_elems;
}

int main(int argc, char **argv)
{
	struct bench t = {(size_t)(argc > 1 ? atoi(argv[1]) : 1024) << 20, 0, 0, 0, 0, 0, 0, 0};
	int devices = 0, reps = argc > 2 ? atoi(argv[2]) : 21;
	if (cudaGetDeviceCount(&devices) != cudaSuccess || !devices) {
		printf("bandwidth: no CUDA device, nothing was measured\n");
		return 77;
	}
	if (!t.bytes || reps < 1 || reps > 1000)
		return 2;
	for (char **buffer : {&t.a, &t.b, &t.c, &t.data})
		check(cudaMalloc(buffer, t.bytes), "cudaMalloc");
	check(cudaMalloc(&t.verdict, sizeof *t.verdict), "cudaMalloc");
	check(cudaMemset(t.a, 0, t.bytes), "cudaMemset");
	check(cudaEventCreate(&t.start), "event");
	check(cudaEventCreate(&t.stop), "event");
	printf("# %zu bytes, median of %d; GB/s of bytes read and written, relative to memcpy; wrong "
	       "elements\n#       ",
	        t.bytes, reps);
	for (int what = 0; what < WORKS; what++)
		printf("  %13s", works[what].name);
	printf("\n");
	unsigned long long wrong = 0;
	for (int dtype = 0; dtype < DTYPES; dtype++)
		wrong += measure_type(&t, (enum dtype)dtype, reps);
	return wrong ? 1 : 0;
}
