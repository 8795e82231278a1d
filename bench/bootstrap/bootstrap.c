/* bootstrap.c - chooses the bootstrap that fits how this process was started, and refuses a lonely one in
 * company. */
#include "bench/registry.h"

#include <stdlib.h>

/* What launchers tell the processes they start; the first whose size is set decides. */
static const struct launcher {
	const char *name, *size, *rank, *fix;
} launchers[] = {
        {"mpirun", "PMI_SIZE", "PMI_RANK",
                "build with MPI (make WITH_MPI=yes), against the library of that launcher"},
        {"Open MPI's mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK",
                "build against Open MPI, or start it with the mpirun of the library it was built with"},
        {"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID",
                "start it with srun --mpi=pmi2, or with mpirun inside the allocation; without MPI (make "
                "WITH_MPI=no) start one task"},
};

static long number(const char *name)
{
	const char *text = getenv(name);
	return text ? strtol(text, NULL, 10) : -1;
}

static enum status refuse_lonely(void)
{
	for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
		const struct launcher *l = &launchers[i];
		long size = number(l->size), rank = number(l->rank);
		if (size < 0 || rank < 0)
			continue;
		if (size == 1)
			return ST_OK;
		if (rank == 0)
			fail(ST_USAGE,
			        "%s started %ld processes (%s), but each believes to be the only one; %s",
			        l->name, size, l->size, l->fix);
		return ST_USAGE;
	}
	return ST_OK;
}

enum status bootstrap_open(
        int *argc, char ***argv, int *process_p, int *processes_p, const struct bootstrap **out_p)
{
	const struct bootstrap *const *b = bootstraps;
	while (*b && (*b)->probe() != ST_OK)
		b++;
	if (!*b)
		return fail(
		        ST_UNSUPPORTED, "no bootstrap of this build serves the way this process was started");
	enum status s = (*b)->open(argc, argv, process_p, processes_p);
	if (s == ST_OK && *processes_p == 1)
		s = refuse_lonely();
	if (s == ST_OK)
		*out_p = *b;
	return s;
}
