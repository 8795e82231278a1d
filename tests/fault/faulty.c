/* faulty.c - a test double: wraps the backend and the memory kind of a run so that one rank fails in one
 * phase.
 *
 * Linked into the test's own programs only, with -Wl,--wrap=registry_choose.
 * FAULT=PHASE:RANK:HOW[:NTH] chooses, NTH being the call of the phase in that rank (1).
 *
 *   PHASE: open, alloc, fill, bind, start, poll or verify
 *
 *   HOW: error (returns a status), hang (never comes back), stop (SIGSTOP), kill (SIGKILL) or exit (_exit(3))
 */
#include "bench/registry.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum phase { OPEN, ALLOC, FILL, BIND, START, POLL, VERIFY, PHASES };

static const char *const phase_names[PHASES] = {"open", "alloc", "fill", "bind", "start", "poll", "verify"};

static struct choice real;
static struct backend faulty_backend;
static struct memory_kind faulty_memory;

static struct {
	char phase[16], how[16];
	int rank, nth;
} fault;

static _Thread_local int rank_here = -1;
static _Thread_local int calls[PHASES];

static enum status strike(enum phase phase)
{
	if (rank_here != fault.rank || strcmp(fault.phase, phase_names[phase]) || ++calls[phase] != fault.nth)
		return ST_OK;
	if (!strcmp(fault.how, "stop"))
		raise(SIGSTOP);
	else if (!strcmp(fault.how, "kill"))
		raise(SIGKILL);
	else if (!strcmp(fault.how, "exit"))
		_exit(3);
	else if (!strcmp(fault.how, "hang"))
		for (;;)
			pause();
	return fail(ST_SYSTEM, "injected fault in '%s'", phase_names[phase]);
}

static enum status open_faulty(struct world *w, const struct plan *plan, struct communicator **out)
{
	rank_here = w->rank;
	enum status s =
	        real.backend->open(w, plan, out); /* collective: a failure of one rank never skips it */
	enum status struck = strike(OPEN);
	return struck == ST_OK ? s : struck;
}

static enum status bind_faulty(struct communicator *c, const struct operation *op, struct bound **out)
{
	enum status s = strike(BIND);
	return s == ST_OK ? real.backend->bind(c, op, out) : s;
}

static enum status start_faulty(struct bound *b, size_t shift_bytes)
{
	enum status s = strike(START);
	return s == ST_OK ? real.backend->start(b, shift_bytes) : s;
}

static enum status poll_faulty(struct bound *b, int64_t wait_ns, bool *done_p)
{
	enum status s = strike(POLL);
	return s == ST_OK ? real.backend->poll(b, wait_ns, done_p) : s;
}

static enum status alloc_faulty(int device, size_t bytes, struct buffer *out)
{
	enum status s = strike(ALLOC);
	return s == ST_OK ? real.memory->alloc(device, bytes, out) : s;
}

static enum status fill_faulty(const struct pattern *p, int rank, uint64_t first, void *dst, size_t elems)
{
	enum status s = strike(FILL);
	return s == ST_OK ? real.memory->fill(p, rank, first, dst, elems) : s;
}

static enum status verify_faulty(const struct pattern *p, int source, uint64_t first, const void *got,
        size_t elems, struct mismatch *out)
{
	enum status s = strike(VERIFY);
	return s == ST_OK ? real.memory->verify(p, source, first, got, elems, out) : s;
}

static void read_fault(void)
{
	const char *text = getenv("FAULT");
	fault.nth = 1;
	if (!text || sscanf(text, "%15[a-z]:%d:%15[a-z]:%d", fault.phase, &fault.rank, fault.how,
	                     &fault.nth) < 3) {
		fprintf(stderr, "faulty: FAULT=PHASE:RANK:HOW[:NTH] is missing or wrong\n");
		_exit(99);
	}
}

static void wrap(const struct choice *chosen)
{
	read_fault();
	real = *chosen;
	faulty_backend = *real.backend;
	faulty_backend.open = open_faulty;
	faulty_backend.bind = bind_faulty;
	faulty_backend.start = start_faulty;
	faulty_backend.poll = poll_faulty;
	faulty_memory = *real.memory;
	faulty_memory.alloc = alloc_faulty;
	faulty_memory.fill = fill_faulty;
	faulty_memory.verify = verify_faulty;
}

/* The names are the linker's, for --wrap=registry_choose. NOLINTBEGIN(bugprone-reserved-identifier) */
enum status __real_registry_choose(const struct plan *plan, struct choice *out);
enum status __wrap_registry_choose(const struct plan *plan, struct choice *out);

/* Every rank thread of a process comes here, with the same outcome: the first wraps. */
enum status __wrap_registry_choose(const struct plan *plan, struct choice *out)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	enum status s = __real_registry_choose(plan, out);
	if (s != ST_OK)
		return s;
	pthread_mutex_lock(&mutex);
	if (!real.backend)
		wrap(out);
	pthread_mutex_unlock(&mutex);
	*out = (struct choice){.backend = &faulty_backend, .memory = &faulty_memory};
	return ST_OK;
}
/* NOLINTEND(bugprone-reserved-identifier) */
