/* corrupting.c - a test double: wraps the backend of a run so that one bit of one rank's result is wrong.
 *
 * Linked into the test's own programs only, with -Wl,--wrap=registry_choose.
 * CORRUPT=RANK:INDEX:NTH[+] flips the lowest bit of the element at INDEX of RANK's result when the NTH
 * operation of a row is complete: 1 is the first, untimed one, 2 to 1 + iterations are timed, the checks come
 * last. With + it is that operation and all after it. */
#include "bench/core/types.h"
#include "bench/registry.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct choice real;
static struct backend corrupting_backend;
static int corrupt_rank, corrupt_nth;
static bool corrupt_on;
static size_t corrupt_index;

static _Thread_local struct {
	int rank, started;
	struct operation op;
	size_t shift_bytes;
} here;

static enum status open_corrupting(struct world *w, const struct plan *plan, struct communicator **out)
{
	here.rank = w->rank;
	return real.backend->open(w, plan, out);
}

static enum status bind_corrupting(struct communicator *c, const struct operation *op, struct bound **out)
{
	here.op = *op;
	here.started = 0;
	return real.backend->bind(c, op, out);
}

static enum status start_corrupting(struct bound *b, size_t shift_bytes)
{
	here.started++;
	here.shift_bytes = shift_bytes;
	return real.backend->start(b, shift_bytes);
}

static enum status poll_corrupting(struct bound *b, int64_t wait_ns, bool *done_p)
{
	enum status s = real.backend->poll(b, wait_ns, done_p);
	bool now = here.started == corrupt_nth || (corrupt_on && here.started > corrupt_nth);
	if (s == ST_OK && *done_p && here.rank == corrupt_rank && now)
		((unsigned char *)here.op
		                .recv)[here.shift_bytes + corrupt_index * dtype_bytes(here.op.dtype)] ^= 1;
	return s;
}

static void wrap(const struct choice *chosen)
{
	const char *text = getenv("CORRUPT");
	char plus = 0;
	if (!text || sscanf(text, "%d:%zu:%d%c", &corrupt_rank, &corrupt_index, &corrupt_nth, &plus) < 3) {
		fprintf(stderr, "corrupting: CORRUPT=RANK:INDEX:NTH is missing or wrong\n");
		_exit(99);
	}
	corrupt_on = plus == '+';
	real = *chosen;
	corrupting_backend = *real.backend;
	corrupting_backend.open = open_corrupting;
	corrupting_backend.bind = bind_corrupting;
	corrupting_backend.start = start_corrupting;
	corrupting_backend.poll = poll_corrupting;
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
	out->backend = &corrupting_backend;
	return ST_OK;
}
/* NOLINTEND(bugprone-reserved-identifier) */
