/* transport.h - one directed link between two ranks, under the ring backend.
 *
 * A link is an ordered stream of bytes. The sender posts pieces of its memory, the receiver posts where
 * the next bytes go and, for a reduction, what they are combined with; progress moves as much as it can.
 * Pieces on both sides add up to the same stream but need not have the same boundaries.
 * The table's order is the preference; the choice for each pair is recorded in every row.
 */
#ifndef BENCH_TRANSPORT_TRANSPORT_H
#define BENCH_TRANSPORT_TRANSPORT_H

#include "bench/core/plan.h"
#include "bench/core/world.h"
#include "bench/memory/memory.h"

enum { TRANSPORT_ADDRESS_BYTES = 512 };

/* What a rank tells others so that they can reach it: opaque, fixed size, sent over the control channel. */
struct address {
	unsigned char opaque[TRANSPORT_ADDRESS_BYTES];
};

/* Where received bytes go: dst = bytes, or dst[i] = local[i] op bytes[i] when local is not NULL. */
struct landing {
	void *dst;
	const void *local;
	size_t bytes; /* a whole number of elements */
	enum dtype dtype;
	enum redop redop;
};

struct endpoint; /* a rank's end of all its links of one transport */
struct link;     /* one directed link */

struct transport {
	const char *name, *help;
	enum status (*probe)(const struct plan *, char *why, size_t why_bytes);
	enum status (*open)(struct world *, const struct plan *, struct endpoint **out, struct address *mine);
	/* May this pair use it? Pure, from both addresses and places. `why` says why not. */
	bool (*can_connect)(const struct world *, int rank, const struct address *, int peer,
	        const struct address *, char *why, size_t why_bytes);
	/* Memory that links will read from or write to: lets peers reach it without a copy. Collective over
	 * the node's ranks is not required; an endpoint that does not know a piece of memory still carries
	 * it, only slower. */
	enum status (*register_memory)(struct endpoint *, const struct buffer *);
	void (*forget_memory)(struct endpoint *, const struct buffer *);
	/* Both ends call theirs, in any order; returns once usable or ST_TIMEOUT. */
	enum status (*connect_send)(struct endpoint *, int peer, const struct address *, struct link **out);
	enum status (*connect_recv)(struct endpoint *, int peer, const struct address *, struct link **out);
	/* Posts; never blocks. The memory belongs to the link until the stream position behind it is
	 * complete. */
	enum status (*send)(struct link *, const void *src, size_t bytes);
	enum status (*recv)(struct link *, const struct landing *);
	/* Moves what can be moved without waiting. */
	enum status (*progress)(struct endpoint *);
	/* Bytes completed since the link was made: sent and reusable, or received and in place. */
	uint64_t (*completed)(const struct link *);
	/* Sleeping: the ring waits on all endpoints of a rank at once, see transport/waiter.h. */
	int (*wait_fd)(struct endpoint *);
	void (*disconnect)(struct link *);
	void (*close)(struct endpoint *);
};

#endif
