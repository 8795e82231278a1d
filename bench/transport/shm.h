/* shm.h - private to the shm transport: what the ranks of a node share, and the ends of their links.
 *
 * Each endpoint owns a segment (a memfd, so that nothing is left behind): its doorbell, the table of the
 * memory that it registered, and an inbox for every other rank of the node. A sender writes descriptors into
 * the receiver's inbox; the receiver reads the sender's memory itself, straight into the reduction: data are
 * copied once. Few bytes, and memory that peers cannot map, travel in the inbox instead.
 *
 * Ranks of one process use each other's pointers. Others map what they need through /proc/PID/fd/N.
 *
 * shm.c          the transport's table; segments, addresses, peers
 * shm_send.c     the sender's end of a link
 * shm_receive.c  the receiver's end, and the peer's memory
 */
#ifndef BENCH_TRANSPORT_SHM_H
#define BENCH_TRANSPORT_SHM_H

#include "bench/transport/transport.h"
#include "bench/transport/waiter.h"

enum {
	SHM_SLOTS = 128,            /* descriptors of an inbox */
	SHM_INLINE_BYTES = 40,      /* that a descriptor holds itself */
	SHM_SMALL_BYTES = 4096,     /* up to here a copy through the inbox beats an answer from the peer */
	SHM_RING_BYTES = 64 * 1024, /* of an inbox, for what is copied through it */
	SHM_REGIONS = 32,           /* registered buffers of an endpoint */
};

/* The last two are read where they are. */
enum shm_kind { SHM_INLINE, SHM_RING, SHM_POINTER, SHM_REGION };

/* One cache line. turn is written last: slot i of the stream is there when turn is i + 1. */
struct shm_slot {
	_Alignas(64) _Atomic uint64_t turn;
	uint32_t bytes;
	uint16_t kind;   /* enum shm_kind */
	uint16_t region; /* index in the sender's table */
	union {
		struct {
			uint64_t where;      /* pointer, or offset in the ring or region */
			uint64_t generation; /* of the region */
		};
		unsigned char inline_data[SHM_INLINE_BYTES];
	};
};

struct shm_inbox {
	_Alignas(64) _Atomic uint64_t consumed; /* bytes that the receiver is done with */
	_Alignas(64) struct shm_slot slots[SHM_SLOTS];
	_Alignas(64) unsigned char ring[SHM_RING_BYTES];
};

struct shm_region {
	uint64_t generation; /* another buffer, another number; 0: none */
	uint64_t bytes;
	int fd; /* in the owner's process */
};

/* Whose a segment is: read before it is mapped. */
struct shm_owner {
	uint64_t run;
	int64_t rank;
};

/* Zeroed memory is a valid segment but for its owner. */
struct shm_segment {
	struct shm_owner owner;
	_Alignas(64) struct doorbell door;
	_Alignas(64) _Atomic uint32_t closed;
	_Alignas(64) struct shm_region regions[SHM_REGIONS];
	_Alignas(64) struct shm_inbox inboxes[]; /* for each rank of the node */
};

/* Another rank of the node. */
struct shm_peer {
	struct shm_segment *segment;
	size_t segment_bytes; /* mapped here */
	bool same_process;    /* its pointers are ours */
	struct bell bell;
	int pid_fd; /* becomes readable when the process ends; -1: same process */
	pid_t pid;
	struct {
		uint64_t generation;
		unsigned char *base;
		size_t bytes;
	} mapped[SHM_REGIONS]; /* the peer's regions, here */
};

struct link {
	struct endpoint *endpoint;
	struct link *next;
	int peer;
	bool sends;
	struct shm_peer *at;
	struct shm_inbox *inbox;
	uint64_t completed; /* bytes */
	uint64_t posted;    /* bytes */
	uint64_t turn;      /* descriptors written or read */
	size_t moved;       /* bytes of the oldest piece that are described (sender) or in place (receiver) */
	size_t used;        /* receiver: bytes of the current descriptor */
	uint64_t first, count; /* pieces posted and not yet done with: [first, first + count) */
	struct landing pieces[TRANSPORT_WINDOW]; /* sender: local is the source */

	/* sender */
	uint64_t described;          /* bytes */
	uint64_t consumed;           /* bytes that the receiver was done with when we last looked */
	uint64_t lent;               /* end of the last piece that the receiver reads from our memory */
	uint64_t ring_at, ring_free; /* bytes written to the ring, and up to where it is free again */
	uint64_t reclaimed;          /* descriptors */
	uint64_t slot_end[SHM_SLOTS], slot_ring[SHM_SLOTS]; /* stream and ring positions behind each */
};

struct shm_registered {
	struct buffer buffer;
	uint64_t inode; /* of share_fd: tells buffers apart that came to lie at the same place */
};

struct endpoint {
	struct world *world;
	struct waiter *waiter;
	struct shm_segment *segment;
	size_t segment_bytes;
	int segment_fd;
	struct shm_peer *peers; /* [ranks of the node], by local rank */
	struct link *links;
	const struct memory_kind *memory; /* that copies and reduces */
	struct shm_registered registered[SHM_REGIONS];
	uint64_t generation;
	int64_t looked_ns; /* when peers were last seen alive */
	unsigned idle;     /* calls of progress that found nothing to do */
};

enum status shm_send(struct link *, const void *src, size_t bytes);
enum status shm_recv(struct link *, const struct landing *);
/* True: the link's completed bytes have grown. */
bool shm_send_more(struct link *);
enum status shm_receive_one(struct link *, bool *grew_p);
/* Unmaps a peer's regions. */
void shm_forget_peer(struct shm_peer *);
/* Opens descriptor fd of a process once more; -1 with errno. */
int shm_open_remote(pid_t pid, int fd, int flags);

static inline struct landing *shm_piece(struct link *l, uint64_t i)
{
	return &l->pieces[i % TRANSPORT_WINDOW];
}

#endif
