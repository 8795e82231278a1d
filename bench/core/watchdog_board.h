/* watchdog_board.h - the board that the ranks of a node write on, and the search for the rank to blame.
 * Private to watchdog.c and watchdog_blame.c (and their tests). */
#ifndef BENCH_CORE_WATCHDOG_BOARD_H
#define BENCH_CORE_WATCHDOG_BOARD_H

#include "bench/core/watchdog.h"

#include <stdatomic.h>

enum { PHASE_WORDS = 4, PHASE_BYTES = PHASE_WORDS * 8 };

struct line { /* of one rank; written by it alone */
	_Atomic uint64_t steps;
	_Atomic uint64_t phase[PHASE_WORDS]; /* text, cut to fit; words so that a reader never races */
	_Atomic bool waits;
} __attribute__((aligned(64)));

struct board {
	struct line *lines; /* [lines_count], in the order of ranks */
	int lines_count;
	int *ranks; /* the ranks of this node, ascending: rank r has line places[r].local_rank */
	const struct place *places;
	bool shared; /* false: only the lines of this process mean anything */
};

/* CERTAIN: a rank of this node is stopped or gone, or lets others wait. SUSPECT: all ranks of this node are
 * busy, for example inside one collective of a library. ELSEWHERE: all of them wait. */
enum grounds { CERTAIN, SUSPECT, ELSEWHERE };

struct blame {
	enum grounds grounds;
	int processes_before; /* lower processes of this node that can still speak */
	char sentence[512];
};

/* Does this process write, or see, line i? */
bool board_sees(const struct board *, int i, int process);

void board_phase(const struct line *, char text[PHASE_BYTES]);

/* Called by `process` when nobody got further for `seconds`. */
void blame_find(const struct board *, int process, double seconds, struct blame *out);

#endif
