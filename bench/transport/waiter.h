/* waiter.h - the one place where a rank sleeps, whatever it waits for: file descriptors (epoll) and doorbells
 * in memory that it shares with peers (futex), both at once, without spinning and without lost wake-ups.
 *
 * The rank's side:   while there is nothing to do
 *                            waiter_arm(w)             from here on every bell wakes us
 *                            look once more            something came in between: waiter_disarm(w), go on
 *                            waiter_sleep(w, ns)       also disarms
 * The peer's side:   store what the rank looks for, then bell_ring(). Costs a load when nobody sleeps.
 *
 * With doorbells alone a sleep is one futex call. With descriptors too, it is one epoll_wait, and bells are
 * rung through a pipe that peers open.
 */
#ifndef BENCH_TRANSPORT_WAITER_H
#define BENCH_TRANSPORT_WAITER_H

#include "bench/core/status.h"

#include <stdatomic.h>
#include <stdint.h>

enum doorbell_state { BELL_AWAKE, BELL_FUTEX, BELL_PIPE };

/* In memory that peers map; zeroed memory is a valid one. */
struct doorbell {
	_Alignas(64) _Atomic uint32_t state; /* enum doorbell_state */
};

/* Somebody else's doorbell, as seen from here. */
struct bell {
	struct doorbell *door;
	int pipe_fd; /* write end of the owner's pipe; -1: the owner never sleeps on descriptors */
};

struct waiter;

/* spin_ns: how long a rank may look before it sleeps; 0 where another rank may need the core. */
enum status waiter_open(int64_t spin_ns, struct waiter **out);
void waiter_close(struct waiter *);

int64_t waiter_spin_ns(const struct waiter *);
void waiter_set_spin(struct waiter *, int64_t spin_ns);

/* Wakes up while fd is readable. The owner of fd keeps it readable only while it could do something. */
enum status waiter_watch(struct waiter *, int fd);
/* Peers ring here from now on; NULL: no longer. One doorbell a waiter. */
void waiter_hang(struct waiter *, struct doorbell *);
/* Write end of the pipe that peers ring when the rank sleeps on descriptors: another process opens it as
 * /proc/PID/fd/N. */
int waiter_pipe_fd(const struct waiter *);

void waiter_arm(struct waiter *);
void waiter_disarm(struct waiter *);
/* Sleeps until something happens, at most this long; may wake for nothing. False: the time ran out. */
bool waiter_sleep(struct waiter *, int64_t ns);

/* Rings when the owner sleeps. Stores made before are seen by the owner when it looks again. */
static inline void bell_ring(const struct bell *);
void bell_wake(const struct bell *);

static inline void bell_ring(const struct bell *b)
{
	atomic_thread_fence(memory_order_seq_cst);
	if (atomic_load_explicit(&b->door->state, memory_order_relaxed) != BELL_AWAKE)
		bell_wake(b);
}

#endif
