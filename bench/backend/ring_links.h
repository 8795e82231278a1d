/* ring_links.h - the ring backend's links: which transport connects each pair of ranks, made when a schedule
 * first needs them, and the one place where a rank sleeps on all of them. */
#ifndef BENCH_BACKEND_RING_LINKS_H
#define BENCH_BACKEND_RING_LINKS_H

#include "bench/backend/backend.h"
#include "bench/transport/transport.h"

struct ring_link {
	struct link *link; /* NULL until it is needed */
	const struct transport *transport;
	uint64_t posted; /* bytes of its stream */
};

struct ring_links;

/* Collective over all ranks. Opens what the plan's --transport allows; ST_UNSUPPORTED when nothing can be
 * used. */
enum status ring_links_open(struct world *, const struct plan *, struct ring_links **out);
void ring_links_close(struct ring_links *);

/* The link to (sends) or from a group rank. Both ends must come to ask for it. */
enum status ring_links_get(struct ring_links *, int peer, bool sends, struct ring_link **out);

enum status ring_links_register(struct ring_links *, const struct buffer *);
void ring_links_forget(struct ring_links *, const struct buffer *);

/* Moves what can be moved. */
enum status ring_links_progress(struct ring_links *);
/* Where the rank sleeps while no link moves. */
struct waiter *ring_links_waiter(struct ring_links *);

/* Names of the transports whose links carried data, "shm+socket". */
void ring_links_seen(const struct ring_links *, char *text, size_t text_bytes);

#endif
