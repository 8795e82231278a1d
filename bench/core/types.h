/* types.h - names and sizes of the datatypes and reductions. */
#ifndef BENCH_CORE_TYPES_H
#define BENCH_CORE_TYPES_H

#include "kernels/types.h"

#include <stddef.h>

const char *dtype_name(enum dtype t);
size_t dtype_bytes(enum dtype t);
/* The index of a name as nccl-tests spells it, or -1. */
int dtype_find(const char *name);

const char *redop_name(enum redop op); /* OP_NONE is "none" */
int redop_find(const char *name);

#endif
