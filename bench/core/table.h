/* table.h - the lines that nccl-tests prints, width for width. Each function writes its lines and nothing
 * else; no state. Parsers live on these: what they need is tested in tests/golden and tests/cli. */
#ifndef BENCH_CORE_TABLE_H
#define BENCH_CORE_TABLE_H

#include "bench/core/per_iter.h"
#include "bench/core/sink.h"

#include <stdio.h>

/* From "# nccl-tests version" to the column titles. */
void table_header(FILE *, const struct world *, const struct plan *, const struct run_facts *);

/* The left part of a row: size, count, type, redop, root. */
void table_key(FILE *, const struct plan *, const struct record *);

/* One placement's part. per_iter: NULL without -I. */
void table_placement(FILE *, const struct plan *, const struct row *, const struct per_iter *);

/* NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY: what each rank sent and received in one placement. */
void table_traffic(FILE *, const struct plan *, const struct row *);

/* From "# Out of bounds values" to the last line. */
void table_footer(FILE *, const struct plan *, const struct run_facts *, const struct summary *);

/* Instead of the footer when the run ended early: parsers take the footer's lines for success. */
void table_failure(FILE *, const struct run_facts *, const struct summary *);

/* value in at most `width` characters: two decimals where they fit, else one, else none, else an exponent. */
enum { TABLE_NUMBER_BYTES = 16 };
void table_number(double value, int width, char text[TABLE_NUMBER_BYTES]);

/* What nccl-tests has in the redop column: the op, "none", or nothing at all (hypercube). */
const char *table_redop(const struct plan *, const struct record *);

/* The device part that table and JSON share: "0000:0a:00". */
void table_device(const struct device_facts *, char text[32]);

#endif
