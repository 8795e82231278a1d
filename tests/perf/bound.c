/* bound.c - the least that an all_reduce over shared memory costs: its work on memory and nothing else.
 *
 * Every rank adds the others' inputs to its own block and copies the other blocks of the result, which nobody
 * can do without; here nobody waits for anybody. One thread a rank, free to run on all cores.
 * Usage: bound RANKS BYTES REPETITIONS; prints the median, in us, of the slowest rank. */
#include "bench/core/clock.h"
#include "bench/memory/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANKS_MOST = 64, CHUNK_BYTES = 128 * 1024, THROUGH_BYTES = 1024 * 1024 };

extern const struct memory_kind memory_host;

static size_t bytes;
static int ranks, repetitions;
static struct buffer input[RANKS_MOST], result[RANKS_MOST];
static int64_t *elapsed_ns[RANKS_MOST];
static pthread_barrier_t together;

static char *at(const struct buffer *b, size_t offset)
{
	return (char *)b->base + offset;
}

static size_t block_start(int rank)
{
	return bytes / sizeof(float) * (size_t)rank / (size_t)ranks * sizeof(float);
}

/* One chunk of the own block: the other ranks' inputs added one after the other. */
static void reduce_chunk(int me, size_t offset, size_t length)
{
	const struct buffer *sum = &input[me];
	for (int k = 1; k < ranks; k++) {
		memory_host.reduce(at(&result[me], offset), at(sum, offset),
		        at(&input[(me + k) % ranks], offset), length / sizeof(float), DT_FLOAT, OP_SUM);
		sum = &result[me];
	}
}

static void copy_chunk(int me, int from, size_t offset, size_t length)
{
	(bytes < THROUGH_BYTES ? memory_host.copy : memory_host.copy_through)(
	        at(&result[me], offset), at(&result[from], offset), length);
}

static void all_reduce(int me)
{
	for (int k = 0; k < ranks; k++) {
		int block = (me + k) % ranks;
		size_t end = block_start(block + 1);
		for (size_t offset = block_start(block); offset < end; offset += CHUNK_BYTES) {
			size_t length = end - offset < CHUNK_BYTES ? end - offset : CHUNK_BYTES;
			if (k == 0)
				reduce_chunk(me, offset, length);
			else
				copy_chunk(me, block, offset, length);
		}
	}
}

static void *run(void *arg)
{
	int me = (int)(intptr_t)arg;
	for (int i = 0; i < repetitions; i++) {
		pthread_barrier_wait(&together);
		int64_t start_ns = clock_ns();
		all_reduce(me);
		elapsed_ns[me][i] = clock_ns() - start_ns;
	}
	return NULL;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	pthread_t thread[RANKS_MOST];
	ranks = argc == 4 ? atoi(argv[1]) : 0;
	bytes = argc == 4 ? strtoull(argv[2], NULL, 10) / sizeof(float) * sizeof(float) : 0;
	repetitions = argc == 4 ? atoi(argv[3]) : 0;
	if (ranks < 1 || ranks > RANKS_MOST || !bytes || repetitions < 1) {
		fprintf(stderr, "usage: bound RANKS BYTES REPETITIONS\n");
		return 2;
	}
	pthread_barrier_init(&together, NULL, (unsigned)ranks);
	for (int i = 0; i < ranks; i++) {
		elapsed_ns[i] = calloc((size_t)repetitions, sizeof(int64_t));
		if (!elapsed_ns[i] || memory_host.alloc(0, bytes, &input[i]) ||
		        memory_host.alloc(0, bytes, &result[i]))
			return 1;
	}
	for (int i = 0; i < ranks; i++)
		if (pthread_create(&thread[i], NULL, run, (void *)(intptr_t)i))
			return 1;
	for (int i = 0; i < ranks; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < repetitions; i++)
		for (int r = 1; r < ranks; r++)
			if (elapsed_ns[r][i] > elapsed_ns[0][i])
				elapsed_ns[0][i] = elapsed_ns[r][i];
	qsort(elapsed_ns[0], (size_t)repetitions, sizeof(int64_t), compare);
	printf("%.2f\n", (double)elapsed_ns[0][repetitions / 2] / 1e3);
	return 0;
}
