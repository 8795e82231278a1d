/* registry.h - everything this build can use, in order of preference. registry.c holds the only #if HAVE_*.
 */
#ifndef BENCH_REGISTRY_H
#define BENCH_REGISTRY_H

#include "bench/backend/backend.h"
#include "bench/bootstrap/bootstrap.h"
#include "bench/counter/counter.h"
#include "bench/memory/memory.h"
#include "bench/transport/transport.h"

#include <stdio.h>

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

/* Why there is no such thing in this build, NULL when nothing is known of that name. */
const char *registry_absence(const char *kind, const char *name);

/* --list: what this build and machine can run, and why not the rest. */
void registry_list(FILE *, const struct plan *);

/* What the build left out; the last has no name. */
struct absent {
	const char *kind; /* "backend", "transport", ... */
	const char *name;
	const char *why; /* and how to get it */
};

extern const struct absent registry_absent[];

/* Libraries in this build that are not themselves in a table; NULL-terminated. */
struct library {
	const char *name, *use;
};

extern const struct library libraries[];

#endif
