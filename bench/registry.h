/* registry.h - everything this build can use, in order of preference. registry.c holds the only #if HAVE_*. */
#ifndef BENCH_REGISTRY_H
#define BENCH_REGISTRY_H

#include "bench/backend/backend.h"
#include "bench/bootstrap/bootstrap.h"
#include "bench/counter/counter.h"
#include "bench/memory/memory.h"
#include "bench/transport/transport.h"

/* All NULL-terminated. */
extern const struct bootstrap *const bootstraps[];
extern const struct backend *const backends[];
extern const struct transport *const transports[];
extern const struct memory_kind *const memory_kinds[];
extern const struct counter *const counters[];

/* --list: what this build and machine can run, and why not the rest. To stdout. */
void registry_list(const struct plan *);

/* What the build left out and how to get it: "nccl: built without NCCL (make WITH_NCCL=yes)"; NULL-terminated. */
extern const char *const registry_absent[];

#endif
