/* host_set.h - a set of hosts as one short text that is the same whatever the order: "login node-[0-7]". */
#ifndef BENCH_CORE_HOST_SET_H
#define BENCH_CORE_HOST_SET_H

#include <stddef.h>

/* Sorts the names in place, each of which stands there once. What does not fit is cut down to the first, the
 * last and the number of hosts. */
void host_set_print(const char **hosts, int count, char *text, size_t text_bytes);

#endif
