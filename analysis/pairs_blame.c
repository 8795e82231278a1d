/* pairs_blame.c - convicts nodes, roles and links of the slow pairs, and names what cannot be told apart. */
#include "analysis/pairs_work.h"

#include <gsl/gsl_statistics.h>
#include <stdlib.h>

static size_t pair_of(const struct work *w, enum role role, int node, int partner)
{
	return role == SENDS ? pairs_at(w, node, partner) : pairs_at(w, partner, node);
}

static enum role other(enum role role)
{
	return role == SENDS ? RECEIVES : SENDS;
}

/* A role that is a little slow with everybody shows in its median long before it shows in any pair. */
static void measure_effect(struct work *w, enum role role, int node)
{
	struct part *part = &w->part[role][node];
	size_t count = 0;
	for (int k = 0; k < w->p->nodes; k++)
		if (!isnan(w->residual[pair_of(w, role, node, k)]))
			w->scratch[count++] = w->residual[pair_of(w, role, node, k)];
	*part = (struct part){.measured = (int)count};
	if (count)
		part->effect = gsl_stats_median(w->scratch, 1, count);
}

static bool is_slow_role(const struct work *w, const struct part *part)
{
	double error = 1.2533 * w->noise / sqrt(fmax(part->measured, 1)); /* of a median */
	return part->measured >= 2 && part->effect < -fmax(-log1p(-w->limits->effect), w->surely * error);
}

static void mark_slow_pairs(struct work *w)
{
	int n = w->p->nodes;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			if (!pairs_measured(w, i, j))
				continue;
			const struct part *sender = &w->part[SENDS][i], *receiver = &w->part[RECEIVES][j];
			double r = w->residual[pairs_at(w, i, j)], cut = w->cut;
			if (is_slow_role(w, sender))
				cut = fmax(cut, sender->effect / 2);
			if (is_slow_role(w, receiver))
				cut = fmax(cut, receiver->effect / 2);
			w->slow[pairs_at(w, i, j)] = r < cut;
			w->report->slow += r < cut;
		}
}

static void count_slow(struct work *w, enum role role, int node)
{
	struct part *part = &w->part[role][node];
	for (int k = 0; k < w->p->nodes; k++)
		part->slow += w->slow[pair_of(w, role, node, k)];
	part->cleared = part->measured && part->slow < PAIRS_NEARLY_ALL * part->measured;
}

/* Two slow pairs whose other ends are fast elsewhere convict; its effect is what those pairs show. */
static void convict(struct work *w, enum role role, int node)
{
	struct part *part = &w->part[role][node];
	size_t count = 0;
	for (int k = 0; k < w->p->nodes; k++)
		if (w->slow[pair_of(w, role, node, k)] && w->part[other(role)][k].cleared)
			w->scratch[count++] = w->residual[pair_of(w, role, node, k)];
	part->evidence = (int)count;
	part->convicted = !part->cleared && count >= 2;
	if (part->convicted)
		part->effect = gsl_stats_median(w->scratch, 1, count);
}

static struct pairs_finding *add_finding(struct work *w, struct pairs_finding finding)
{
	struct pairs_report *r = w->report;
	struct pairs_finding *larger = realloc(r->finding, (r->findings + 1) * sizeof *larger);
	if (!larger) {
		fail(ST_NOMEM, "out of memory for %zu findings", r->findings);
		return NULL;
	}
	r->finding = larger;
	r->finding[r->findings] = finding;
	return &r->finding[r->findings++];
}

static bool report_roles(struct work *w, int node)
{
	const struct part *sender = &w->part[SENDS][node], *receiver = &w->part[RECEIVES][node];
	struct pairs_finding f = {.node = node, .peer = -1};
	if (!sender->convicted && !receiver->convicted)
		return true;
	if (sender == receiver || (sender->convicted && receiver->convicted)) {
		f.part = PART_NODE;
		f.share = exp((sender->effect + receiver->effect) / 2);
		f.slow = sender == receiver ? sender->slow : sender->slow + receiver->slow;
		f.measured = sender == receiver ? sender->measured : sender->measured + receiver->measured;
	} else {
		const struct part *one = sender->convicted ? sender : receiver;
		f.part = sender->convicted ? PART_SENDER : PART_RECEIVER;
		f.share = exp(one->effect);
		f.slow = one->slow;
		f.measured = one->measured;
	}
	return add_finding(w, f);
}

/* What the pair's log share would be if only the convicted roles slowed it: the slower of both rules. */
static double explained(const struct work *w, int from, int to)
{
	const struct part *sender = &w->part[SENDS][from], *receiver = &w->part[RECEIVES][to];
	return fmin(sender->convicted ? sender->effect : 0, receiver->convicted ? receiver->effect : 0);
}

static bool needs_more(const struct work *w, int from, int to)
{
	size_t i = pairs_at(w, from, to);
	double rest = explained(w, from, to);
	return w->slow[i] && (rest == 0 || w->residual[i] - rest < w->cut);
}

static bool is_suspect(const struct work *w, enum role role, int node)
{
	return !w->part[role][node].cleared && !w->part[role][node].convicted;
}

static bool report_link(struct work *w, int from, int to)
{
	bool back = needs_more(w, to, from) && !is_suspect(w, SENDS, to) && !is_suspect(w, RECEIVES, from);
	bool mirrored = !w->p->directed || back;
	if (mirrored && to < from)
		return true; /* reported from the other side */
	double r = w->residual[pairs_at(w, from, to)];
	if (w->p->directed && back)
		r = (r + w->residual[pairs_at(w, to, from)]) / 2;
	int pairs = w->p->directed && back ? 2 : 1;
	return add_finding(
	        w, (struct pairs_finding){PART_LINK, from, to, mirrored, exp(r), pairs, pairs, NULL, 0});
}

/* Slow pairs without a convict that hang together through their suspects are one question. */
static void gather_suspects(
        const struct work *w, int node, bool *seen, struct pairs_finding *f, double *worst_p)
{
	if (seen[node])
		return;
	seen[node] = true;
	f->member[f->members++] = node;
	for (int k = 0; k < w->p->nodes; k++)
		for (enum role role = SENDS; role < w->roles; role++) {
			size_t i = pair_of(w, role, node, k);
			int from = role == SENDS ? node : k, to = role == SENDS ? k : node;
			if (!is_suspect(w, role, node) || !needs_more(w, from, to))
				continue;
			bool first_seen_here = w->p->directed ? role == SENDS : node < k;
			f->slow += first_seen_here || !is_suspect(w, other(role), k);
			*worst_p = fmin(*worst_p, w->residual[i]);
			f->peer = k;
			if (is_suspect(w, other(role), k))
				gather_suspects(w, k, seen, f, worst_p);
		}
}

static bool is_in_question(const struct work *w, int node)
{
	for (int k = 0; k < w->p->nodes; k++)
		if ((is_suspect(w, SENDS, node) && needs_more(w, node, k)) ||
		        (is_suspect(w, RECEIVES, node) && needs_more(w, k, node)))
			return true;
	return false;
}

static bool report_question(struct work *w, int node, bool *seen)
{
	if (seen[node] || !is_in_question(w, node))
		return true;
	struct pairs_finding f = {.part = PART_UNRESOLVED, .node = node, .peer = -1};
	f.member = calloc((size_t)w->p->nodes, sizeof *f.member);
	if (!f.member)
		return !fail(ST_NOMEM, "out of memory for %d nodes", w->p->nodes);
	double worst = 0;
	gather_suspects(w, node, seen, &f, &worst);
	f.measured = f.slow;
	f.share = exp(worst);
	if (add_finding(w, f))
		return true;
	free(f.member);
	return false;
}

/* Convictions before questions, then the larger loss. */
static int by_weight(const void *a, const void *b)
{
	const struct pairs_finding *x = a, *y = b;
	if ((x->part == PART_UNRESOLVED) != (y->part == PART_UNRESOLVED))
		return x->part == PART_UNRESOLVED ? 1 : -1;
	double lost_x = x->slow * (1 - x->share), lost_y = y->slow * (1 - y->share);
	return lost_x > lost_y ? -1 : lost_x < lost_y ? 1 : x->node - y->node;
}

static bool report_all(struct work *w, bool *seen)
{
	int n = w->p->nodes;
	bool ok = true;
	for (int i = 0; ok && i < n; i++)
		ok = report_roles(w, i);
	for (int i = 0; ok && i < n; i++)
		for (int j = 0; ok && j < n; j++)
			if (needs_more(w, i, j) && !is_suspect(w, SENDS, i) && !is_suspect(w, RECEIVES, j))
				ok = report_link(w, i, j);
	for (int i = 0; ok && i < n; i++)
		ok = report_question(w, i, seen);
	return ok;
}

enum status pairs_blame(struct work *w)
{
	int n = w->p->nodes;
	for (enum role role = SENDS; role < w->roles; role++)
		for (int i = 0; i < n; i++)
			measure_effect(w, role, i);
	mark_slow_pairs(w);
	for (enum role role = SENDS; role < w->roles; role++)
		for (int i = 0; i < n; i++)
			count_slow(w, role, i);
	for (enum role role = SENDS; role < w->roles; role++)
		for (int i = 0; i < n; i++)
			convict(w, role, i);
	bool *seen = calloc((size_t)n, sizeof *seen);
	if (!seen || !report_all(w, seen)) {
		free(seen);
		return ST_NOMEM;
	}
	free(seen);
	if (w->report->findings)
		qsort(w->report->finding, w->report->findings, sizeof *w->report->finding, by_weight);
	return ST_OK;
}
