/* raw.h - the rows of raw.csv: one an iteration, with what names the row of summary.csv in front. */
#ifndef BENCH_CORE_RAW_H
#define BENCH_CORE_RAW_H

#include "bench/core/record.h"
#include "bench/core/sink.h"

#include <stdio.h>

void raw_print_header(FILE *);
void raw_print_rows(FILE *, const struct plan *, const struct record *, const struct samples *);

/* The description of all columns as a Markdown table. */
void raw_print_schema(FILE *);

#endif
