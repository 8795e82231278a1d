/* fuzz_raw.c - any bytes as raw samples end in groups or a refusal; the fast way and the slow way agree. */
#include "analysis/summarize.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void summarize(const uint8_t *data, size_t bytes, struct summary *s)
{
	*s = (struct summary){0};
	if (summarize_file(s, fuzz_file(data, bytes), NULL, "elapsed_ns"))
		s->rows = SIZE_MAX;
}

/* A column that is no key in front of all others turns the fast way off. */
static uint8_t *with_column_in_front(const uint8_t *data, size_t bytes, size_t *bytes_p)
{
	uint8_t *copy = malloc(2 * bytes + 64);
	size_t n = 0;
	bool line_start = true, first = true;
	for (size_t i = 0; i < bytes; i++) {
		if (line_start && data[i] != '\n') {
			const char *front = first ? "flags," : "0,";
			memcpy(copy + n, front, strlen(front));
			n += strlen(front);
			first = false;
		}
		line_start = data[i] == '\n';
		copy[n++] = data[i];
		if (n > 2 * bytes + 32)
			break;
	}
	*bytes_p = n;
	return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct summary fast, slow;
	summarize(data, bytes, &fast);
	/* Quotes and carriage returns may join lines: there the two files differ. */
	if (!memchr(data, '"', bytes) && !memchr(data, '\r', bytes) && !memchr(data, 0, bytes) && bytes) {
		size_t wider_bytes;
		uint8_t *wider = with_column_in_front(data, bytes, &wider_bytes);
		summarize(wider, wider_bytes, &slow);
		if (fast.rows != SIZE_MAX && slow.rows != SIZE_MAX && fast.rows != slow.rows)
			abort();
		summarize_free(&slow);
		free(wider);
	}
	for (size_t i = 0; i < fast.keys.count; i++)
		(void)sketch_percentile(&fast.sketch[i], 0.5);
	summarize_free(&fast);
	return 0;
}
