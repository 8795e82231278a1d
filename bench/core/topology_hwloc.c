/* topology_hwloc.c - the topology with hwloc: left out of builds without it. */
#include "bench/core/topology.h"

#include <hwloc.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_once_t loading = PTHREAD_ONCE_INIT;
static hwloc_topology_t machine; /* NULL: could not be read. Read once, kept until the process ends */

static void load(void)
{
	hwloc_topology_t t;
	if (hwloc_topology_init(&t) != 0)
		return;
	hwloc_topology_set_io_types_filter(t, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
	if (hwloc_topology_load(t) == 0)
		machine = t;
	else
		hwloc_topology_destroy(t);
}

static hwloc_topology_t loaded(void)
{
	pthread_once(&loading, load);
	return machine;
}

static int count_of(hwloc_topology_t t, hwloc_obj_type_t type)
{
	int count = hwloc_get_nbobjs_by_type(t, type);
	return count > 0 ? count : 0;
}

static void hwloc_summary(struct topology_summary *out)
{
	hwloc_topology_t t = loaded();
	*out = (struct topology_summary){0};
	if (t) {
		out->sockets = count_of(t, HWLOC_OBJ_PACKAGE);
		out->numa_nodes = count_of(t, HWLOC_OBJ_NUMANODE);
		out->cores = count_of(t, HWLOC_OBJ_CORE);
		out->threads = count_of(t, HWLOC_OBJ_PU);
	}
	topology_describe(out);
}

/* Did the launcher, taskset or the like leave this thread less than the machine? */
static bool bound_already(hwloc_topology_t t)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	bool bound = !set || hwloc_get_cpubind(t, set, HWLOC_CPUBIND_THREAD) != 0 ||
	             !hwloc_bitmap_isincluded(hwloc_topology_get_allowed_cpuset(t), set);
	hwloc_bitmap_free(set);
	return bound;
}

static bool hwloc_bind(int local_rank, int local_ranks)
{
	hwloc_topology_t t = loaded();
	if (!t || local_ranks > count_of(t, HWLOC_OBJ_CORE) || bound_already(t))
		return false;
	hwloc_cpuset_t *sets = calloc((size_t)local_ranks, sizeof(hwloc_cpuset_t));
	hwloc_obj_t root = hwloc_get_root_obj(t);
	int depth = hwloc_get_type_depth(t, HWLOC_OBJ_CORE);
	bool done = false;
	if (sets &&
	        hwloc_distrib(t, &root, 1, sets, (unsigned)local_ranks, depth < 0 ? INT_MAX : depth, 0) == 0)
		done = hwloc_set_cpubind(t, sets[local_rank], HWLOC_CPUBIND_THREAD) == 0;
	for (int i = 0; sets && i < local_ranks; i++)
		hwloc_bitmap_free(sets[i]);
	free(sets);
	return done;
}

static enum status hwloc_export_xml(const char *path)
{
	hwloc_topology_t t = loaded();
	if (!t)
		return ST_UNSUPPORTED;
	return hwloc_topology_export_xml(t, path, 0) == 0
	               ? ST_OK
	               : fail(ST_SYSTEM, "\"%s\": the topology cannot be written there, check the folder",
	                         path);
}

const struct topology topology_hwloc = {
        .name = "hwloc",
        .summary = hwloc_summary,
        .bind = hwloc_bind,
        .export_xml = hwloc_export_xml,
};
