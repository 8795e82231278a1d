/* choose.c - from names, or none, to what carries out a plan. */
#include "bench/registry.h"

#include "bench/core/options.h"

#include <string.h>

enum { WHY_BYTES = 256 };

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

const char *registry_absence(const char *kind, const char *name)
{
	for (const struct absent *a = registry_absent; a->name; a++)
		if (!strcmp(a->kind, kind) && !strcmp(a->name, name))
			return a->why;
	return NULL;
}

static bool is_cuda(const struct memory_kind *memory)
{
	return !strcmp(memory->name, "cuda");
}

/* The first kind that is there and of the sort that the backend works on; NULL: none. */
static const struct memory_kind *memory_for(const struct backend *backend, char why[WHY_BYTES])
{
	for (int i = 0; memory_kinds[i]; i++)
		if (is_cuda(memory_kinds[i]) == backend->needs_cuda &&
		        memory_kinds[i]->probe(why, WHY_BYTES) == ST_OK)
			return memory_kinds[i];
	return NULL;
}

static enum status choose_memory(const struct plan *plan, struct choice *out)
{
	char why[WHY_BYTES] = "there is none in this build";
	if (!plan->memory[0]) {
		out->memory = memory_for(out->backend, why);
		return out->memory ? ST_OK
		                   : fail(ST_UNSUPPORTED, "backend \"%s\" has no memory to work on: %s",
		                             out->backend->name, why);
	}
	out->memory = memory_kind_find(plan->memory);
	if (!out->memory)
		return fail(ST_UNSUPPORTED, "--memory \"%s\": not in this build, --list shows what is",
		        plan->memory);
	enum status s = out->memory->probe(why, sizeof why);
	return s == ST_OK ? ST_OK : fail(s, "--memory \"%s\": %s", plan->memory, why);
}

/* What was not named must be able to serve, and to fit what was. */
static const struct backend *first_backend(const struct plan *plan, char why[WHY_BYTES])
{
	const struct memory_kind *memory = memory_kind_find(plan->memory);
	for (int i = 0; backends[i]; i++) {
		const struct backend *b = backends[i];
		if (b->probe(why, WHY_BYTES) == ST_OK &&
		        (memory ? !b->needs_cuda || is_cuda(memory) : memory_for(b, why) != NULL))
			return b;
	}
	return NULL;
}

static enum status choose_backend(const struct plan *plan, struct choice *out)
{
	char why[WHY_BYTES] = "there is none in this build";
	if (!plan->backend[0]) {
		out->backend = first_backend(plan, why);
		return out->backend ? ST_OK : fail(ST_UNSUPPORTED, "no backend can run here: %s", why);
	}
	out->backend = backend_find(plan->backend);
	if (!out->backend)
		return fail(ST_UNSUPPORTED, "--backend \"%s\": not in this build, --list shows what is",
		        plan->backend);
	enum status s = out->backend->probe(why, sizeof why);
	return s == ST_OK ? ST_OK : fail(s, "--backend \"%s\": %s", plan->backend, why);
}

/* Why this machine has no backend that knows CUDA. */
static const char *why_no_cuda(char why[WHY_BYTES])
{
	for (int i = 0; backends[i]; i++)
		if (backends[i]->needs_cuda)
			return backends[i]->probe(why, WHY_BYTES) == ST_OK ? "try --backend nccl" : why;
	return registry_absence("backend", "nccl");
}

static enum status check_cuda_options(const struct plan *plan, const struct backend *backend)
{
	char why[WHY_BYTES];
	const char *option = options_needing_cuda(plan);
	if (!option || backend->needs_cuda)
		return ST_OK;
	return fail(ST_UNSUPPORTED, "%s needs a CUDA backend, backend \"%s\" is none: %s", option,
	        backend->name, why_no_cuda(why));
}

enum status registry_choose(const struct plan *plan, struct choice *out)
{
	*out = (struct choice){0};
	enum status s = choose_backend(plan, out);
	if (s == ST_OK)
		s = choose_memory(plan, out);
	if (s == ST_OK && out->backend->needs_cuda && !is_cuda(out->memory))
		s = fail(ST_UNSUPPORTED, "--memory \"%s\": backend \"%s\" works on cuda memory",
		        out->memory->name, out->backend->name);
	return s == ST_OK ? check_cuda_options(plan, out->backend) : s;
}
