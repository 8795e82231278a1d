/* watchdog_board.h - the board that the ranks of a node write on, and the search for the rank to blame.
 * Private to watchdog.c, watchdog_board.c and watchdog_blame.c (and their tests). */
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

struct sheet {               /* the memory that processes share */
	_Atomic bool spoken; /* somebody of this node says, or has said, why the run ends */
	struct line lines[]; /* in the order of ranks */
};

struct board {
	struct sheet *sheet;
	int count;  /* of lines */
	int *ranks; /* [count], ascending: rank r has line places[r].local_rank */
	int node;
	const struct place *places;
	bool shared; /* false: only the lines of this process mean anything */
};

/* Collective over all processes (two barriers). */
enum status board_open(const struct watchdog_setup *, struct board *out);
void board_close(struct board *);

/* Does `process` know what rank's line i says? */
bool board_sees(const struct board *, int i, int process);

/* All steps that `process` sees: another number, somebody got further. */
uint64_t board_steps(const struct board *, int process);

void board_phase(const struct line *, char text[PHASE_BYTES]);

/* CERTAIN: a rank of this node is stopped or gone, or lets others wait. SUSPECT: all ranks of this node are
 * busy, for example inside one collective of a library. ELSEWHERE: all of them wait. */
enum grounds { CERTAIN, SUSPECT, ELSEWHERE };

struct blame {
	enum grounds grounds;
	char sentence[512];
};

/* Called by `process` when nobody got further for `seconds`. */
void blame_find(const struct board *, int process, double seconds, struct blame *out);

#endif
