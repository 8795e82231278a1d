/* sink_table.c - nccl-tests' table on stdout, each half line as soon as it is measured. */
#include "bench/core/sink.h"

#include "bench/core/table.h"

#include <string.h>

static const struct run_facts *facts_now; /* of the plan between begin and end, else NULL */
static bool half_line;

/* What cannot be written is said once: nothing more is tried for this plan. */
static enum status flushed(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return ST_OK;
	facts_now = NULL;
	return fail(ST_SYSTEM, "\"stdout\": cannot be written, is its reader gone or the disk full?");
}

static enum status begin(const struct world *w, const struct plan *plan, const struct run_facts *facts)
{
	facts_now = facts;
	table_header(stdout, w, plan, facts);
	return flushed();
}

/* Lines of their own: those of the out-of-place placement wait until the row is whole. */
static void print_traffic(const struct plan *plan, const struct row *row)
{
	static struct record first, first_group;
	if (!row->in_place) {
		first = *row->combined;
		first_group = row->groups[0];
		return;
	}
	table_traffic(stdout, plan,
	        &(struct row){.combined = &first, .groups = &first_group, .traffic = row->traffic});
	table_traffic(stdout, plan, row);
}

static enum status row(const struct plan *plan, const struct row *row)
{
	struct per_iter per_iter;
	enum status s = plan->per_iter
	                        ? per_iter_of(&row->samples[row->group_count], plan->per_iter_skip, &per_iter)
	                        : ST_OK;
	if (s != ST_OK)
		return s;
	if (!row->in_place)
		table_key(stdout, plan, row->combined);
	table_placement(stdout, plan, row, plan->per_iter ? &per_iter : NULL);
	if (row->in_place && plan->timestamps) {
		char now[32];
		provenance_local_time(time(NULL), now);
		printf("%21s", now);
	}
	if (row->in_place)
		putchar('\n');
	if (plan->alltoallv_summary && !strcmp(plan->collective, "alltoallv"))
		print_traffic(plan, row);
	half_line = !row->in_place;
	return flushed();
}

static enum status end(const struct plan *plan, const struct summary *summary)
{
	if (!facts_now)
		return ST_OK; /* never begun */
	if (half_line)
		putchar('\n');
	if (summary->error && summary->error[0])
		table_failure(stdout, facts_now, summary);
	else
		table_footer(stdout, plan, facts_now, summary);
	half_line = false;
	enum status s = flushed();
	facts_now = NULL;
	return s;
}

const struct sink sink_table = {
        .name = "table",
        .begin = begin,
        .row = row,
        .end = end,
};
