/* transport.h - one directed link between two ranks, under the ring backend.
 *
 * A link is an ordered stream of bytes. The sender posts pieces of its memory, the receiver posts where
 * the next bytes go and, for a reduction, what they are combined with; progress moves as much as it can.
 * Pieces on both sides add up to the same stream but need not have the same boundaries; each is a whole
 * number of elements. The table's order is the preference; the choice for each pair is recorded in every row.
 *
 * All calls on an endpoint are made by the thread that opened it. Only connect_* may wait; everything else
 * returns at once, and whoever has nothing left to do sleeps in the waiter (waiter.h) that open() was given:
 * a transport makes sure that the waiter wakes up whenever progress() could move something.
 */
#ifndef BENCH_TRANSPORT_TRANSPORT_H
#define BENCH_TRANSPORT_TRANSPORT_H

#include "bench/core/plan.h"
#include "bench/core/world.h"
#include "bench/memory/memory.h"

enum {
	TRANSPORT_ADDRESS_BYTES = 512,
	TRANSPORT_WINDOW =
	        64, /* pieces that the user of a link has posted and not yet seen completed, at most */
};

/* What a rank tells others so that they can reach it: opaque, fixed size, sent over the control channel. */
struct address {
	_Alignas(8) unsigned char opaque[TRANSPORT_ADDRESS_BYTES];
};

/* Where received bytes go: dst = bytes, or dst[i] = local[i] op bytes[i] when local is not NULL (dst may be
 * local). op is one that the memory kind's reduce() knows. */
struct landing {
	void *dst;
	const void *local;
	size_t bytes; /* a whole number of elements */
	enum dtype dtype;
	enum redop redop;
	bool through; /* nobody reads dst soon: it may be written past the caches */
};

struct waiter;   /* where the rank sleeps */
struct endpoint; /* a rank's end of all its links of one transport */
struct link;     /* one directed link */

struct transport {
	const char *name, *help;
	/* Pairs do not compete for a wire: all of them at once are as good as neighbours on a ring. */
	bool shared_memory;
	enum status (*probe)(const struct plan *, char *why, size_t why_bytes);
	/* The waiter outlives the endpoint. */
	enum status (*open)(struct world *, const struct plan *, struct waiter *, struct endpoint **out,
	        struct address *mine);
	/* May this pair use it, as far as `rank` can tell from here and now? `why` says why not. Asked on
	 * both sides: a pair uses a transport when both say yes. */
	bool (*can_connect)(const struct world *, int rank, const struct address *, int peer,
	        const struct address *, char *why, size_t why_bytes);
	/* Memory that links will read from or write to: lets peers reach it without a copy. Registering the
	 * same buffer again changes nothing. Memory that was not registered is still carried, only slower. */
	enum status (*register_memory)(struct endpoint *, const struct buffer *);
	void (*forget_memory)(struct endpoint *, const struct buffer *);
	/* Both ends call theirs, in any order; returns once usable or ST_TIMEOUT. At most one link a
	 * direction and peer. */
	enum status (*connect_send)(struct endpoint *, int peer, const struct address *, struct link **out);
	enum status (*connect_recv)(struct endpoint *, int peer, const struct address *, struct link **out);
	/* Posts; never blocks. The memory belongs to the link until the stream position behind it is
	 * complete. bytes 0 posts nothing. */
	enum status (*send)(struct link *, const void *src, size_t bytes);
	enum status (*recv)(struct link *, const struct landing *);
	/* Moves what can be moved without waiting. Returns as soon as some link's completed() has grown, so
	 * that the next pieces can be posted, and otherwise only when nothing more can move: after a call
	 * without growth the caller may arm the waiter, call once more, and sleep. ST_PEER when a peer went
	 * away. */
	enum status (*progress)(struct endpoint *);
	/* Bytes completed since the link was made: sent and reusable, or received and in place. */
	uint64_t (*completed)(const struct link *);
	void (*disconnect)(struct link *);
	/* Never waits for a peer; peers that still need something find ST_PEER. Frees the links too. */
	void (*close)(struct endpoint *);
};

#endif
