/* ring_links.h - the links of one rank to the others of its group: which transport each pair uses, made when
 * a schedule first names the peer, kept until the communicator closes. Peers are group ranks. */
#ifndef BENCH_BACKEND_RING_LINKS_H
#define BENCH_BACKEND_RING_LINKS_H

#include "bench/backend/ring_schedule.h"
#include "bench/core/plan.h"
#include "bench/core/world.h"
#include "bench/transport/transport.h"
#include "bench/transport/waiter.h"

enum { LINK_TRANSPORTS = 8 };

struct ring_link {
	const struct transport *transport;
	struct link *link; /* NULL: not made yet */
	uint64_t position; /* bytes posted so far */
};

struct ring_end { /* of one transport */
	const struct transport *transport;
	struct endpoint *endpoint; /* NULL: could not be opened */
	struct address *addresses; /* [ranks of the world] */
	bool used;                 /* some link is of this transport */
};

struct links {
	struct world *world;
	int n;
	struct waiter *waiter;
	int end_count;
	struct ring_end ends[LINK_TRANSPORTS];
	int *choice;                   /* [n] index of the end that serves this peer */
	struct ring_link *send, *recv; /* [n] */
	bool shared_memory; /* all pairs of the group are served by shared memory; the same on all its ranks
	                     */
};

/* Collective over the ranks of the world. The plan's transport is used by force, else each pair takes the
 * first of the table that both ends can use. A pair that has none: ST_UNSUPPORTED with the reasons. */
enum status links_open(struct world *, const struct plan *, struct waiter *, struct links *out);
/* Makes the links that a schedule names. Both ends of a pair come here with schedules that name it. */
enum status links_connect(struct links *, const struct schedule *);
/* Peers may read and write this memory; the same buffer again costs little. */
enum status links_register(struct links *, const struct buffer *);
void links_forget(struct links *, const struct buffer *);
/* One call of progress on each transport in use. */
enum status links_progress(struct links *);
uint64_t links_moved_bytes(const struct links *);
/* "shm", "shm+socket": of the links that a schedule names. */
void links_name(const struct links *, const struct schedule *, char *text, size_t text_bytes);
void links_close(struct links *);

/* How many cores the ranks of this rank's node may run on, all together. Collective over the world. */
enum status links_count_cores(struct world *, int *cores_p);

#endif
