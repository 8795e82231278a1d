/* pairs.c - sendrecv --pairs: every rank to every other, in rounds of disjoint pairs. */
#include "bench/core/pairs.h"

#include "bench/core/case.h"
#include "bench/core/stats.h"
#include "bench/core/sweep.h"
#include "bench/core/types.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The circle method: one rank stays, the others move round it; an odd rank out rests opposite a place that
 * nobody holds. */
int pairs_rounds(int n)
{
	return n % 2 ? n : n - 1;
}

int pairs_partner(int n, int rank, int round)
{
	int circle = pairs_rounds(n), fixed = circle; /* fixed == n - 1, or nobody when n is odd */
	if (n < 2)
		return -1;
	int partner = rank == fixed ? round : ((2 * round - rank) % circle + circle) % circle;
	if (rank != fixed && partner == rank)
		partner = fixed;
	return partner < n ? partner : -1;
}

struct sweep { /* of one size */
	struct run *run;
	uint64_t bytes;
	double *gbs; /* rank 0: [pairs measured] */
	size_t measured;
	struct { /* slowest pair */
		int from, to;
		double gbs;
	} slowest;
	FILE *pairs, *shares; /* rank 0: rows of both files, NULL without --csv */
};

enum flow { UPWARDS, DOWNWARDS, BOTH_WAYS, FLOWS };

/* Does this rank send to its partner? Up is from the lower rank to the higher. */
static bool sends(int rank, int partner, enum flow flow)
{
	return partner >= 0 && (flow == BOTH_WAYS || (rank < partner) == (flow == UPWARDS));
}

static void set_traffic(struct run *run, int round, enum flow flow, uint64_t bytes)
{
	int n = run->world->group_ranks;
	struct traffic *t = &run->traffic;
	memset(t->matrix, 0, (size_t)n * (size_t)n * sizeof *t->matrix);
	for (int rank = 0; rank < n; rank++) {
		int partner = pairs_partner(n, rank, round);
		if (sends(rank, partner, flow))
			t->matrix[rank * n + partner] = (size_t)bytes;
	}
}

/* A rank is named by its host; where a host has several, by its number too. */
static void name_rank(const struct world *w, int rank, char *text, size_t text_bytes)
{
	if (w->nodes == w->ranks)
		snprintf(text, text_bytes, "%s", w->places[rank].host);
	else
		snprintf(text, text_bytes, "%s:%d", w->places[rank].host, rank);
}

static void print_row(FILE *f, const struct sweep *s, int from, int to, double mean_ns, const char *checked)
{
	const struct world *w = s->run->world;
	char sender[96], receiver[96];
	name_rank(w, from, sender, sizeof sender);
	name_rank(w, to, receiver, sizeof receiver);
	fprintf(f, "%s,%s,%s,%llu,%.1f,%.6g,%s\n", w->run_id, sender, receiver, (unsigned long long)s->bytes,
	        mean_ns, (double)s->bytes / mean_ns, checked);
}

/* Rank 0: in one direction the receiver's time is the pair's; when all send, each rank's time is its own. */
static void take_round(struct sweep *s, int round, enum flow flow, const double *mean_ns, bool wrong)
{
	const char *checked = !s->run->plan->check ? "unchecked" : wrong ? "wrong" : "done";
	int n = s->run->world->ranks;
	for (int from = 0; from < n; from++) {
		int to = pairs_partner(n, from, round);
		if (!sends(from, to, flow))
			continue;
		double ns = mean_ns[flow == BOTH_WAYS ? from : to], gbs = (double)s->bytes / ns;
		FILE *f = flow == BOTH_WAYS ? s->shares : s->pairs;
		if (f)
			print_row(f, s, from, to, ns, checked);
		if (flow == BOTH_WAYS)
			continue;
		if (!s->measured || gbs < s->slowest.gbs) {
			s->slowest.from = from;
			s->slowest.to = to;
			s->slowest.gbs = gbs;
		}
		s->gbs[s->measured++] = gbs;
	}
}

static enum status run_round(struct sweep *s, struct test_case *c, int round, enum flow flow)
{
	struct run *run = s->run;
	struct outcome o;
	set_traffic(run, round, flow, s->bytes);
	case_size(run, s->bytes, c);
	enum status status = case_run(run, c, &o);
	double *mean_ns = calloc((size_t)run->world->ranks, sizeof *mean_ns);
	status = world_agree(run->world,
	        status != ST_OK || mean_ns ? status : fail(ST_NOMEM, "no memory for a round of pairs"));
	if (status == ST_OK)
		status = world_allgather(run->world, &o.timing.mean_ns, sizeof *mean_ns, mean_ns);
	int64_t wrong = status == ST_OK && o.wrong.wrong_elems > 0;
	if (status == ST_OK)
		status = world_reduce(run->world, REDUCE_SUM, &wrong, 1);
	if (status == ST_OK && run->world->rank == 0) {
		take_round(s, round, flow, mean_ns, wrong > 0);
		run->summary.wrong_checks += (uint64_t)wrong;
	}
	free(mean_ns);
	return status;
}

/* The header is written with the first row, by whoever comes to an empty file; rows of a size go out in one
 * piece. */
static enum status append(const struct run *run, const char *name, const char *rows, size_t bytes)
{
	static const char header[] = "run_id,from,to,bytes,mean_ns,busbw_gbs,checked\n";
	char path[PLAN_PATH_BYTES + 16];
	snprintf(path, sizeof path, "%s/%s", run->plan->csv_dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	bool fresh = fd >= 0 && lseek(fd, 0, SEEK_END) == 0, ok = fd >= 0;
	if (fresh)
		ok = write(fd, header, sizeof header - 1) == (ssize_t)sizeof header - 1;
	ok = ok && write(fd, rows, bytes) == (ssize_t)bytes && !fdatasync(fd);
	enum status s =
	        ok ? ST_OK
	           : fail(ST_SYSTEM, "cannot write to '%s': %s; rows so far are kept", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return s;
}

/* Lines that no parser of the table takes for a row. */
static void print_size(struct sweep *s)
{
	struct stats stats;
	char from[96], to[96];
	stats_of(s->gbs, s->measured, &stats);
	name_rank(s->run->world, s->slowest.from, from, sizeof from);
	name_rank(s->run->world, s->slowest.to, to, sizeof to);
	printf("# pairs of %llu bytes: %zu measured, GB/s min %.3f median %.3f max %.3f, slowest %s -> %s\n",
	        (unsigned long long)s->bytes, s->measured, stats.min, stats.p50, stats.max, from, to);
	s->run->busbw_sum_gbs += stats.mean;
	s->run->rows++;
	s->run->summary.avg_busbw_gbs = s->run->busbw_sum_gbs / (double)s->run->rows;
}

/* Rows that wait until their size is through. */
struct rows {
	char *text;
	size_t bytes;
};

static enum status flush_rows(const struct run *run, const char *name, FILE *f, struct rows *rows)
{
	enum status s = ST_OK;
	if (f && !fclose(f) && rows->bytes)
		s = append(run, name, rows->text, rows->bytes);
	free(rows->text);
	return s;
}

static enum status run_rounds(struct sweep *s, struct test_case *c)
{
	enum status status = ST_OK;
	for (int round = 0; round < pairs_rounds(s->run->world->group_ranks); round++)
		for (enum flow flow = 0; flow < FLOWS && status == ST_OK; flow++)
			status = run_round(s, c, round, flow);
	return status;
}

static enum status run_size(struct run *run, struct test_case *c, uint64_t bytes)
{
	size_t n = (size_t)run->world->group_ranks;
	bool first = run->world->rank == 0, files = first && run->plan->csv_dir[0];
	struct rows pairs = {0}, shares = {0};
	struct sweep s = {
	        .run = run,
	        .bytes = bytes & ~(uint64_t)15,
	        .gbs = first ? calloc(n * n, sizeof(double)) : NULL,
	        .pairs = files ? open_memstream(&pairs.text, &pairs.bytes) : NULL,
	        .shares = files ? open_memstream(&shares.text, &shares.bytes) : NULL,
	};
	bool ready = !first || (s.gbs && (!files || (s.pairs && s.shares)));
	enum status status = world_agree(
	        run->world, ready ? ST_OK : fail(ST_NOMEM, "no memory for pairs of %zu ranks", n));
	if (status == ST_OK)
		status = run_rounds(&s, c);
	enum status kept = flush_rows(run, "pairs.csv", s.pairs, &pairs);
	enum status shared = flush_rows(run, "shares.csv", s.shares, &shares);
	kept = kept > shared ? kept : shared;
	if (first && s.measured)
		print_size(&s);
	free(s.gbs);
	return world_agree(run->world, status > kept ? status : kept);
}

enum status pairs_run(struct run *run)
{
	const struct plan *plan = run->plan;
	int n = run->world->group_ranks;
	struct test_case c = {
	        .dtype = plan->dtype == PLAN_ALL ? DT_FLOAT : (enum dtype)plan->dtype,
	        .redop = OP_NONE,
	        .redop_printed = OP_NONE,
	        .root = ALL_RANKS,
	};
	c.elem_bytes = dtype_bytes(c.dtype);
	if (n != run->world->ranks || n < 2)
		return world_agree(run->world,
		        fail(ST_USAGE,
		                "--pairs needs two ranks or more in one group; there are %d of %d ranks", n,
		                run->world->ranks));
	run->traffic.dimension = n;
	run->traffic.matrix = calloc((size_t)n * (size_t)n, sizeof *run->traffic.matrix);
	enum status s = world_agree(run->world,
	        run->traffic.matrix ? ST_OK : fail(ST_NOMEM, "no memory for the traffic of %d ranks", n));
	run->collective = collective_find("alltoallv");
	struct plan sizes = *plan;
	sizes.min_bytes = run->min_bytes;
	sizes.max_bytes = run->max_bytes;
	uint64_t bytes = sizes.min_bytes;
	do {
		if (s == ST_OK)
			s = run_size(run, &c, bytes);
	} while (s == ST_OK && sweep_next(&sizes, &bytes));
	return s;
}
