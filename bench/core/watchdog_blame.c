/* watchdog_blame.c - who holds the run up: a process that is stopped or gone, else the ranks that do not wait
 * for others while others wait for them. Reads the board and /proc; decides nothing else. */
#include "bench/core/watchdog_board.h"

#include <stdio.h>
#include <string.h>

enum condition { RUNS, STOPPED, GONE };

static const char *const condition_text[] = {
        [RUNS] = "does not come back",
        [STOPPED] = "is stopped by a signal",
        [GONE] = "is gone",
};

bool board_sees(const struct board *b, int i, int process)
{
	return b->shared || b->places[b->ranks[i]].process == process;
}

void board_phase(const struct line *line, char text[PHASE_BYTES])
{
	for (int w = 0; w < PHASE_WORDS; w++) {
		uint64_t word = atomic_load_explicit(&line->phase[w], memory_order_relaxed);
		memcpy(text + 8 * w, &word, 8);
	}
	text[PHASE_BYTES - 1] = 0;
}

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

static void look(const struct board *b, int process, struct suspects *s, int *processes_before)
{
	int last_process = -1;
	enum condition condition = RUNS;
	*s = (struct suspects){.first = -1, .first_busy = -1, .own = -1};
	*processes_before = 0;
	for (int i = 0; i < b->lines_count; i++) {
		const struct place *at = &b->places[b->ranks[i]];
		if (!board_sees(b, i, process))
			continue;
		if (at->process != last_process) {
			condition = at->process == process ? RUNS : condition_of(at->pid);
			*processes_before += condition == RUNS && at->process < process;
			last_process = at->process;
		}
		if (at->process == process && s->own < 0)
			s->own = i;
		if (condition != RUNS) {
			if (s->count++ == 0) {
				s->first = i;
				s->condition = condition;
			}
		} else if (atomic_load_explicit(&b->lines[i].waits, memory_order_relaxed)) {
			s->waiting++;
		} else if (s->busy++ == 0) {
			s->first_busy = i;
		}
	}
}

static int describe(const struct board *b, int i, char *text, size_t bytes)
{
	char phase[PHASE_BYTES];
	const struct place *at = &b->places[b->ranks[i]];
	board_phase(&b->lines[i], phase);
	return snprintf(text, bytes, "rank %d (process %d on %s), in '%s',", b->ranks[i], (int)at->pid,
	        at->host, phase);
}

void blame_find(const struct board *b, int process, double seconds, struct blame *out)
{
	struct suspects s;
	char who[160], more[48] = "", phase[PHASE_BYTES];
	look(b, process, &s, &out->processes_before);
	out->grounds = s.count || (s.busy && s.waiting) ? CERTAIN : s.busy ? SUSPECT : ELSEWHERE;
	if (s.count == 0 && s.busy > 0) {
		s.count = s.busy;
		s.first = s.first_busy;
		s.condition = RUNS;
	}
	if (s.count > 0) {
		describe(b, s.first, who, sizeof who);
		if (s.count > 1)
			snprintf(more, sizeof more, ", and so with %d more of its node", s.count - 1);
		snprintf(out->sentence, sizeof out->sentence,
		        "no progress for %g s: %s %s%s; see what holds it, or allow more time with -T "
		        "SECONDS",
		        seconds, who, condition_text[s.condition], more);
		return;
	}
	board_phase(&b->lines[s.own], phase);
	snprintf(out->sentence, sizeof out->sentence,
	        "no progress for %g s in '%s': every rank of %s waits for one elsewhere; see what holds that "
	        "one, "
	        "or allow more time with -T SECONDS",
	        seconds, phase, b->places[b->ranks[s.own]].host);
}
