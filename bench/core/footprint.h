/* footprint.h - what a plan takes of a process's memory: -M. Resident pages, as the kernel counts them. */
#ifndef BENCH_CORE_FOOTPRINT_H
#define BENCH_CORE_FOOTPRINT_H

#include "bench/core/run.h"

/* What this process could still take: of the machine, and of its container where that has less. */
int64_t footprint_available_bytes(void);

/* Collective over all ranks: no rank goes on before all have counted. */
enum status footprint_mark(struct run *, int mark);

/* Collective over all ranks; after the last row. The largest share of any rank, into the summary: what
 * opening the backend took, the buffers, and what came on top while rows ran. Ranks of a process share what
 * it takes. */
enum status footprint_report(struct run *);

#endif
