/* pairs_put.c - all rails judged, and how that is told. */
#include "analysis/pairs_put.h"
#include "analysis/command.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct pairs_limits pairs_default = {0.05, 0.001};

static bool rail_is_slow(const struct pairs_task *t, int rail, double effect)
{
	return t->in.rails > 1 && t->report[rail].level_gbs < t->common_gbs * (1 - effect);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

enum status pairs_task_judge(struct pairs_task *t, const struct pairs_limits *limits)
{
	double level[PAIRS_RAILS] = {0};
	for (int k = 0; k < t->in.rails; k++) {
		struct pairs_report *r = &t->report[k];
		enum status s = pairs_judge(&t->in.rail[k], limits, r);
		if (s)
			return s;
		level[k] = r->level_gbs;
		t->judged += r->measured > 1 ? r->measured : 0;
		for (size_t i = 0; i < r->findings; i++)
			*(r->finding[i].part == PART_UNRESOLVED ? &t->questions : &t->faults) += 1;
	}
	qsort(level, (size_t)t->in.rails, sizeof *level, by_value);
	t->common_gbs = level[t->in.rails / 2];
	for (int k = 0; k < t->in.rails; k++)
		t->faults += rail_is_slow(t, k, limits->effect);
	return ST_OK;
}

static const char *name_of(const struct pairs_task *t, int node)
{
	return t->in.rail[0].name[node];
}

static const char *part_name(enum pairs_part part)
{
	static const char *const names[] = {
	        [PART_NODE] = "node",
	        [PART_SENDER] = "sender",
	        [PART_RECEIVER] = "receiver",
	        [PART_LINK] = "link",
	        [PART_UNRESOLVED] = "unresolved",
	};
	return names[part];
}

/* "node-3", "node-1 -> node-2", "node-4 | node-5". */
static void write_who(const struct pairs_task *t, const struct pairs_finding *f, char *text, size_t bytes)
{
	size_t used = 0;
	if (f->part == PART_LINK) {
		snprintf(text, bytes, "%s %s %s", name_of(t, f->node), f->both ? "<->" : "->",
		        name_of(t, f->peer));
	} else if (f->part == PART_UNRESOLVED) {
		for (int i = 0; i < f->members && used < bytes; i++)
			used += (size_t)snprintf(
			        text + used, bytes - used, "%s%s", i ? " | " : "", name_of(t, f->member[i]));
	} else {
		snprintf(text, bytes, "%s", name_of(t, f->node));
	}
}

static void write_why(const struct pairs_task *t, const struct pairs_finding *f, char *text, size_t bytes)
{
	switch (f->part) {
	case PART_NODE:
		snprintf(text, bytes, "slow with %d of its %d pairs, whose other ends are fast elsewhere",
		        f->slow, f->measured);
		break;
	case PART_SENDER:
		snprintf(text, bytes, "sends slowly in %d of %d pairs, receives as fast as the others",
		        f->slow, f->measured);
		break;
	case PART_RECEIVER:
		snprintf(text, bytes, "receives slowly in %d of %d pairs, sends as fast as the others",
		        f->slow, f->measured);
		break;
	case PART_LINK:
		snprintf(text, bytes, "this pair alone is slow, both ends are fast elsewhere");
		break;
	case PART_UNRESOLVED:
		if (f->members == 1)
			snprintf(text, bytes, "or its link to %s: measure it with another fast node",
			        name_of(t, f->peer));
		else if (f->members == 2)
			snprintf(text, bytes, "one of the two, or their link: measure each with a fast node");
		else
			snprintf(text, bytes, "one or more of them: measure each with a fast node");
		break;
	}
}

static void put_row(struct output *o, const char *rail, const char *part, const char *who,
        const struct pairs_finding *f, double level_gbs)
{
	output_row(o);
	output_text(o, f->part == PART_UNRESOLVED ? TONE_WARN : TONE_BAD, "%s", part);
	output_text(o, TONE_PLAIN, "%s", who);
	output_text(o, TONE_PLAIN, "%s", rail);
	output_number(o, 100 * f->share);
	output_number(o, f->share * level_gbs);
	output_number(o, f->slow);
	output_number(o, f->measured);
}

static void put_findings(struct output *o, const struct pairs_task *t, double effect)
{
	char who[512], why[256];
	for (int k = 0; k < t->in.rails; k++) {
		const struct pairs_report *r = &t->report[k];
		if (rail_is_slow(t, k, effect)) {
			struct pairs_finding whole = {.share = r->level_gbs / t->common_gbs,
			        .slow = r->measured,
			        .measured = r->measured};
			put_row(o, t->in.rail_name[k], "rail", t->in.rail_name[k], &whole, t->common_gbs);
			output_text(o, TONE_PLAIN, "every pair on this rail is slower than on the others");
		}
		for (size_t i = 0; i < r->findings; i++) {
			write_who(t, &r->finding[i], who, sizeof who);
			write_why(t, &r->finding[i], why, sizeof why);
			put_row(o, t->in.rail_name[k], part_name(r->finding[i].part), who, &r->finding[i],
			        r->level_gbs);
			output_text(o, TONE_PLAIN, "%s", why);
		}
	}
}

static void put_levels(struct output *o, const struct pairs_task *t)
{
	for (int k = 0; k < t->in.rails; k++) {
		const struct pairs_report *r = &t->report[k];
		const char *rail = t->in.rail_name[k];
		output_note(o, TONE_DIM,
		        "%s%s%d pairs of %d nodes%s: level %.4g GB/s, noise %.1f %%, slow means %.1f %% "
		        "below it",
		        rail, *rail ? ": " : "", r->measured, t->in.rail[k].nodes,
		        t->in.rail[k].directed ? "" : " (not directed)", r->level_gbs, 100 * r->noise,
		        100 * r->threshold);
		if (r->groups > 1)
			output_note(o, TONE_DIM,
			        "%s%sthe nodes fall into %d groups; between them the level is %.0f %%", rail,
			        *rail ? ": " : "", r->groups, 100 * r->between);
	}
	if (t->in.bad)
		output_note(o, TONE_WARN, "%zu broken lines were left out", t->in.bad);
}

/* The worst of all rails goes into the first line. */
static const struct pairs_finding *worst_finding(const struct pairs_task *t)
{
	const struct pairs_finding *worst = NULL;
	for (int k = 0; k < t->in.rails; k++) {
		const struct pairs_finding *f = t->report[k].findings ? t->report[k].finding : NULL;
		if (f && (!worst || f->part < worst->part ||
		                 (f->part == worst->part && f->share < worst->share)))
			worst = f;
	}
	return worst;
}

static int put_verdict(struct output *o, const struct pairs_task *t)
{
	const struct pairs_finding *worst = worst_finding(t);
	char who[512];
	if (!t->judged) {
		output_fact(
		        o, "verdict", TONE_WARN, "UNDECIDED, a single pair has nothing to be compared with");
		return EXIT_NOT_JUDGED;
	}
	if (worst) {
		write_who(t, worst, who, sizeof who);
		output_fact(o, "verdict", TONE_BAD,
		        "FAIL, %s%s at %.0f %% of the level (%d convicted, %d unresolved)", who,
		        worst->part == PART_UNRESOLVED ? ": unresolved," : " is slow,", 100 * worst->share,
		        t->faults, t->questions);
		return EXIT_VERDICT_FAIL;
	}
	if (t->faults) {
		output_fact(o, "verdict", TONE_BAD, "FAIL, a whole rail is slow");
		return EXIT_VERDICT_FAIL;
	}
	output_fact(
	        o, "verdict", TONE_GOOD, "PASS, no node, direction, link or rail is slower than the others");
	return t->in.bad ? EXIT_UNREADABLE : EXIT_PASS;
}

int pairs_put(struct output *o, const struct pairs_task *t, double effect)
{
	static const struct {
		const char *name, *unit;
		int decimals;
	} columns[] = {
	        {"part", "", -1},
	        {"name", "", -1},
	        {"rail", "", -1},
	        {"share", "%", 1},
	        {"gbs", "GB/s", 2},
	        {"slow", "", 0},
	        {"pairs", "", 0},
	        {"evidence", "", -1},
	};
	for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
		output_column(o, columns[c].name, columns[c].unit, columns[c].decimals);
	int code = put_verdict(o, t);
	put_levels(o, t);
	put_findings(o, t, effect);
	return code;
}

void pairs_print_matrix(FILE *file, const struct pairs_task *t)
{
	fprintf(file, "rail,from_index,to_index,from,to,gbs,share\n");
	for (int k = 0; k < t->in.rails; k++) {
		const struct pairs *p = &t->in.rail[k];
		for (int i = 0; i < p->nodes; i++)
			for (int j = 0; j < p->nodes; j++) {
				double gbs = p->gbs[(size_t)i * (size_t)p->nodes + (size_t)j];
				if (i != j && !isnan(gbs))
					fprintf(file, "%d,%d,%d,%s,%s,%.6g,%.4f\n", k, i, j, p->name[i],
					        p->name[j], gbs, gbs / t->report[k].level_gbs);
			}
	}
}

enum status pairs_write_matrix(const struct pairs_task *t, const char *path)
{
	FILE *file = fopen(path, "we");
	if (!file)
		return fail(ST_USAGE, "cannot write '%s': %s", path, strerror(errno));
	pairs_print_matrix(file, t);
	return fclose(file) ? fail(ST_SYSTEM, "cannot write '%s': %s", path, strerror(errno)) : ST_OK;
}

void pairs_task_free(struct pairs_task *t)
{
	for (int k = 0; k < t->in.rails; k++)
		pairs_report_free(&t->report[k]);
	pairs_input_free(&t->in);
}
