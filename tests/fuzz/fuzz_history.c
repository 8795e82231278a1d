/* fuzz_history.c - any bytes as a history end in series or a refusal; what was read can be judged. */
#include "analysis/regress_put.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct regress_task t = {0};
	if (history_read(fuzz_file(data, bytes), NULL, &t.h))
		return 0;
	if (t.h.runs && !regress_task_judge(&t, &regress_default)) {
		FILE *nowhere = fopen("/dev/null", "w");
		struct output *o = output_open(nowhere, OUTPUT_TEXT, "");
		regress_put(o, &t, &regress_default, true);
		output_close(o);
		fclose(nowhere);
	}
	free(t.at);
	history_free(&t.h);
	return 0;
}
