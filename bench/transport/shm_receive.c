/* shm_receive.c - the receiver's end of a link: reads the sender's memory straight into the landing. */
#include "bench/transport/shm.h"

#include "bench/core/types.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Maps a region of the peer when it is first seen; a region of another generation replaces it. */
static enum status map_region(struct link *l, const struct shm_slot *slot)
{
	struct shm_peer *p = l->at;
	const struct shm_region *region = &p->segment->regions[slot->region];
	if (p->mapped[slot->region].base)
		munmap(p->mapped[slot->region].base, p->mapped[slot->region].bytes);
	p->mapped[slot->region].base = NULL;
	int fd = shm_open_remote(p->pid, region->fd, O_RDONLY);
	void *base =
	        fd < 0 ? MAP_FAILED : mmap(NULL, region->bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
	int error = errno;
	if (fd >= 0)
		close(fd);
	if (base == MAP_FAILED)
		return fail(ST_PEER, "cannot map memory of rank %d (pid %d): %s", l->peer, (int)p->pid,
		        strerror(error));
	p->mapped[slot->region].base = base;
	p->mapped[slot->region].bytes = region->bytes;
	p->mapped[slot->region].generation = slot->generation;
	return ST_OK;
}

void shm_forget_peer(struct shm_peer *p)
{
	for (int i = 0; i < SHM_REGIONS; i++)
		if (p->mapped[i].base)
			munmap(p->mapped[i].base, p->mapped[i].bytes);
}

static enum status source_of(struct link *l, const struct shm_slot *slot, const unsigned char **src_p)
{
	switch (slot->kind) {
	case SHM_INLINE:
		*src_p = slot->inline_data;
		return ST_OK;
	case SHM_RING:
		*src_p = l->inbox->ring + slot->where;
		return ST_OK;
	case SHM_POINTER:
		*src_p = (const unsigned char *)(uintptr_t)slot->where;
		return ST_OK;
	default:
		break;
	}
	enum status s = ST_OK;
	if (l->at->mapped[slot->region].generation != slot->generation)
		s = map_region(l, slot);
	if (s == ST_OK)
		*src_p = l->at->mapped[slot->region].base + slot->where;
	return s;
}

static enum status combine(const struct link *l, const struct landing *to, const void *src, size_t bytes)
{
	const struct memory_kind *memory = l->endpoint->memory;
	unsigned char *dst = (unsigned char *)to->dst + l->moved;
	if (!to->local)
		return (to->through && memory->copy_through ? memory->copy_through : memory->copy)(
		        dst, src, bytes);
	return memory->reduce(dst, (const unsigned char *)to->local + l->moved, src,
	        bytes / dtype_bytes(to->dtype), to->dtype, to->redop);
}

/* What one descriptor and one landing have in common. */
static enum status receive_part(struct link *l, const struct shm_slot *slot, const struct landing *to)
{
	const unsigned char *src;
	size_t left = to->bytes - l->moved, bytes = slot->bytes - l->used;
	bytes = bytes < left ? bytes : left;
	enum status s = source_of(l, slot, &src);
	if (s == ST_OK)
		s = combine(l, to, src + l->used, bytes);
	if (s != ST_OK)
		return s;
	l->moved += bytes;
	l->used += bytes;
	l->described += bytes;
	if (l->used == slot->bytes) {
		l->used = 0;
		l->turn++;
	}
	return ST_OK;
}

/* Must the sender hear that a descriptor is done with? Of its memory always; of what was copied now and then,
 * well before it runs out of room. */
static bool sender_waits(const struct link *l, const struct shm_slot *slot)
{
	enum { SLOTS = SHM_SLOTS / 4, BYTES = SHM_RING_BYTES / 4 };
	if (slot->kind >= SHM_POINTER || l->turn % SLOTS == 0)
		return true;
	return slot->kind == SHM_RING && slot->where / BYTES != (slot->where + slot->bytes) / BYTES;
}

/* Carries on until one landing is complete or nothing more is there. */
enum status shm_receive_one(struct link *l, bool *grew_p)
{
	bool complete = false, owed = false;
	while (l->count && !complete) {
		const struct shm_slot *slot = &l->inbox->slots[l->turn % SHM_SLOTS];
		const struct landing *to = shm_piece(l, l->first);
		if (atomic_load_explicit(&slot->turn, memory_order_acquire) != l->turn + 1)
			break;
		enum status s = receive_part(l, slot, to);
		if (s != ST_OK)
			return s;
		owed |= !l->used && sender_waits(l, slot);
		complete = l->moved == to->bytes;
	}
	if (owed) {
		atomic_store_explicit(&l->inbox->consumed, l->described, memory_order_release);
		bell_ring(&l->at->bell);
	}
	if (complete) {
		l->completed += l->moved;
		l->moved = 0;
		l->first++;
		l->count--;
		*grew_p = true;
	}
	return ST_OK;
}

enum status shm_recv(struct link *l, const struct landing *to)
{
	if (!to->bytes)
		return ST_OK;
	*shm_piece(l, l->first + l->count++) = *to;
	l->posted += to->bytes;
	return ST_OK;
}
