/* fuzz_rows.c - any bytes as a summary end in rows or a refusal; what was read can be judged. */
#include "analysis/verdict.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct rows rows;
	if (rows_read(fuzz_file(data, bytes), &rows))
		return 0;
	struct calibrations calibrations = {0};
	struct verdict verdict = {0};
	struct judge judge = {.tolerance = verdict_tolerance, .calibrations = &calibrations};
	if (rows.count < 1000 && !calibrations_of(&rows, &calibrations) &&
	        !verdict_of(&judge, &rows, &verdict)) {
		FILE *nowhere = fopen("/dev/null", "w");
		struct output *o = output_open(nowhere, OUTPUT_TEXT, "");
		verdict_put(o, &verdict, true);
		output_close(o);
		fclose(nowhere);
	}
	verdict_free(&verdict);
	calibrations_free(&calibrations);
	rows_free(&rows);
	return 0;
}
