/* fuzz_pairs.c - any bytes as pair bandwidths end in matrices or a refusal; what was read can be judged. */
#include "analysis/pairs_put.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static struct pairs_task t;
	if (pairs_read(fuzz_file(data, bytes), &t.in))
		return 0;
	t = (struct pairs_task){.in = t.in};
	if (t.in.rail[0].nodes <= 64 && !pairs_task_judge(&t, &pairs_default)) {
		FILE *nowhere = fopen("/dev/null", "w");
		struct output *o = output_open(nowhere, OUTPUT_TEXT, "");
		pairs_put(o, &t, pairs_default.effect);
		output_close(o);
		fclose(nowhere);
	}
	pairs_task_free(&t);
	return 0;
}
