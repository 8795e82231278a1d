/* socket_send.c - fragments out: cuts what was posted and gives it to whichever stream has room. */
#include "bench/transport/socket.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* An even share of a piece for each stream, so that all of them have work when pieces come one at a time.
 * Short also because a slow stream holds up what it was given, and because sending and receiving in turns
 * keeps both in the cache. */
static uint64_t share(const struct link *link, uint64_t piece_bytes)
{
	uint64_t bytes = piece_bytes / (uint64_t)link->streams;

	bytes += SOCKET_FRAGMENT_STEP_BYTES - 1;
	bytes -= bytes % SOCKET_FRAGMENT_STEP_BYTES;
	if (bytes < SOCKET_FRAGMENT_LEAST_BYTES)
		return SOCKET_FRAGMENT_LEAST_BYTES;
	return bytes < SOCKET_FRAGMENT_BYTES ? bytes : SOCKET_FRAGMENT_BYTES;
}

/* The next fragment of the link. */
static bool cut(struct stream *stream)
{
	struct link *link = stream->link;
	const struct posted *piece;
	uint64_t into;

	if (link->count == 0)
		return false;
	piece = &link->queue[link->first];
	into = link->cut - piece->position;
	stream->fragment.position = link->cut;
	stream->fragment.bytes = piece->landing.bytes - into;
	if (stream->fragment.bytes > share(link, piece->landing.bytes))
		stream->fragment.bytes = share(link, piece->landing.bytes);
	stream->src = (const unsigned char *)piece->landing.local + into;
	stream->header_moved = 0;
	stream->moved = 0;
	link->cut += stream->fragment.bytes;
	if (link->cut == piece->position + piece->landing.bytes)
		link_pop(link);
	return true;
}

/* Everything before the oldest fragment still in a stream's hands has been copied by the kernel. */
static void settle(struct link *link)
{
	uint64_t completed = link->cut;

	for (int i = 0; i < link->streams; i++) {
		const struct stream *stream = &link->stream[i];

		if (stream->fragment.bytes > 0 && stream->fragment.position + stream->moved < completed)
			completed = stream->fragment.position + stream->moved;
	}
	link->completed = completed;
}

enum status socket_send_some(struct stream *stream, bool *moved_p)
{
	struct fragment *fragment = &stream->fragment;
	struct iovec parts[2];
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
	size_t moved;
	ssize_t n;

	*moved_p = false;
	if (fragment->bytes == 0 && !cut(stream))
		return ST_OK;
	parts[0].iov_base = (char *)fragment + stream->header_moved;
	parts[0].iov_len = sizeof(*fragment) - stream->header_moved;
	parts[1].iov_base = (void *)(uintptr_t)(stream->src + stream->moved);
	parts[1].iov_len = fragment->bytes - stream->moved;
	n = sendmsg(stream->fd, &message, MSG_NOSIGNAL);
	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		stream->ready = errno == EINTR;
		return ST_OK;
	}
	if (n < 0)
		return explain_stream(stream, errno);
	*moved_p = true;
	moved = (size_t)n;
	stream->ready = moved == parts[0].iov_len + parts[1].iov_len;
	if (moved <= parts[0].iov_len) {
		stream->header_moved += moved;
		return ST_OK;
	}
	stream->moved += moved - parts[0].iov_len;
	stream->header_moved = sizeof(*fragment);
	if (stream->moved == fragment->bytes) {
		stream->unpaced += fragment->bytes;
		fragment->bytes = 0;
	}
	if (stream->link->paced && stream->unpaced >= SOCKET_PACE_BYTES) {
		stream->unpaced = 0;
		socket_pace(stream);
	}
	settle(stream->link);
	return ST_OK;
}
