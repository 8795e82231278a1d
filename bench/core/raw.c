/* raw.c - see raw.h. The columns in front are summary.csv's own. */
#include "bench/core/raw.h"

#include <stdlib.h>

static const char *const key[] = {"schema_version", "run_id", "collective", "backend", "transport_asked",
        "dtype", "redop", "root", "placement", "group", "ranks", "bytes", "cycle"};

static const struct {
	const char *name, *unit, *meaning;
} measured[] = {
        {"iteration", "", "from 0; an iteration has agg_iters operations"},
        {"elapsed_ns", "ns", "time of one operation on the slowest rank"},
        {"fastest_ns", "ns", "likewise on the fastest rank"},
        {"flags", "", "skipped: left out of -I by -K"},
};

enum { KEYS = sizeof key / sizeof *key, MEASURED = sizeof measured / sizeof *measured };

void raw_print_header(FILE *f)
{
	for (int i = 0; i < KEYS; i++)
		fprintf(f, "%s,", key[i]);
	for (int i = 0; i < MEASURED; i++)
		fprintf(f, "%s%s", i ? "," : "", measured[i].name);
	putc('\n', f);
}

void raw_print_rows(FILE *f, const struct plan *plan, const struct record *r, const struct samples *samples)
{
	char *front = NULL;
	size_t bytes;
	FILE *k = open_memstream(&front, &bytes);
	if (!k)
		return; /* the caller's stream is one of these too, and tells */
	for (int i = 0; i < KEYS; i++) {
		record_print(record_column(key[i]), k, r);
		putc(',', k);
	}
	fclose(k);
	for (size_t i = 0; i < samples->count; i++)
		fprintf(f, "%s%zu,%lld,%lld,%s\n", front, i, (long long)samples->elapsed_ns[i],
		        (long long)samples->fastest_ns[i],
		        plan->per_iter && i < (size_t)plan->per_iter_skip ? "skipped" : "");
	free(front);
}

void raw_print_schema(FILE *f)
{
	fprintf(f, "| column | unit | key | meaning |\n|---|---|---|---|\n");
	for (int i = 0; i < KEYS; i++)
		fprintf(f, "| %s | %s | yes | as in summary.csv |\n", key[i], record_column(key[i])->unit);
	for (int i = 0; i < MEASURED; i++)
		fprintf(f, "| %s | %s | | %s |\n", measured[i].name, measured[i].unit, measured[i].meaning);
}
