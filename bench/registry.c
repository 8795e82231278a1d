/* registry.c - the tables of what can be chosen, in order of preference, and the choosing.
 * A new backend, transport, memory kind, counter, bootstrap or sink is its own file and one line here.
 * The only file with #if HAVE_*: what the build left out is not in a table but in registry_absent[]. */
#include "bench/registry.h"

#include <string.h>

extern const struct bootstrap bootstrap_mpi, bootstrap_single;

const struct bootstrap *const bootstraps[] = {
#if HAVE_MPI
	&bootstrap_mpi,
#endif
	&bootstrap_single,
	NULL,
};

extern const struct backend backend_null;
#if HAVE_MPI
extern const struct backend backend_mpi;
#endif

const struct backend *const backends[] = {
#if HAVE_MPI
	&backend_mpi,
#endif
	&backend_null,
	NULL,
};

const struct transport *const transports[] = {
	NULL,
};

const struct memory_kind *const memory_kinds[] = {
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

const char *const registry_absent[] = {
	NULL,
};

const struct backend *backend_find(const char *name)
{
	for (int i = 0; backends[i]; i++)
		if (!strcmp(backends[i]->name, name))
			return backends[i];
	return NULL;
}

const struct transport *transport_find(const char *name)
{
	for (int i = 0; transports[i]; i++)
		if (!strcmp(transports[i]->name, name))
			return transports[i];
	return NULL;
}

const struct memory_kind *memory_kind_find(const char *name)
{
	for (int i = 0; memory_kinds[i]; i++)
		if (!strcmp(memory_kinds[i]->name, name))
			return memory_kinds[i];
	return NULL;
}
