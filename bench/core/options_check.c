/* options_check.c - what options must be to each other, and to the ranks. */
#include "bench/core/options_parse.h"

#include "bench/collective/collective.h"
#include "bench/core/units.h"
#include "bench/core/world.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { THREADS_MAX = 1024 };

/* nccl-tests goes on with another value here, and so do we. */
static void correct(const struct option_source *source, int *value, int to, const char *fmt, ...)
        __attribute__((format(printf, 4, 5)));

static void correct(const struct option_source *source, int *value, int to, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	fprintf(stderr, "%s: %s", program_invocation_short_name, source->place);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	*value = to;
}

static void correct_all(const struct option_source *source, struct plan *p)
{
	if (p->device_cta_count < 1 || p->device_cta_count > 128)
		correct(source, &p->device_cta_count, 16,
		        "-V \"%d\": must be from 1 to 128, going on with 16", p->device_cta_count);
	if (p->per_iter != 0 && p->per_iter != 1)
		correct(source, &p->per_iter, 0, "-I \"%d\": must be 0 or 1, going on without", p->per_iter);
	if (p->per_iter && p->graph)
		correct(source, &p->per_iter, 0,
		        "-I \"1\": iterations of a graph (-G) cannot be told apart, going on without");
	if (p->blocking == 3 && p->graph)
		correct(source, &p->blocking, 0,
		        "-z \"3\": a graph (-G) cannot be waited for inside, going on with -z 0");
	if (p->per_iter_skip < 0 || p->per_iter_skip >= p->iters)
		correct(source, &p->per_iter_skip, 0,
		        "-K \"%d\": must be from 0 to %d (below -n), going on with 0", p->per_iter_skip,
		        p->iters - 1);
	if (p->per_iter_skip && !p->per_iter)
		correct(source, &p->per_iter_skip, 0,
		        "-K \"%d\": means nothing without -I 1, going on without", p->per_iter_skip);
}

static enum status check_sizes(const struct option_source *source, const struct plan *p)
{
	char min[UNITS_TEXT_BYTES], max[UNITS_TEXT_BYTES];
	if (p->min_bytes <= p->max_bytes)
		return ST_OK;
	units_print_bytes(p->min_bytes, min);
	units_print_bytes(p->max_bytes, max);
	return option_fail(
	        source, ST_BAD_SIZE, "-b \"%s\": above -e \"%s\", lower one or raise the other", min, max);
}

static enum status check_matrix(const struct option_source *source, const struct plan *p)
{
	if (strcmp(p->collective, "alltoallv") || !p->alltoallv_matrix[0] || p->min_bytes == p->max_bytes)
		return ST_OK;
	return option_fail(source, ST_USAGE,
	        "NCCL_TESTS_ALLTOALLV_MATRIX_FILE \"%s\": the matrix has the sizes, give -b and -e the same "
	        "value",
	        p->alltoallv_matrix);
}

static enum status check_pairs(const struct option_source *source, const struct plan *p)
{
	if (!p->pairs || !strcmp(p->collective, "sendrecv"))
		return ST_OK;
	return option_fail(source, ST_USAGE, "--pairs: \"%s\" has no pairs, use sendrecv_perf", p->collective);
}

static enum status check_json(const struct option_source *source, const struct plan *p)
{
	size_t length = strlen(p->json_path);
	if (!length || (length > 5 && !strcasecmp(p->json_path + length - 5, ".json")))
		return ST_OK;
	return option_fail(source, ST_USAGE, "-J \"%s\": the file must end in .json", p->json_path);
}

enum status options_check(const struct option_source *source, struct plan *p)
{
	int colour;
	enum status s = check_sizes(source, p);
	if (s == ST_OK && p->device_impl > 0 && p->local_register != 2)
		s = option_fail(
		        source, ST_BAD_SIZE, "-D \"%d\": needs symmetric buffers, add -R 2", p->device_impl);
	if (s == ST_OK && (long)p->threads * p->gpus > THREADS_MAX)
		s = option_fail(source, ST_USAGE,
		        "-t \"%d\" -g \"%d\": more than %d ranks in a process, take more processes",
		        p->threads, p->gpus, THREADS_MAX);
	if (s == ST_OK)
		s = check_matrix(source, p);
	if (s == ST_OK)
		s = check_json(source, p);
	if (s == ST_OK)
		s = check_pairs(source, p);
	if (s == ST_OK)
		s = world_split_parse(p->split, p->split_mask, 0, &colour);
	if (s == ST_OK)
		correct_all(source, p);
	return s;
}

enum status plan_check(const struct plan *p, int ranks)
{
	const struct collective *collective = collective_find(p->collective);
	if (!collective || !collective->rooted || p->root < ranks)
		return ST_OK;
	return fail(ST_USAGE,
	        "-r \"%d\": there is no such rank, a group has ranks 0 to %d; -1 takes each in turn", p->root,
	        ranks - 1);
}

int plan_threads(const struct plan *p)
{
	return p->threads * p->gpus;
}

const char *options_needing_cuda(const struct plan *plan)
{
	static _Thread_local char title[64];
	char value[OPTION_TEXT_BYTES], initial[OPTION_TEXT_BYTES];
	struct plan at_default;
	options_defaults(plan->collective, &at_default);
	for (int i = 0; i < option_row_count; i++) {
		const struct option_row *row = &option_rows[i];
		if (!row->cuda)
			continue;
		option_print(row, plan, value);
		option_print(row, &at_default, initial);
		if (strcmp(value, initial)) {
			option_title(row, title);
			return title;
		}
	}
	return NULL;
}
