/* watchdog_blame.c - who holds the run up: a process that is stopped or gone, else the ranks that do not wait
 * for others while others wait for them. Reads the board and /proc; decides nothing else. */
#include "bench/core/watchdog_board.h"

#include <stdio.h>
#include <string.h>

enum condition { RUNS, STOPPED, GONE };

static const char *const condition_text[] = {
        [RUNS] = "got no further",
        [STOPPED] = "was stopped by a signal",
        [GONE] = "went away",
};

/* The third field of /proc/PID/stat, after the last ')': a name may hold anything. */
static enum condition condition_of(pid_t pid)
{
	char path[40], text[512];
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "re");
	if (!f)
		return GONE;
	size_t n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[n] = 0;
	const char *after = strrchr(text, ')');
	char state = 0;
	if (after && after[1] == ' ')
		state = after[2];
	if (state == 'T' || state == 't')
		return STOPPED;
	return state == 'Z' || state == 'X' ? GONE : RUNS;
}

struct suspects {
	int count, first; /* line */
	enum condition condition;
	int busy, waiting; /* ranks that could run: not waiting for others, waiting */
	int first_busy, own;
};

static void look(const struct board *b, int process, struct suspects *s)
{
	int last_process = -1;
	enum condition condition = RUNS;
	*s = (struct suspects){.first = -1, .first_busy = -1, .own = -1};
	for (int i = 0; i < b->count; i++) {
		const struct place *at = &b->places[b->ranks[i]];
		if (!board_sees(b, i, process))
			continue;
		if (at->process != last_process) {
			condition = at->process == process ? RUNS : condition_of(at->pid);
			last_process = at->process;
		}
		if (at->process == process && s->own < 0)
			s->own = i;
		if (condition != RUNS) {
			if (s->count++ == 0) {
				s->first = i;
				s->condition = condition;
			}
		} else if (atomic_load_explicit(&b->sheet->lines[i].waits, memory_order_relaxed)) {
			s->waiting++;
		} else if (s->busy++ == 0) {
			s->first_busy = i;
		}
	}
}

static void tell_elsewhere(const struct board *b, int own, double seconds, struct blame *out)
{
	char phase[PHASE_BYTES];
	board_phase(&b->sheet->lines[own], phase);
	snprintf(out->sentence, sizeof out->sentence,
	        "no progress for %g s while %s: every rank of %s waits for one elsewhere; see what holds "
	        "that one, or allow more time with -T",
	        seconds, phase, b->places[b->ranks[own]].host);
}

static void tell_culprit(const struct board *b, const struct suspects *s, double seconds, struct blame *out)
{
	const struct place *at = &b->places[b->ranks[s->first]];
	char phase[PHASE_BYTES], more[40] = "";
	board_phase(&b->sheet->lines[s->first], phase);
	if (s->count > 1)
		snprintf(more, sizeof more, ", like %d more of its node", s->count - 1);
	snprintf(out->sentence, sizeof out->sentence,
	        "no progress for %g s: rank %d (process %d on %s) %s while %s%s; see what holds it, or allow "
	        "more time "
	        "with -T",
	        seconds, b->ranks[s->first], (int)at->pid, at->host, condition_text[s->condition], phase,
	        more);
}

void blame_find(const struct board *b, int process, double seconds, struct blame *out)
{
	struct suspects s;
	look(b, process, &s);
	out->grounds = s.count || (s.busy && s.waiting) ? CERTAIN : s.busy ? SUSPECT : ELSEWHERE;
	if (s.count == 0 && s.busy > 0) {
		s.count = s.busy;
		s.first = s.first_busy;
		s.condition = RUNS;
	}
	if (s.count > 0)
		tell_culprit(b, &s, seconds, out);
	else
		tell_elsewhere(b, s.own, seconds, out);
}
