/* units.h - sizes for people: "64K", "1.5G". One table of units serves reading and writing. Pure.
 * Binary as nccl-tests has it on its command line (64K = 65536); bandwidths elsewhere are decimal. */
#ifndef BENCH_CORE_UNITS_H
#define BENCH_CORE_UNITS_H

#include <stdint.h>

enum { UNITS_TEXT_BYTES = 32 };

/* Reads nccl-tests' grammar: a number, then K, M or G in either case, of which only the first letter is read
 * ("32MB" is 32M). NULL when *bytes_p was set, else the reason why the text is no size. */
const char *units_scan_bytes(const char *text, uint64_t *bytes_p);

/* The shortest text that reads back as exactly this number: "64K", "65537". */
void units_print_bytes(uint64_t bytes, char text[UNITS_TEXT_BYTES]);

/* As nccl-tests reports memory: "0.00 B", "96.0 MB", "1.20 GB". */
void units_print_memory(int64_t bytes, char text[UNITS_TEXT_BYTES]);

#endif
