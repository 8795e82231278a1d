/* shm.c - links between ranks of one node, in one process or several.
 *
 * Copy once: the sender posts where its bytes are, the receiver maps that memory and reads it straight into
 * place, or into the reduction. What the two share is small: for each pair a ring of posts written by the
 * sender alone, and a count of bytes taken, written by the receiver alone; each on cache lines of its own. Up
 * to SHM_INLINE_BYTES travel inside the post.
 *
 * Every rank owns one memfd with its doorbell (waiter.h) and the posts of all ranks that send to it. Peers reach
 * it, and the pipe of its waiter, through /proc/PID/fd, so that a crash leaves nothing behind. */
#include "bench/core/types.h"
#include "bench/memory/memory.h"
#include "bench/registry.h"
#include "bench/transport/transport.h"
#include "bench/transport/waiter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	SHM_MAGIC = 0x53484d31,
	SHM_INLINE_BYTES = 40,
	SHM_POSTS = 128,   /* of a link that the receiver has not taken yet, at most */
	SHM_MEMORIES = 64, /* registered by a rank at a time */
	SHM_STEP_BYTES =
	        128 * 1024, /* between two looks at the other links, and between two reports to the sender */
};

struct post { /* one cache line */
	uint64_t bytes;
	uint32_t memory; /* index into the sender's memories; INLINE: the bytes are here */
	uint32_t generation;
	union {
		uint64_t offset;
		unsigned char here[SHM_INLINE_BYTES];
	};
};

enum { INLINE = UINT32_MAX };

struct channel {                                  /* from one rank of the node to the owner of the region */
	_Alignas(64) atomic_uint_fast64_t posted; /* posts ever made; by the sender */
	_Alignas(64) atomic_uint_fast64_t taken;  /* posts finished; by the receiver */
	atomic_uint_fast64_t taken_bytes;
	_Alignas(64) struct post post[SHM_POSTS];
};

struct memory {                 /* a buffer that peers may map */
	atomic_uint generation; /* odd while it is valid */
	int fd;
	uint64_t base, bytes; /* where the owner has it */
};

struct region {
	struct doorbell door;
	_Alignas(64) atomic_uint closed;
	struct memory memory[SHM_MEMORIES];
	_Alignas(64) struct channel from[]; /* [ranks of the node] */
};

struct shm_address { /* inside struct address */
	uint32_t magic;
	pid_t pid;
	int region_fd, pipe_fd;
	uint64_t region; /* where the owner has it: for threads of the same process */
	uint64_t region_bytes;
};

struct mapping {
	unsigned char *base;
	size_t bytes;
	unsigned generation;
};

struct neighbour { /* another rank of the node, as far as it was needed */
	struct shm_address address;
	struct region *region;
	struct bell bell;
	struct mapping mapped[SHM_MEMORIES];
};

struct link {
	struct endpoint *endpoint;
	struct neighbour *peer;
	int peer_rank;
	bool sends;
	struct channel *channel;
	uint64_t end, copied_to; /* of the stream: posted; up to here nothing of ours is read any more, as it
	                            travelled inline */
	struct landing *landing; /* receiver: ring of what was posted, a power of two */
	size_t first, count, capacity;
	uint64_t completed, done_bytes; /* receiver: of the stream; of the post being taken */
};

struct endpoint {
	struct world *world;
	struct region *region;
	size_t region_bytes;
	int region_fd;
	struct waiter *waiter;
	const struct memory_kind *memory;
	struct neighbour *neighbour; /* [ranks] */
	struct link **links;
	int link_count, link_room;
};

static enum status probe(const struct plan *plan, char *why, size_t why_bytes)
{
	(void)plan;
	int fd = memfd_create("busbar-probe", MFD_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		return ST_OK;
	}
	snprintf(why, why_bytes, "memfd_create: %s", strerror(errno));
	return ST_UNSUPPORTED;
}

static const struct shm_address *decode(const struct address *a)
{
	const struct shm_address *s = (const void *)a->opaque;
	return s->magic == SHM_MAGIC ? s : NULL;
}

static int open_of(pid_t pid, int fd, int flags)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
	return open(path, flags | O_CLOEXEC);
}

static bool can_connect(const struct world *w, int rank, const struct address *mine, int peer,
        const struct address *theirs, char *why, size_t why_bytes)
{
	const struct shm_address *s = decode(theirs);
	if (!decode(mine) || !s || w->places[rank].machine != w->places[peer].machine) {
		snprintf(why, why_bytes, "'%s' and '%s' are different nodes", w->places[rank].host,
		        w->places[peer].host);
		return false;
	}
	int fd = s->pid == getpid() ? -1 : open_of(s->pid, s->region_fd, O_RDWR);
	if (fd < 0 && s->pid != getpid()) {
		snprintf(why, why_bytes, "memory of process %d cannot be mapped: %s", (int)s->pid,
		        strerror(errno));
		return false;
	}
	if (fd >= 0)
		close(fd);
	return true;
}

static enum status open_endpoint(struct world *w, const struct plan *plan, struct waiter *waiter,
        struct endpoint **out, struct address *mine)
{
	(void)plan;
	struct endpoint *e = calloc(1, sizeof *e);
	if (!e)
		return fail(ST_NOMEM, "no memory for the shm transport");
	*out = e;
	e->world = w;
	e->waiter = waiter;
	e->neighbour = calloc((size_t)w->ranks, sizeof *e->neighbour);
	e->memory = memory_kind_find("host");
	e->region_bytes = sizeof *e->region + (size_t)w->local_ranks * sizeof(struct channel);
	e->region_fd = memfd_create("busbar-shm", MFD_CLOEXEC);
	if (!e->neighbour || e->region_fd < 0 || ftruncate(e->region_fd, (off_t)e->region_bytes))
		return fail(
		        ST_SYSTEM, "cannot make the shared memory of the shm transport: %s", strerror(errno));
	e->region = mmap(NULL, e->region_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, e->region_fd, 0);
	if (e->region == MAP_FAILED) {
		e->region = NULL;
		return fail(
		        ST_NOMEM, "cannot map the shared memory of the shm transport: %s", strerror(errno));
	}
	waiter_hang(waiter, &e->region->door);
	const struct shm_address a = {SHM_MAGIC, getpid(), e->region_fd, waiter_pipe_fd(waiter),
	        (uintptr_t)e->region, e->region_bytes};
	_Static_assert(sizeof a <= sizeof mine->opaque, "fits an address");
	memcpy(mine->opaque, &a, sizeof a);
	return ST_OK;
}

/* --- memory
 * -------------------------------------------------------------------------------------------------------------------
 */

static struct memory *memory_holding(struct endpoint *e, const void *at, size_t bytes)
{
	for (int i = 0; i < SHM_MEMORIES; i++) {
		struct memory *m = &e->region->memory[i];
		if ((atomic_load_explicit(&m->generation, memory_order_relaxed) & 1) &&
		        (uintptr_t)at >= m->base && (uintptr_t)at + bytes <= m->base + m->bytes)
			return m;
	}
	return NULL;
}

static enum status register_memory(struct endpoint *e, const struct buffer *b)
{
	struct memory *m = memory_holding(e, b->base, b->bytes);
	if (m)
		return ST_OK;
	for (int i = 0; i < SHM_MEMORIES; i++) {
		m = &e->region->memory[i];
		if (atomic_load(&m->generation) & 1)
			continue;
		m->fd = b->share_fd;
		m->base = (uintptr_t)b->base;
		m->bytes = b->bytes;
		atomic_fetch_add(&m->generation, 1);
		return ST_OK;
	}
	return fail(ST_NOMEM, "more than %d buffers are in use by the shm transport", SHM_MEMORIES);
}

static void forget_memory(struct endpoint *e, const struct buffer *b)
{
	struct memory *m = memory_holding(e, b->base, b->bytes);
	if (m)
		atomic_fetch_add(&m->generation, 1);
}

/* Where this rank sees the bytes of a post. */
static enum status locate(struct link *l, const struct post *p, const unsigned char **out)
{
	struct neighbour *n = l->peer;
	const struct memory *m = &n->region->memory[p->memory];
	if (n->address.pid == getpid()) {
		*out = (const unsigned char *)(uintptr_t)m->base + p->offset;
		return ST_OK;
	}
	struct mapping *map = &n->mapped[p->memory];
	if (!map->base || map->generation != p->generation) {
		if (map->base)
			munmap(map->base, map->bytes);
		map->base = NULL;
		int fd = open_of(n->address.pid, m->fd, O_RDONLY);
		void *base = fd < 0 ? MAP_FAILED
		                    : mmap(NULL, m->bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
		int error = errno;
		if (fd >= 0)
			close(fd);
		if (base == MAP_FAILED)
			return fail(ST_PEER, "cannot map the memory of rank %d: %s; it may have ended",
			        l->peer_rank, strerror(error));
		*map = (struct mapping){base, m->bytes, p->generation};
	}
	*out = map->base + p->offset;
	return ST_OK;
}

/* --- links
 * --------------------------------------------------------------------------------------------------------------------
 */

static enum status meet(struct endpoint *e, int rank, const struct address *address, struct neighbour **out)
{
	struct neighbour *n = *out = &e->neighbour[rank];
	if (n->region)
		return ST_OK;
	n->address = *decode(address);
	if (n->address.pid == getpid()) {
		n->region = (struct region *)(uintptr_t)n->address.region;
		n->bell = (struct bell){&n->region->door, n->address.pipe_fd};
		return ST_OK;
	}
	int fd = open_of(n->address.pid, n->address.region_fd, O_RDWR);
	int pipe_fd = open_of(n->address.pid, n->address.pipe_fd, O_WRONLY | O_NONBLOCK);
	void *base = fd < 0 ? MAP_FAILED
	                    : mmap(NULL, n->address.region_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	int error = errno;
	if (fd >= 0)
		close(fd);
	if (base == MAP_FAILED || pipe_fd < 0)
		return fail(ST_PEER, "cannot reach the memory of rank %d (process %d): %s", rank,
		        (int)n->address.pid, strerror(error));
	n->region = base;
	n->bell = (struct bell){&n->region->door, pipe_fd};
	return ST_OK;
}

static enum status make_link(
        struct endpoint *e, int peer, const struct address *address, bool sends, struct link **out)
{
	struct neighbour *n;
	enum status s = meet(e, peer, address, &n);
	if (s != ST_OK)
		return s;
	struct link *l = calloc(1, sizeof *l);
	struct link **grown = l ? realloc(e->links, (size_t)(e->link_count + 1) * sizeof *grown) : NULL;
	if (!grown) {
		free(l);
		return fail(ST_NOMEM, "no memory for a link to rank %d", peer);
	}
	e->links = grown;
	*l = (struct link){
	        .endpoint = e,
	        .peer = n,
	        .peer_rank = peer,
	        .sends = sends,
	        .channel = sends ? &n->region->from[e->world->local_rank]
	                         : &e->region->from[e->world->places[peer].local_rank],
	};
	e->links[e->link_count++] = *out = l;
	return ST_OK;
}

static enum status connect_send(struct endpoint *e, int peer, const struct address *a, struct link **out)
{
	return make_link(e, peer, a, true, out);
}

static enum status connect_recv(struct endpoint *e, int peer, const struct address *a, struct link **out)
{
	return make_link(e, peer, a, false, out);
}

static enum status send_bytes(struct link *l, const void *src, size_t bytes)
{
	struct channel *c = l->channel;
	uint64_t posted = atomic_load_explicit(&c->posted, memory_order_relaxed);
	if (posted - atomic_load_explicit(&c->taken, memory_order_acquire) >= SHM_POSTS)
		return fail(ST_SYSTEM, "more than %d pieces are on their way to rank %d", SHM_POSTS,
		        l->peer_rank);
	struct post *p = &c->post[posted % SHM_POSTS];
	p->bytes = bytes;
	if (bytes <= SHM_INLINE_BYTES) {
		p->memory = INLINE;
		memcpy(p->here, src, bytes);
		/* Done at once, unless so many wait to be taken that the ring of posts could overflow. */
		bool all_done = atomic_load_explicit(&c->taken_bytes, memory_order_acquire) == l->end ||
		                l->copied_to == l->end;
		if (all_done &&
		        posted - atomic_load_explicit(&c->taken, memory_order_relaxed) < SHM_POSTS / 2)
			l->copied_to = l->end + bytes;
	} else {
		struct memory *m = memory_holding(l->endpoint, src, bytes);
		if (!m)
			return fail(ST_SYSTEM, "%zu bytes for rank %d lie in memory that was not registered",
			        bytes, l->peer_rank);
		p->memory = (uint32_t)(m - l->endpoint->region->memory);
		p->generation = atomic_load_explicit(&m->generation, memory_order_relaxed);
		p->offset = (uintptr_t)src - m->base;
	}
	l->end += bytes;
	atomic_store_explicit(&c->posted, posted + 1, memory_order_release);
	bell_ring(&l->peer->bell);
	return ST_OK;
}

static enum status recv_bytes(struct link *l, const struct landing *landing)
{
	if (l->count == l->capacity) {
		size_t capacity = l->capacity ? l->capacity * 2 : 64;
		struct landing *grown = malloc(capacity * sizeof *grown);
		if (!grown)
			return fail(ST_NOMEM, "no memory for %zu receives", capacity);
		for (size_t i = 0; i < l->count; i++)
			grown[i] = l->landing[(l->first + i) & (l->capacity - 1)];
		free(l->landing);
		l->landing = grown;
		l->first = 0;
		l->capacity = capacity;
	}
	l->landing[(l->first + l->count++) & (l->capacity - 1)] = *landing;
	l->end += landing->bytes;
	return ST_OK;
}

/* Bytes into place, at most so many; the landing moves on. */
static enum status land(struct endpoint *e, struct landing *to, const unsigned char *from, size_t bytes)
{
	enum status s = ST_OK;
	if (to->local) {
		size_t elem_bytes = dtype_bytes(to->dtype);
		s = e->memory->reduce(to->dst, to->local, from, bytes / elem_bytes, to->dtype, to->redop);
		to->local = (const char *)to->local + bytes;
	} else {
		memcpy(to->dst, from, bytes);
	}
	to->dst = (char *)to->dst + bytes;
	to->bytes -= bytes;
	return s;
}

/* Takes one step's worth of bytes off the link if there are any. */
static enum status take_some(struct link *l)
{
	struct channel *c = l->channel;
	uint64_t taken = atomic_load_explicit(&c->taken, memory_order_relaxed);
	if (!l->count || atomic_load_explicit(&c->posted, memory_order_acquire) == taken)
		return ST_OK;
	struct post *p = &c->post[taken % SHM_POSTS];
	struct landing *to = &l->landing[l->first];
	const unsigned char *from = p->here;
	if (p->memory != INLINE) {
		enum status s = locate(l, p, &from);
		if (s != ST_OK)
			return s;
	}
	size_t bytes = p->bytes - l->done_bytes < to->bytes ? (size_t)(p->bytes - l->done_bytes) : to->bytes;
	bytes = bytes < SHM_STEP_BYTES ? bytes : SHM_STEP_BYTES;
	enum status s = land(l->endpoint, to, from + l->done_bytes, bytes);
	if (s != ST_OK)
		return s;
	l->done_bytes += bytes;
	l->completed += bytes;
	if (!to->bytes) {
		l->first = (l->first + 1) & (l->capacity - 1);
		l->count--;
	}
	if (l->done_bytes == p->bytes) {
		l->done_bytes = 0;
		atomic_store_explicit(&c->taken_bytes, l->completed, memory_order_release);
		atomic_store_explicit(&c->taken, taken + 1, memory_order_release);
		bell_ring(&l->peer->bell);
	}
	return ST_OK;
}

static enum status check_peer(const struct link *l)
{
	if (!l->count || !atomic_load_explicit(&l->peer->region->closed, memory_order_acquire) ||
	        atomic_load(&l->channel->posted) != atomic_load(&l->channel->taken))
		return ST_OK;
	return fail(ST_PEER, "rank %d closed its links while data was still to come", l->peer_rank);
}

/* One step of each link: what completes lets the caller post more, so it gets the word after each round. */
static enum status progress(struct endpoint *e)
{
	for (int i = 0; i < e->link_count; i++) {
		struct link *l = e->links[i];
		enum status s = l->sends ? ST_OK : take_some(l);
		if (s == ST_OK && !l->sends)
			s = check_peer(l);
		if (s != ST_OK)
			return s;
	}
	return ST_OK;
}

static uint64_t completed(const struct link *l)
{
	if (!l->sends)
		return l->completed;
	uint64_t taken = atomic_load_explicit(&l->channel->taken_bytes, memory_order_acquire);
	return taken > l->copied_to ? taken : l->copied_to;
}

static void disconnect(struct link *l)
{
	struct endpoint *e = l->endpoint;
	for (int i = 0; i < e->link_count; i++)
		if (e->links[i] == l)
			e->links[i] = e->links[--e->link_count];
	atomic_store(&e->region->closed, 1);
	if (l->peer->region)
		bell_ring(&l->peer->bell);
	free(l->landing);
	free(l);
}

static void close_endpoint(struct endpoint *e)
{
	while (e->link_count)
		disconnect(e->links[0]);
	for (int i = 0; e->neighbour && i < e->world->ranks; i++) {
		struct neighbour *n = &e->neighbour[i];
		for (int m = 0; m < SHM_MEMORIES; m++)
			if (n->mapped[m].base)
				munmap(n->mapped[m].base, n->mapped[m].bytes);
		if (!n->region || n->address.pid == getpid())
			continue;
		munmap(n->region, n->address.region_bytes);
		close(n->bell.pipe_fd);
	}
	waiter_hang(e->waiter, NULL);
	if (e->region)
		munmap(e->region, e->region_bytes);
	if (e->region_fd >= 0)
		close(e->region_fd);
	free(e->neighbour);
	free(e->links);
	free(e);
}

extern const struct transport transport_shm;
const struct transport transport_shm = {
        .name = "shm",
        .help = "memory shared between the ranks of a node, copied once",
        .probe = probe,
        .open = open_endpoint,
        .can_connect = can_connect,
        .register_memory = register_memory,
        .forget_memory = forget_memory,
        .connect_send = connect_send,
        .connect_recv = connect_recv,
        .send = send_bytes,
        .recv = recv_bytes,
        .progress = progress,
        .completed = completed,
        .disconnect = disconnect,
        .close = close_endpoint,
};
