/* list.c - --list: one line for each thing of the registry: can it be used here, and if not, why. */
#include "bench/registry.h"

#include <string.h>

enum { WHY_BYTES = 256 };

static void line(FILE *out, const char *kind, const char *name, const char *why, const char *help)
{
	fprintf(out, "%-10s %-10s %-4s %s\n", kind, name, why ? "no" : "yes", why ? why : help);
}

static void absent_of(FILE *out, const char *kind)
{
	for (const struct absent *a = registry_absent; a->name; a++)
		if (!strcmp(a->kind, kind))
			line(out, kind, a->name, a->why, "");
}

static void list_bootstraps(FILE *out)
{
	bool found = false;
	for (int i = 0; bootstraps[i]; i++) {
		bool serves = !found && bootstraps[i]->probe() == ST_OK;
		line(out, "bootstrap", bootstraps[i]->name,
		        serves  ? NULL
		        : found ? "another one serves this launch"
		                : "not launched that way",
		        bootstraps[i]->help);
		found = found || serves;
	}
	absent_of(out, "bootstrap");
}

static void list_backends(FILE *out)
{
	char why[WHY_BYTES] = "";
	for (int i = 0; backends[i]; i++)
		line(out, "backend", backends[i]->name,
		        backends[i]->probe(why, sizeof why) == ST_OK ? NULL : why, backends[i]->help);
	absent_of(out, "backend");
}

static void list_transports(FILE *out, const struct plan *plan)
{
	char why[WHY_BYTES] = "";
	for (int i = 0; transports[i]; i++)
		line(out, "transport", transports[i]->name,
		        transports[i]->probe(plan, why, sizeof why) == ST_OK ? NULL : why,
		        transports[i]->help);
	absent_of(out, "transport");
}

static void list_memory_kinds(FILE *out)
{
	char why[WHY_BYTES] = "";
	for (int i = 0; memory_kinds[i]; i++)
		line(out, "memory", memory_kinds[i]->name,
		        memory_kinds[i]->probe(why, sizeof why) == ST_OK ? NULL : why, memory_kinds[i]->help);
	absent_of(out, "memory");
}

static void list_counters(FILE *out)
{
	char why[WHY_BYTES] = "";
	for (int i = 0; counters[i]; i++)
		line(out, "counter", counters[i]->name,
		        counters[i]->probe(why, sizeof why) == ST_OK ? NULL : why, counters[i]->help);
	absent_of(out, "counter");
}

void registry_list(FILE *out, const struct plan *plan)
{
	fprintf(out, "%-10s %-10s %-4s %s\n", "kind", "name", "here", "what it is, or why not");
	list_bootstraps(out);
	list_backends(out);
	list_transports(out, plan);
	list_memory_kinds(out);
	list_counters(out);
	for (const struct library *l = libraries; l->name; l++)
		line(out, "library", l->name, NULL, l->use);
	absent_of(out, "library");
}
