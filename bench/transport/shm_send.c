/* shm_send.c - the sender's end of a link: pieces become descriptors in the receiver's inbox. */
#include "bench/transport/shm.h"

#include <string.h>

enum { MOST_BYTES = 1 << 30 }; /* of a descriptor */

/* Descriptors that the receiver is done with, and their part of the ring, can be used again. */
static void reclaim(struct link *l)
{
	l->consumed = atomic_load_explicit(&l->inbox->consumed, memory_order_acquire);
	while (l->reclaimed < l->turn && l->slot_end[l->reclaimed % SHM_SLOTS] <= l->consumed)
		l->ring_free = l->slot_ring[l->reclaimed++ % SHM_SLOTS];
}

/* What was copied is complete at once; the receiver's count is on a cache line that it writes, so it is
 * looked at only where the receiver reads our memory. */
static void complete(struct link *l)
{
	if (l->lent > l->consumed)
		reclaim(l);
	uint64_t done = l->consumed >= l->lent ? l->described : l->consumed;
	if (done > l->completed)
		l->completed = done;
}

/* Where a peer finds this memory: its own pointer, or a registered buffer. False: nowhere. */
static bool find_shared(const struct link *l, const unsigned char *src, size_t bytes, struct shm_slot *slot)
{
	if (l->at->same_process) {
		slot->kind = SHM_POINTER;
		slot->where = (uint64_t)(uintptr_t)src;
		return true;
	}
	const struct endpoint *e = l->endpoint;
	for (int i = 0; i < SHM_REGIONS; i++) {
		const struct buffer *b = &e->registered[i].buffer;
		const unsigned char *base = b->base;
		if (!base || b->share_fd < 0 || src < base || src + bytes > base + b->bytes)
			continue;
		slot->kind = SHM_REGION;
		slot->region = (uint16_t)i;
		slot->where = (uint64_t)(src - base);
		slot->generation = e->segment->regions[i].generation;
		return true;
	}
	return false;
}

/* Copies as much as the ring has room for in one run; 0: none now. */
static size_t copy_to_ring(struct link *l, const unsigned char *src, size_t bytes, struct shm_slot *slot)
{
	if (SHM_RING_BYTES - (l->ring_at - l->ring_free) < bytes)
		reclaim(l);
	size_t room = SHM_RING_BYTES - (size_t)(l->ring_at - l->ring_free);
	size_t offset = (size_t)(l->ring_at % SHM_RING_BYTES), run = SHM_RING_BYTES - offset;
	size_t most = room < run ? room : run;
	if (bytes >
	        most) /* whole elements: no type is wider than 8 bytes, and pieces of memory are cut there */
		bytes = most & ~(size_t)63;
	if (!bytes)
		return 0;
	memcpy(l->inbox->ring + offset, src, bytes);
	slot->kind = SHM_RING;
	slot->where = offset;
	l->ring_at += (bytes + 63) & ~(size_t)63;
	return bytes;
}

/* Describes the next part of a piece; returns its length, 0: no room now. */
static size_t describe(struct link *l, const unsigned char *src, size_t bytes)
{
	struct shm_slot *slot = &l->inbox->slots[l->turn % SHM_SLOTS];
	bool lends = false;
	bytes = bytes < MOST_BYTES ? bytes : MOST_BYTES;
	if (l->turn - l->reclaimed == SHM_SLOTS)
		reclaim(l);
	if (l->turn - l->reclaimed == SHM_SLOTS)
		return 0;
	if (bytes <= SHM_INLINE_BYTES) {
		slot->kind = SHM_INLINE;
		memcpy(slot->inline_data, src, bytes);
	} else if (bytes <= SHM_SMALL_BYTES || !(lends = find_shared(l, src, bytes, slot))) {
		bytes = copy_to_ring(l, src, bytes, slot);
	}
	if (!bytes)
		return 0;
	slot->bytes = (uint32_t)bytes;
	l->described += bytes;
	if (lends)
		l->lent = l->described;
	l->slot_end[l->turn % SHM_SLOTS] = l->described;
	l->slot_ring[l->turn % SHM_SLOTS] = l->ring_at;
	atomic_store_explicit(&slot->turn, ++l->turn, memory_order_release);
	return bytes;
}

bool shm_send_more(struct link *l)
{
	uint64_t before = l->completed, turn = l->turn;
	if (l->completed == l->posted)
		return false;
	while (l->count) {
		const struct landing *piece = shm_piece(l, l->first);
		size_t bytes =
		        describe(l, (const unsigned char *)piece->local + l->moved, piece->bytes - l->moved);
		if (!bytes)
			break;
		l->moved += bytes;
		if (l->moved == piece->bytes) {
			l->moved = 0;
			l->first++;
			l->count--;
		}
	}
	if (l->turn != turn)
		bell_ring(&l->at->bell);
	complete(l);
	return l->completed != before;
}

enum status shm_send(struct link *l, const void *src, size_t bytes)
{
	if (!bytes)
		return ST_OK;
	*shm_piece(l, l->first + l->count++) = (struct landing){.local = src, .bytes = bytes};
	l->posted += bytes;
	shm_send_more(l);
	return ST_OK;
}
