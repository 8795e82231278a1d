/* registry.h - everything this build can use, in order of preference. registry.c holds the only #if HAVE_*.
 */
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

struct choice {
	const struct backend *backend;
	const struct memory_kind *memory;
};

/* The backend and memory kind of a plan: those named by --backend and --memory, else the first that can serve
 * here. ST_UNSUPPORTED with the reason when the named one cannot (its probe says why), or the two do not
 * match. */
enum status registry_choose(const struct plan *, struct choice *out);

/* The entry of that name, NULL when there is none. */
const struct backend *backend_find(const char *name);
const struct transport *transport_find(const char *name);
const struct memory_kind *memory_kind_find(const char *name);

/* --list: what this build and machine can run, and why not the rest. To stdout. */
void registry_list(const struct plan *);

/* What the build left out and how to get it: "nccl: built without NCCL (make WITH_NCCL=yes)";
 * NULL-terminated. */
extern const char *const registry_absent[];

#endif
