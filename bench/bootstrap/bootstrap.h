/* bootstrap.h - how processes find each other and talk before, between and after measurements.
 *
 * This is the control channel. It is never the communicator under test, and it never busy-waits: on a
 * machine with fewer cores than ranks a spinning control channel is what would get measured.
 * Every call below is collective over all processes and is made by one thread of each.
 * A call that sees no progress for the deadline returns ST_TIMEOUT; after that only abort is of use.
 */
#ifndef BENCH_BOOTSTRAP_BOOTSTRAP_H
#define BENCH_BOOTSTRAP_BOOTSTRAP_H

#include "bench/core/status.h"

#include <stddef.h>
#include <stdint.h>

enum reduction { REDUCE_MIN, REDUCE_MAX, REDUCE_SUM };

enum { BOOTSTRAP_DEADLINE_S = 60 };

struct bootstrap {
	const char *name, *help;
	/* ST_OK when this bootstrap serves the way this process was launched; else ST_UNSUPPORTED, no
	 * message. */
	enum status (*probe)(void);
	/* argc and argv may be changed by the launcher's library. */
	enum status (*open)(int *argc, char ***argv, int *process_p, int *processes_p);
	enum status (*allgather)(const void *mine, size_t bytes,
	        void *all); /* processes x bytes; mine may be its place in all */
	enum status (*broadcast)(void *data, size_t bytes); /* from process 0 */
	enum status (*reduce)(
	        enum reduction how, int64_t *values, size_t count); /* in place, result everywhere */
	enum status (*barrier)(void);
	/* Seconds before a call gives up; 0 waits for ever. BOOTSTRAP_DEADLINE_S unless set. While ranks run,
	 * the world's watchdog stands in for it, which knows more. */
	void (*deadline)(double seconds);
	/* Ends all processes with this code, as far as the launcher allows; does not return. Any thread. */
	void (*abort)(int exit_code);
	/* Returns when every process may exit; the process then exits with exit_code, its own. Should the
	 * library not come back from its own ending, the process ends here with that code. Flushes stdio. */
	enum status (*close)(int exit_code);
	const char *(*library)(void); /* what it runs on, for the facts: "MPICH 4.0.2 (ch4:ucx)" */
};

/* The first of bootstraps[] whose probe answers ST_OK. N processes that all believe to be the only one, under
 * a launcher that says otherwise (PMI_SIZE, OMPI_COMM_WORLD_SIZE, SLURM_STEP_NUM_TASKS > 1), are refused with
 * the reason and the fix, printed by the launcher's rank 0 alone. */
enum status bootstrap_open(
        int *argc, char ***argv, int *process_p, int *processes_p, const struct bootstrap **out_p);

#endif
