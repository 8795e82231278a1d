/* shm.c - the shm transport's table: segments, addresses, peers. The parts are listed in shm.h. */
#include "bench/transport/shm.h"

#include "bench/core/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Are peers alive? Not at every idle moment, and not more often than that. */
enum { LOOK_EVERY = 16 };
static const int64_t look_every_ns = 250000000;

/* What stands inside a struct address. */
struct location {
	struct shm_owner owner;
	uint64_t segment_bytes;
	pid_t pid;
	int segment_fd, pipe_fd;
};

_Static_assert(sizeof(struct location) <= sizeof(struct address), "a location fits an address");

static enum status probe(const struct plan *plan, char *why, size_t why_bytes)
{
	(void)plan, (void)why, (void)why_bytes;
	return ST_OK;
}

int shm_open_remote(pid_t pid, int fd, int flags)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
	return open(path, flags | O_CLOEXEC);
}

/* --- opening and closing --- */

static void drop_peer(struct shm_peer *p)
{
	if (!p->segment)
		return;
	shm_forget_peer(p);
	munmap(p->segment, p->segment_bytes);
	if (p->bell.pipe_fd >= 0)
		close(p->bell.pipe_fd);
	if (p->pid_fd >= 0)
		close(p->pid_fd);
}

/* Peers that still wait for us wake up and find the segment closed. */
static void say_farewell(struct endpoint *e)
{
	atomic_store(&e->segment->closed, 1);
	for (int i = 0; i < e->world->local_ranks; i++)
		if (e->peers[i].segment)
			bell_ring(&e->peers[i].bell);
}

static void close_endpoint(struct endpoint *e)
{
	if (e->segment)
		say_farewell(e);
	while (e->links) {
		struct link *next = e->links->next;
		free(e->links);
		e->links = next;
	}
	for (int i = 0; e->peers && i < e->world->local_ranks; i++)
		drop_peer(&e->peers[i]);
	free(e->peers);
	waiter_hang(e->waiter, NULL);
	if (e->segment)
		munmap(e->segment, e->segment_bytes);
	if (e->segment_fd >= 0)
		close(e->segment_fd);
	free(e);
}

static enum status make_segment(struct endpoint *e)
{
	const struct world *w = e->world;
	e->segment_bytes = sizeof *e->segment + (size_t)w->local_ranks * sizeof *e->segment->inboxes;
	e->segment_fd = memfd_create("busbar-shm", MFD_CLOEXEC);
	if (e->segment_fd < 0 || ftruncate(e->segment_fd, (off_t)e->segment_bytes))
		return fail(ST_SYSTEM, "cannot make shared memory: %s", strerror(errno));
	void *at = mmap(NULL, e->segment_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, e->segment_fd, 0);
	if (at == MAP_FAILED)
		return fail(ST_NOMEM, "cannot map shared memory: %s", strerror(errno));
	e->segment = at;
	e->segment->owner = (struct shm_owner){strtoull(w->run_id, NULL, 16), w->rank};
	return ST_OK;
}

static enum status open_endpoint(struct world *w, const struct plan *plan, struct waiter *waiter,
        struct endpoint **out, struct address *mine)
{
	(void)plan;
	struct endpoint *e = calloc(1, sizeof *e);
	if (!e)
		return fail(ST_NOMEM, "no memory for the links of rank %d", w->rank);
	e->world = w;
	e->waiter = waiter;
	e->segment_fd = -1;
	e->peers = calloc((size_t)w->local_ranks, sizeof *e->peers);
	enum status s =
	        e->peers ? make_segment(e) : fail(ST_NOMEM, "no memory for the peers of rank %d", w->rank);
	if (s != ST_OK) {
		close_endpoint(e);
		return s;
	}
	waiter_hang(waiter, &e->segment->door);
	struct location here = {
	        .owner = e->segment->owner,
	        .segment_bytes = e->segment_bytes,
	        .pid = getpid(),
	        .segment_fd = e->segment_fd,
	        .pipe_fd = waiter_pipe_fd(waiter),
	};
	memset(mine, 0, sizeof *mine);
	memcpy(mine->opaque, &here, sizeof here);
	*out = e;
	return ST_OK;
}

/* --- peers --- */

static struct location location_of(const struct address *address)
{
	struct location l;
	memcpy(&l, address->opaque, sizeof l);
	return l;
}

/* The peer's segment, checked to be the peer's: in another PID namespace the number may be somebody else's.
 */
static int open_segment(const struct location *there)
{
	struct shm_owner owner = {0};
	int fd = shm_open_remote(there->pid, there->segment_fd, O_RDWR);
	if (fd < 0)
		return -1;
	if (pread(fd, &owner, sizeof owner, 0) == (ssize_t)sizeof owner &&
	        !memcmp(&owner, &there->owner, sizeof owner))
		return fd;
	close(fd);
	errno = ESRCH;
	return -1;
}

static bool can_connect(const struct world *w, int rank, const struct address *mine, int peer,
        const struct address *theirs, char *why, size_t why_bytes)
{
	(void)mine;
	if (w->places[rank].machine != w->places[peer].machine) {
		snprintf(why, why_bytes, "'%s' and '%s' share no memory", w->places[rank].host,
		        w->places[peer].host);
		return false;
	}
	struct location there = location_of(theirs);
	int fd = open_segment(&there);
	if (fd < 0) {
		snprintf(why, why_bytes, "rank %d cannot open memory of rank %d through '/proc/%d/fd': %s",
		        rank, peer, (int)there.pid, strerror(errno));
		return false;
	}
	close(fd);
	return true;
}

static enum status meet(struct endpoint *e, int peer, const struct address *theirs, struct shm_peer **out)
{
	const struct location there = location_of(theirs);
	struct shm_peer *p = &e->peers[e->world->places[peer].local_rank];
	*out = p;
	if (p->segment)
		return ST_OK;
	int fd = open_segment(&there);
	if (fd < 0)
		return fail(ST_PEER, "rank %d cannot open memory of rank %d (pid %d): %s", e->world->rank,
		        peer, (int)there.pid, strerror(errno));
	void *at = mmap(NULL, there.segment_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (at == MAP_FAILED)
		return fail(ST_NOMEM, "cannot map memory of rank %d: %s", peer, strerror(errno));
	*p = (struct shm_peer){
	        .segment = at,
	        .segment_bytes = there.segment_bytes,
	        .same_process = there.pid == getpid(),
	        .pid = there.pid,
	        .pid_fd = -1,
	};
	p->bell = (struct bell){
	        &p->segment->door, shm_open_remote(there.pid, there.pipe_fd, O_WRONLY | O_NONBLOCK)};
	if (!p->same_process)
		p->pid_fd = (int)syscall(SYS_pidfd_open, there.pid, 0);
	return ST_OK;
}

static enum status make_link(
        struct endpoint *e, int peer, bool sends, const struct address *theirs, struct link **out)
{
	struct shm_peer *p;
	enum status s = meet(e, peer, theirs, &p);
	if (s != ST_OK)
		return s;
	struct link *l = aligned_alloc(64, (sizeof *l + 63) & ~(size_t)63);
	if (!l)
		return fail(ST_NOMEM, "no memory for the links of rank %d", e->world->rank);
	*l = (struct link){.endpoint = e, .next = e->links, .peer = peer, .sends = sends, .at = p};
	l->inbox = sends ? &p->segment->inboxes[e->world->local_rank]
	                 : &e->segment->inboxes[e->world->places[peer].local_rank];
	e->links = l;
	*out = l;
	return ST_OK;
}

static enum status connect_send(struct endpoint *e, int peer, const struct address *theirs, struct link **out)
{
	return make_link(e, peer, true, theirs, out);
}

static enum status connect_recv(struct endpoint *e, int peer, const struct address *theirs, struct link **out)
{
	return make_link(e, peer, false, theirs, out);
}

static void disconnect(struct link *l)
{
	struct link **at = &l->endpoint->links;
	while (*at != l)
		at = &(*at)->next;
	*at = l->next;
	free(l);
}

/* --- memory --- */

static uint64_t inode_of(const struct buffer *b)
{
	struct stat st;
	return b->share_fd >= 0 && !fstat(b->share_fd, &st) ? (uint64_t)st.st_ino : 0;
}

static bool overlaps(const struct buffer *a, const struct buffer *b)
{
	const char *x = a->base, *y = b->base;
	return x && x < y + b->bytes && y < x + a->bytes;
}

static void forget_memory(struct endpoint *e, const struct buffer *b)
{
	for (int i = 0; i < SHM_REGIONS; i++)
		if (overlaps(&e->registered[i].buffer, b))
			e->registered[i] = (struct shm_registered){0};
}

static enum status register_memory(struct endpoint *e, const struct buffer *b)
{
	uint64_t inode = inode_of(b);
	int at = -1;
	e->memory = b->kind;
	for (int i = 0; i < SHM_REGIONS; i++)
		if (e->registered[i].buffer.base == b->base && e->registered[i].buffer.bytes == b->bytes &&
		        e->registered[i].inode == inode)
			return ST_OK;
	forget_memory(e, b);
	for (int i = 0; i < SHM_REGIONS && at < 0; i++)
		if (!e->registered[i].buffer.base)
			at = i;
	if (at < 0 || b->share_fd < 0)
		return ST_OK; /* it goes through the inboxes */
	e->registered[at] = (struct shm_registered){*b, inode};
	e->segment->regions[at] =
	        (struct shm_region){.generation = ++e->generation, .bytes = b->bytes, .fd = b->share_fd};
	return ST_OK;
}

/* --- progress --- */

static enum status move(struct endpoint *e, bool *grew_p)
{
	for (struct link *l = e->links; l; l = l->next) {
		enum status s = ST_OK;
		if (l->sends)
			*grew_p |= shm_send_more(l);
		else
			s = shm_receive_one(l, grew_p);
		if (s != ST_OK)
			return s;
	}
	return ST_OK;
}

static bool is_gone(const struct shm_peer *p)
{
	struct pollfd ended = {.fd = p->pid_fd, .events = POLLIN};
	return p->pid_fd >= 0 && poll(&ended, 1, 0) == 1;
}

/* A link that waits for a peer which closed its end or whose process ended; NULL: none. */
static const struct link *find_orphan(struct endpoint *e)
{
	int64_t now_ns = e->idle++ % LOOK_EVERY ? e->looked_ns : clock_ns();
	bool look = now_ns - e->looked_ns > look_every_ns;
	if (look)
		e->looked_ns = now_ns;
	for (const struct link *l = e->links; l; l = l->next)
		if (l->completed < l->posted &&
		        (atomic_load(&l->at->segment->closed) || (look && is_gone(l->at))))
			return l;
	return NULL;
}

static enum status progress(struct endpoint *e)
{
	bool grew = false;
	enum status s = move(e, &grew);
	if (s != ST_OK || grew)
		return s;
	const struct link *orphan = find_orphan(e);
	if (!orphan)
		return ST_OK;
	s = move(e, &grew); /* what it did before it left */
	if (s != ST_OK || grew)
		return s;
	return fail(
	        ST_PEER, "rank %d (pid %d) went away in mid-operation", orphan->peer, (int)orphan->at->pid);
}

static uint64_t completed(const struct link *l)
{
	return l->completed;
}

extern const struct transport transport_shm;
const struct transport transport_shm = {
        .name = "shm",
        .help = "memory shared by the ranks of a node, copied once",
        .shared_memory = true,
        .probe = probe,
        .open = open_endpoint,
        .can_connect = can_connect,
        .register_memory = register_memory,
        .forget_memory = forget_memory,
        .connect_send = connect_send,
        .connect_recv = connect_recv,
        .send = shm_send,
        .recv = shm_recv,
        .progress = progress,
        .completed = completed,
        .disconnect = disconnect,
        .close = close_endpoint,
};
