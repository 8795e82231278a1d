/* socket_receive.c - fragments in: straight into place, or through a stage that stays in the cache into a
 * reduction.
 *
 * A read asks for the rest of the fragment and the next header at once. Between fragments it asks for a
 * little more than a header, so that a small message costs one call. */
#include "bench/transport/socket.h"

#include "bench/core/types.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

static bool between_fragments(const struct stream *stream)
{
	return stream->moved == stream->fragment.bytes;
}

static uint64_t position(const struct stream *stream)
{
	return stream->fragment.position + stream->moved;
}

/* Bytes that may still go to this piece out of this fragment. */
static uint64_t room(const struct stream *stream, const struct posted *piece)
{
	uint64_t in_piece = piece->position + piece->landing.bytes - position(stream);
	uint64_t in_fragment = stream->fragment.bytes - stream->moved;

	return in_piece < in_fragment ? in_piece : in_fragment;
}

/* Pieces at the front that are whole leave the queue. */
static void settle(struct link *link)
{
	while (link->count > 0) {
		const struct posted *front = &link->queue[link->first];

		if (front->arrived < front->landing.bytes)
			return;
		link->completed += front->landing.bytes;
		link_pop(link);
	}
}

/* carry and bytes after it stand in the stage: combines whole elements, keeps the beginning of the next one.
 */
static enum status combine(struct stream *stream, const struct posted *piece, uint64_t bytes)
{
	const struct endpoint *endpoint = stream->link->endpoint;
	const struct landing *landing = &piece->landing;
	size_t held = stream->carried + bytes, elems = held / dtype_bytes(landing->dtype);
	size_t whole = elems * dtype_bytes(landing->dtype);
	uint64_t at = position(stream) - stream->carried - piece->position;

	stream->carried = held - whole;
	if (stream->carried > 0 && bytes == room(stream, piece))
		return fail(ST_MISMATCH, "rank %d sends elements of another size than rank %d receives",
		        stream->link->peer, endpoint->world->rank);
	memcpy(stream->carry, endpoint->stage + whole, stream->carried);
	if (elems == 0)
		return ST_OK;
	return endpoint->memory->reduce((char *)landing->dst + at, (const char *)landing->local + at,
	        endpoint->stage, elems, landing->dtype, landing->redop);
}

/* Where the next bytes of the fragment are read to. */
static void *target(struct stream *stream, const struct posted *piece)
{
	unsigned char *stage = stream->link->endpoint->stage;

	if (piece->landing.local == NULL)
		return (char *)piece->landing.dst + (position(stream) - piece->position);
	memcpy(stage, stream->carry, stream->carried);
	return stage + stream->carried;
}

/* That many bytes are there now. */
static enum status arrived(struct stream *stream, struct posted *piece, uint64_t bytes)
{
	enum status status = piece->landing.local != NULL ? combine(stream, piece, bytes) : ST_OK;

	stream->moved += bytes;
	piece->arrived += bytes;
	settle(stream->link);
	return status;
}

/* What a read may ask for: the stage has an end. */
static uint64_t limit(const struct stream *stream, const struct posted *piece)
{
	uint64_t bytes = room(stream, piece), stage = SOCKET_STAGE_BYTES - sizeof(stream->carry);

	return piece->landing.local != NULL && bytes > stage ? stage : bytes;
}

static size_t take_ahead(struct stream *stream, void *to, uint64_t wanted)
{
	size_t bytes = stream->ahead_end - stream->ahead_at;

	if (bytes > wanted)
		bytes = wanted;
	memcpy(to, stream->ahead + stream->ahead_at, bytes);
	stream->ahead_at += bytes;
	return bytes;
}

/* Uses up what was read ahead, as far as there is a place for it. *piece_p: where the fragment goes on, NULL
 * while nobody has posted that or no fragment is open. */
static enum status digest(struct stream *stream, struct posted **piece_p)
{
	struct fragment *fragment = &stream->fragment;

	for (;;) {
		enum status status;

		*piece_p = NULL;
		if (between_fragments(stream)) {
			char *header = (char *)&stream->next + stream->header_moved;

			stream->header_moved +=
			        take_ahead(stream, header, sizeof(*fragment) - stream->header_moved);
			if (stream->header_moved < sizeof(*fragment))
				return ST_OK;
			*fragment = stream->next;
			stream->header_moved = 0;
			stream->moved = 0;
		}
		*piece_p = link_posted(stream->link, position(stream));
		if (*piece_p == NULL || stream->ahead_at == stream->ahead_end)
			return ST_OK;
		status = arrived(stream, *piece_p,
		        take_ahead(stream, target(stream, *piece_p), limit(stream, *piece_p)));
		if (status != ST_OK)
			return status;
	}
}

enum status socket_receive_some(struct stream *stream, bool *moved_p)
{
	struct iovec parts[2] = {{.iov_len = 0}, {.iov_base = stream->ahead, .iov_len = SOCKET_SMALL_BYTES}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
	uint64_t before = stream->link->completed;
	struct posted *piece;
	enum status status = digest(stream, &piece);
	ssize_t n;

	*moved_p = stream->link->completed != before;
	if (status != ST_OK || *moved_p || (piece == NULL && !between_fragments(stream)))
		return status;
	if (piece != NULL) {
		parts[0].iov_base = target(stream, piece);
		parts[0].iov_len = limit(stream, piece);
		parts[1].iov_len = sizeof(struct fragment);
		message.msg_iovlen = parts[0].iov_len == stream->fragment.bytes - stream->moved ? 2 : 1;
	}
	n = recvmsg(stream->fd, &message, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		stream->ready = errno == EINTR;
		return ST_OK;
	}
	if (n <= 0)
		return explain_stream(stream, n < 0 ? errno : 0);
	*moved_p = true;
	stream->ahead_at = 0;
	stream->ahead_end = (size_t)n > parts[0].iov_len ? (size_t)n - parts[0].iov_len : 0;
	if (piece != NULL)
		status = arrived(stream, piece, (size_t)n - stream->ahead_end);
	return status == ST_OK ? digest(stream, &piece) : status;
}
