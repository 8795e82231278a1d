/* provenance.c - captures the facts of a run; see provenance.h. */
#include "bench/core/provenance.h"

#include "bench/bootstrap/bootstrap.h"
#include "bench/core/topology.h"
#include "bench/memory/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static struct {
	int argc;
	char *const *argv;
	const struct bootstrap *bootstrap;
	time_t start;
} process;

void provenance_start(int argc, char *const *argv, const struct bootstrap *bootstrap)
{
	process.argc = argc;
	process.argv = argv;
	process.bootstrap = bootstrap;
	process.start = time(NULL);
}

const char *provenance_program(const char *argv0)
{
	const char *slash = strrchr(argv0, '/');
	return slash ? slash + 1 : argv0;
}

/* The model as the kernel names it; x86 has "model name", others "Model" or "cpu model" or nothing. */
static void cpu_model(char *text, size_t bytes)
{
	static const char *const keys[] = {"model name", "cpu model", "Model", "CPU part"};
	char *line = NULL;
	size_t capacity = 0;
	struct utsname u;
	snprintf(text, bytes, "%s", uname(&u) == 0 ? u.machine : "unknown CPU");
	FILE *f = fopen("/proc/cpuinfo", "r");
	for (bool found = false; f && !found && getline(&line, &capacity, f) > 0;) {
		char *colon = strchr(line, ':');
		for (size_t i = 0; colon && i < sizeof keys / sizeof *keys && !found; i++)
			found = !strncmp(line, keys[i], strlen(keys[i]));
		if (found) {
			line[strcspn(line, "\n")] = 0;
			snprintf(text, bytes, "%s", colon + 1 + strspn(colon + 1, " \t"));
		}
	}
	free(line);
	if (f)
		fclose(f);
}

static enum status describe_device(
        const struct world *w, const struct memory_kind *memory, struct device_facts *out)
{
	*out = (struct device_facts){.bus = topology_numa_node()};
	cpu_model(out->name, sizeof out->name);
	enum status s = memory->describe ? memory->describe(w->places[w->rank].device, out) : ST_OK;
	topology_cores(out->cores, sizeof out->cores);
	return s;
}

static void describe_node(struct run_facts *facts)
{
	struct topology_summary summary;
	struct utsname u;
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	if (uname(&u) == 0)
		snprintf(facts->kernel, sizeof facts->kernel, "%.40s %.60s %.20s", u.sysname, u.release,
		        u.machine);
	cpu_model(facts->cpu, sizeof facts->cpu);
	topology->summary(&summary);
	snprintf(facts->topology, sizeof facts->topology, "%s", summary.text);
	facts->memory_bytes = pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : 0;
}

static struct run_facts *facts_of(const struct world *w, struct device_facts *devices)
{
	struct run_facts *facts = calloc(1, sizeof *facts);
	if (!facts)
		return NULL;
	*facts = (struct run_facts){
	        .argc = process.argc,
	        .argv = process.argv,
	        .program = process.argc ? provenance_program(process.argv[0]) : "",
	        .version = BUSBAR_VERSION,
	        .build = "C compiler " __VERSION__,
	        .bootstrap = process.bootstrap ? process.bootstrap->name : "",
	        .library =
	                process.bootstrap && process.bootstrap->library ? process.bootstrap->library() : "",
	        .start = process.start,
	        .ranks = w->ranks,
	        .places = w->places,
	        .devices = devices,
	        .backend = "",
	        .transport = "",
	        .memory = "",
	};
	snprintf(facts->run_id, sizeof facts->run_id, "%s", w->run_id);
	snprintf(facts->host, sizeof facts->host, "%s", w->places[w->rank].host);
	describe_node(facts);
	return facts;
}

enum status provenance_gather(struct world *w, const struct memory_kind *memory, struct run_facts **out)
{
	struct device_facts mine;
	struct device_facts *all = calloc((size_t)w->ranks, sizeof *all);
	*out = NULL;
	enum status s =
	        all ? describe_device(w, memory, &mine) : fail(ST_NOMEM, "no memory for %d ranks", w->ranks);
	s = world_agree(w, s);
	if (s == ST_OK)
		s = world_allgather(w, &mine, sizeof mine, all);
	if (s == ST_OK && w->rank == 0) {
		*out = facts_of(w, all);
		s = *out ? ST_OK : fail(ST_NOMEM, "no memory for the facts of a run");
	}
	s = world_agree(w, s);
	if (!*out)
		free(all);
	return s;
}

void provenance_free(struct run_facts *facts)
{
	if (!facts)
		return;
	free(facts->devices);
	free(facts);
}

void provenance_environment(void (*visit)(void *arg, const char *assignment), void *arg)
{
	static const char *const allowed[] = {"NCCL_", "UCX_", "MPIR_CVAR_", "FI_", "HYDRA_", "SLURM_JOB",
	        "SLURM_NNODES", "SLURM_NTASKS", "OMPI_MCA_", "CUDA_VISIBLE_DEVICES=", "OMP_NUM_THREADS="};
	for (char **e = environ; *e; e++)
		for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
			if (!strncmp(*e, allowed[i], strlen(allowed[i]))) {
				visit(arg, *e);
				break;
			}
}

void provenance_local_time(time_t when, char text[32])
{
	struct tm tm;
	strftime(text, 32, "%Y-%m-%d %H:%M:%S", localtime_r(&when, &tm));
}
