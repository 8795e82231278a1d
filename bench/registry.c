/* registry.c - the tables of what can be chosen, in order of preference.
 * A new backend, transport, memory kind, counter, bootstrap or sink is its own file and one line here.
 * The only file with #if HAVE_*: what the build left out is not in a table but in registry_absent[]. */
#include "bench/registry.h"

#include "bench/core/sink.h"
#include "bench/core/topology.h"

extern const struct bootstrap bootstrap_mpi, bootstrap_single;

const struct bootstrap *const bootstraps[] = {
#if HAVE_MPI
        &bootstrap_mpi,
#endif
        &bootstrap_single,
        NULL,
};

extern const struct backend backend_null, backend_ring;
#if HAVE_MPI
extern const struct backend backend_mpi;
#endif

const struct backend *const backends[] = {
        &backend_ring,
#if HAVE_MPI
        &backend_mpi,
#endif
        &backend_null,
        NULL,
};

extern const struct transport transport_shm, transport_socket;

const struct transport *const transports[] = {
        &transport_shm,
        &transport_socket,
        NULL,
};

extern const struct memory_kind memory_host;

const struct memory_kind *const memory_kinds[] = {
        &memory_host,
        NULL,
};

extern const struct counter counter_cpu, counter_nic;
#if HAVE_PAPI
extern const struct counter counter_papi;
#endif

const struct counter *const counters[] = {
        &counter_cpu,
#if HAVE_PAPI
        &counter_papi,
#endif
        &counter_nic,
        NULL,
};

extern const struct sink sink_json, sink_table, sink_csv;

const struct sink *const sinks[] = {
        &sink_json, /* announces its file before the table's first line */
        &sink_table,
        &sink_csv,
        NULL,
};

extern const struct topology topology_plain;
#if HAVE_HWLOC
extern const struct topology topology_hwloc;
const struct topology *const topology = &topology_hwloc;
#else
const struct topology *const topology = &topology_plain;
#endif

const struct library libraries[] = {
#if HAVE_HWLOC
        {"hwloc", "binds ranks to cores, describes the machine"},
#endif
        {"jansson", "writes JSON (-J)"},
        {NULL, NULL},
};

const struct absent registry_absent[] = {
#if !HAVE_MPI
        {"bootstrap", "mpi", "built without MPI: install libmpich-dev, then make WITH_MPI=yes"},
        {"backend", "mpi", "built without MPI: install libmpich-dev, then make WITH_MPI=yes"},
#endif
        {"backend", "nccl", "built without NCCL"},
        {"memory", "cuda", "built without CUDA"},
#if !HAVE_PAPI
        {"counter", "papi", "built without PAPI: install libpapi-dev, then make WITH_PAPI=yes"},
#endif
#if !HAVE_HWLOC
        {"library", "hwloc", "built without hwloc: install libhwloc-dev, then make WITH_HWLOC=yes"},
#endif
        {NULL, NULL, NULL},
};
