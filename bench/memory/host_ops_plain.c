/* host_ops_plain.c - the loops over host memory for every CPU that the compiler aims at. */
#define OPS host_ops_plain
#define OPS_NAME "plain"
#define OPS_RUNS true
#define TARGET
extern const struct host_ops host_ops_plain;
#include "bench/memory/host_loops.inc"
