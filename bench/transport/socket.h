/* socket.h - private to the socket transport: an endpoint, its links, and the TCP streams that carry them.
 *
 * A link is carried by one or more streams (TCP connections), several a rail. The sender cuts what was posted
 * into fragments and gives the next one to whichever stream has room, so a slow rail carries less and holds
 * nobody up. A fragment is a header (where in the link's stream of bytes, how long) and its bytes. A
 * connection carries data one way only.
 *
 * socket.c            the transport's table; an endpoint opens and closes
 * socket_link.c       a link: connected, posted to, disconnected
 * socket_progress.c   the event loop: what is ready, what moves
 * socket_send.c       fragments out
 * socket_pace.c       how much waits in each rail, so that a slow one holds nobody up
 * socket_receive.c    fragments in, reduction fused
 * socket_handshake.c  connections come up: listening, dialling, the proof of the run's token
 * socket_explain.c    what a failed call means for the person who reads it
 */
#ifndef BENCH_TRANSPORT_SOCKET_H
#define BENCH_TRANSPORT_SOCKET_H

#include "bench/transport/rail.h"
#include "bench/transport/siphash.h"
#include "bench/transport/transport.h"

#include <netinet/in.h>

enum {
	SOCKET_STREAMS = 64,                /* of a link, at most */
	SOCKET_FRAGMENT_BYTES = 128 * 1024, /* at most */
	SOCKET_FRAGMENT_LEAST_BYTES = 16 * 1024,
	SOCKET_FRAGMENT_STEP_BYTES = 4096, /* a multiple of every element's size */
	SOCKET_STAGE_BYTES = 256 * 1024,   /* received bytes on their way into a reduction: stays in L2 */
	SOCKET_SMALL_BYTES = 4096,         /* read along with a header, so that a small message is one call */
	SOCKET_PACE_BYTES = 256 * 1024,
	SOCKET_EVENTS = 64,
};

/* What an epoll event points at: the first member of each of them. */
enum watched { WATCHED_LISTENER, WATCHED_HANDSHAKE, WATCHED_STREAM };

/* Same byte order on all hosts of a run, as the data has. */
struct fragment {
	uint64_t position; /* in the link's stream */
	uint64_t bytes;
};

struct stream {
	enum watched watched;
	int fd;
	struct link *link;
	bool ready;               /* the kernel may have room or data; cleared by EAGAIN, set by an event */
	struct fragment fragment; /* in progress */
	struct fragment next;     /* receiver: as far as its header came in */
	size_t header_moved;      /* bytes of a header that went out or came in */
	uint64_t moved;           /* bytes of the payload likewise */
	const unsigned char *src; /* sender: the fragment's payload */
	uint64_t unpaced;         /* sender: bytes since the rail's limits were set */
	uint64_t acked, busy_us;  /* sender: as last seen */
	uint64_t held;            /* sender: what it delivers in a while, smoothed */
	bool limited;             /* sender: holds no more than socket_pace() said */
	unsigned char carry[8];   /* receiver: the beginning of an element whose end is still to come */
	size_t carried;
	unsigned char *ahead; /* receiver: read along with a header [SOCKET_SMALL_BYTES] */
	size_t ahead_at, ahead_end;
	char mine[INTERFACE_NAME_BYTES], theirs[INTERFACE_NAME_BYTES];
};

/* A piece of memory that was posted, and the range of the stream that it is. */
struct posted {
	uint64_t position;
	struct landing landing; /* sender: local is the source, bytes the length */
	uint64_t arrived;       /* receiver: bytes of it that are in place */
};

struct link {
	struct endpoint *endpoint;
	int peer;
	bool sends;
	uint64_t end; /* of what was posted */
	uint64_t cut; /* sender: up to here given to streams */
	uint64_t completed;
	struct posted *queue; /* ring, a power of two of them */
	size_t first, count, capacity;
	int streams, turn;
	bool paced; /* over several rails */
	struct stream *stream;
};

/* What stands inside a struct address. */
struct listening {
	uint32_t magic, count;
	struct rail rails[RAILS];
};

_Static_assert(sizeof(struct listening) <= sizeof(struct address), "all rails fit an address");

struct handshake;

struct endpoint {
	struct world *world;
	int epoll;
	double patience_s; /* for a peer that does not answer while connecting */
	double deadline_s; /* for a link on which nothing is acknowledged */
	int streams_per_rail;
	struct listening listening; /* what this rank tells its peers */
	struct listener {
		enum watched watched;
		int fd;
		struct endpoint *endpoint;
		int rail;
	} listeners[RAILS];
	struct handshake *handshakes; /* in progress, or done and not yet collected by a link */
	unsigned strangers;           /* connections that did not prove the token */
	int link_count, link_capacity;
	struct link **links;
	uint32_t *dialled, *answered; /* [ranks] links made with each peer: numbers them */
	unsigned char *stage;
	const struct memory_kind *memory; /* that reduces */
	enum status broken;
};

const struct listening *socket_listening(const struct address *);
/* How rank and peer may be connected; see rails_pair(). */
int socket_pairs(const struct world *, int rank, const struct listening *, int peer, const struct listening *,
        struct rail_pair pairs[RAILS]);

struct call {
	int peer;
	uint32_t number;  /* of the link to that peer */
	int index, count; /* of its streams */
	const struct rail *mine, *theirs;
	bool routed; /* no network in common */
};

/* --- connections ------------------------------------------------------------------------------------------
 */

/* Starts dialling a stream; socket_collect() tells how it went. */
enum status socket_dial(struct endpoint *, const struct call *);
/* Works on all connections that are coming up, sleeping until something happens but not past until_ns. */
enum status socket_shake(struct endpoint *, int64_t until_ns);
void socket_accept(struct listener *);
/* An event on one that is coming up. */
void socket_shake_one(struct endpoint *, struct handshake *);
/* Drops those whose time is up. */
void socket_expire(struct endpoint *, int64_t now_ns);
/* Hands over the streams of a link (file descriptors and interface names) once all are proven: their number,
 * 0 while some are missing, negative when one failed (its sentence was said). */
int socket_collect(
        struct endpoint *, int peer, bool dialled, uint32_t number, struct stream streams[SOCKET_STREAMS]);
/* Ends all that are still coming up. */
void socket_drop_handshakes(struct endpoint *);

/* --- data -------------------------------------------------------------------------------------------------
 */

/* One system call's worth of work on a ready stream. *moved_p: whether anything went through. */
enum status socket_send_some(struct stream *, bool *moved_p);
enum status socket_receive_some(struct stream *, bool *moved_p);
enum status socket_progress(struct endpoint *);
/* Sets how much the stream may hold, again after each SOCKET_PACE_BYTES. */
void socket_pace(struct stream *);
struct posted *link_posted(
        const struct link *, uint64_t position); /* the piece that holds it; NULL: none yet */
void link_pop(struct link *);

/* --- the table's entries for links, see transport.h --------------------------------------------------------
 */

enum status link_connect_send(struct endpoint *, int peer, const struct address *, struct link **out);
enum status link_connect_recv(struct endpoint *, int peer, const struct address *, struct link **out);
enum status link_send(struct link *, const void *src, size_t bytes);
enum status link_recv(struct link *, const struct landing *);
uint64_t link_completed(const struct link *);
void link_disconnect(struct link *);

/* --- sentences --------------------------------------------------------------------------------------------
 */

enum status explain_listen(const struct endpoint *, const struct rail *, int error);
/* Dialling failed with this errno. */
enum status explain_dial(
        const struct endpoint *, int peer, const struct rail *mine, const struct rail *theirs, int error);
/* An established stream failed with this errno (0: the peer closed it). */
enum status explain_stream(const struct stream *, int error);
/* Nothing came of peer's connections within the time. */
enum status explain_silence(const struct endpoint *, int peer);

/* A sockaddr for a rail; its length. */
socklen_t rail_sockaddr(const struct rail *, uint16_t port, struct sockaddr_storage *out);

#endif
