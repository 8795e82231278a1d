/* socket_handshake.c - connections come up: listening, dialling, and the proof of the run's token.
 *
 * The dialler says which stream of which link it brings and a random nonce; the acceptor answers with a nonce
 * of its own and a digest of both, keyed with the token; the dialler returns another. So each side knows that
 * the other holds the token, the token itself never crosses the wire, and nothing that was overheard helps a
 * third party. Whoever fails this is a stranger: dropped and counted. Nothing here blocks but socket_shake(),
 * which sleeps. */
#include "bench/transport/socket.h"

#include "bench/core/clock.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef TCP_RTO_MAX_MS
#define TCP_RTO_MAX_MS 44
#endif

enum { NONCE_BYTES = 16, HALF_OPEN_S = 5, RETRY_MS = 1000 };

static const char magic[8] = {'b', 'u', 's', 'b', 'a', 'r', '1', '\n'};

struct hello {
	char magic[8];
	uint8_t nonce[NONCE_BYTES];
	uint32_t from, to, number;       /* ranks; which link between them */
	uint16_t index, count;           /* of its streams */
	char rail[INTERFACE_NAME_BYTES]; /* of the dialler, for messages */
};

struct answer {
	uint8_t nonce[NONCE_BYTES];
	uint8_t proof[SIPHASH_BYTES];
};

enum phase { SAY_HELLO, HEAR_ANSWER, SAY_PROOF, HEAR_HELLO, SAY_ANSWER, HEAR_PROOF, PROVEN, FAILED };

struct handshake {
	enum watched watched;
	int fd;
	struct endpoint *endpoint;
	struct handshake *next;
	bool dialled;
	enum phase phase;
	size_t moved; /* bytes of this phase's message */
	int64_t deadline_ns;
	struct hello hello;
	struct answer answer;
	uint8_t proof[SIPHASH_BYTES];
	struct rail mine, theirs; /* theirs: dialler only */
};

/* The digest that `role` ('a' accepts, 'd' dials) owes. */
static void digest(const struct handshake *shake, char role, uint8_t out[SIPHASH_BYTES])
{
	struct {
		uint8_t token[WORLD_TOKEN_BYTES - SIPHASH_KEY_BYTES];
		struct hello hello;
		uint8_t nonce[NONCE_BYTES];
		char role;
	} text;
	const uint8_t *token = shake->endpoint->world->token;

	memset(&text, 0, sizeof(text));
	memcpy(text.token, token + SIPHASH_KEY_BYTES, sizeof(text.token));
	text.hello = shake->hello;
	memcpy(text.nonce, shake->answer.nonce, sizeof(text.nonce));
	text.role = role;
	siphash(token, &text, sizeof(text), out);
}

static bool proves(const struct handshake *shake, char role, const uint8_t proof[SIPHASH_BYTES])
{
	uint8_t expected[SIPHASH_BYTES], difference = 0;

	digest(shake, role, expected);
	for (size_t i = 0; i < sizeof(expected); i++)
		difference |= expected[i] ^ proof[i];
	return difference == 0;
}

static bool check_hello(struct handshake *shake)
{
	const struct world *world = shake->endpoint->world;
	const struct hello *hello = &shake->hello;

	if (memcmp(hello->magic, magic, sizeof(magic)) != 0 || hello->to != (uint32_t)world->rank ||
	        hello->from >= (uint32_t)world->ranks || hello->count > SOCKET_STREAMS ||
	        hello->index >= hello->count)
		return false;
	if (getrandom(shake->answer.nonce, NONCE_BYTES, 0) != NONCE_BYTES)
		return false;
	digest(shake, 'a', shake->answer.proof);
	return true;
}

static bool check_answer(struct handshake *shake)
{
	if (!proves(shake, 'a', shake->answer.proof))
		return false;
	digest(shake, 'd', shake->proof);
	return true;
}

static bool check_proof(struct handshake *shake)
{
	return proves(shake, 'd', shake->proof);
}

static const struct step {
	bool says;
	size_t offset, bytes; /* of the message in struct handshake */
	bool (*check)(struct handshake *);
	enum phase next;
} steps[] = {
        [SAY_HELLO] = {true, offsetof(struct handshake, hello), sizeof(struct hello), NULL, HEAR_ANSWER},
        [HEAR_ANSWER] = {false, offsetof(struct handshake, answer), sizeof(struct answer), check_answer,
                SAY_PROOF},
        [SAY_PROOF] = {true, offsetof(struct handshake, proof), SIPHASH_BYTES, NULL, PROVEN},
        [HEAR_HELLO] = {false, offsetof(struct handshake, hello), sizeof(struct hello), check_hello,
                SAY_ANSWER},
        [SAY_ANSWER] = {true, offsetof(struct handshake, answer), sizeof(struct answer), NULL, HEAR_PROOF},
        [HEAR_PROOF] = {false, offsetof(struct handshake, proof), SIPHASH_BYTES, check_proof, PROVEN},
};

static void unlink_shake(struct handshake *shake)
{
	struct handshake **at = &shake->endpoint->handshakes;

	while (*at != shake)
		at = &(*at)->next;
	*at = shake->next;
}

static void drop(struct handshake *shake)
{
	unlink_shake(shake);
	close(shake->fd);
	free(shake);
}

/* A dialler says what went wrong and keeps the entry for socket_collect(); an acceptor drops a stranger. */
static void give_up(struct handshake *shake, int error)
{
	if (shake->dialled) {
		explain_dial(shake->endpoint, (int)shake->hello.to, &shake->mine, &shake->theirs, error);
		close(shake->fd);
		shake->fd = -1;
		shake->phase = FAILED;
	} else {
		shake->endpoint->strangers++;
		drop(shake);
	}
}

void socket_shake_one(struct endpoint *endpoint, struct handshake *shake)
{
	(void)endpoint;
	while (shake->phase < PROVEN) {
		const struct step *step = &steps[shake->phase];
		char *at = (char *)shake + step->offset + shake->moved;
		size_t left = step->bytes - shake->moved;
		ssize_t n =
		        step->says ? send(shake->fd, at, left, MSG_NOSIGNAL) : recv(shake->fd, at, left, 0);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			give_up(shake, n < 0 ? errno : ECONNRESET);
			return;
		}
		shake->moved += (size_t)n;
		if (shake->moved < step->bytes)
			continue;
		if (step->check != NULL && !step->check(shake)) {
			give_up(shake, EACCES);
			return;
		}
		shake->moved = 0;
		shake->phase = step->next;
	}
}

/* A dead link is to be named before the deadline, when others can only tell that nothing moves; a retry may
 * add a second, and the last sign of life may be older than the loss. */
static int lost_after_ms(double deadline_s)
{
	double early_s = deadline_s / 5 > 3 ? deadline_s / 5 : 3;

	return (int)((deadline_s - early_s > 1 ? deadline_s - early_s : 1) * 1000);
}

/* What every connection wants, whichever side opened it. Options that this kernel does not know cost nothing.
 */
static void tune(const struct endpoint *endpoint, int fd, const struct rail *rail)
{
	int on = 1, lost_ms = lost_after_ms(endpoint->deadline_s), retry_ms = RETRY_MS;
	int idle_s = (int)(endpoint->deadline_s / 4) + 1, probe_s = idle_s > 5 ? 5 : idle_s;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof(idle_s));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &probe_s, sizeof(probe_s));
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &lost_ms, sizeof(lost_ms));
	setsockopt(fd, IPPROTO_TCP, TCP_RTO_MAX_MS, &retry_ms, sizeof(retry_ms));
	/* Nothing can be congested inside a machine, and an algorithm that paces (bbr) halves the rate. */
	if (rail->class == INTERFACE_LOOPBACK)
		setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", sizeof("reno"));
}

/* Takes fd, also when it fails. */
static struct handshake *begin(struct endpoint *endpoint, int fd, double patience_s, const struct rail *mine)
{
	struct handshake *shake = calloc(1, sizeof(*shake));
	struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = shake};

	if (shake == NULL || epoll_ctl(endpoint->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
		free(shake);
		close(fd);
		return NULL;
	}
	tune(endpoint, fd, mine);
	shake->watched = WATCHED_HANDSHAKE;
	shake->fd = fd;
	shake->endpoint = endpoint;
	shake->mine = *mine;
	shake->deadline_ns = clock_ns() + (int64_t)(patience_s * 1e9);
	shake->next = endpoint->handshakes;
	endpoint->handshakes = shake;
	return shake;
}

void socket_accept(struct listener *listener)
{
	struct endpoint *endpoint = listener->endpoint;
	double patience_s = endpoint->patience_s < HALF_OPEN_S ? endpoint->patience_s : HALF_OPEN_S;
	int fd;

	while ((fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		struct handshake *shake =
		        begin(endpoint, fd, patience_s, &endpoint->listening.rails[listener->rail]);

		if (shake == NULL)
			return;
		shake->phase = HEAR_HELLO;
		socket_shake_one(endpoint, shake);
	}
}

/* Would the kernel send to theirs from mine's address? 0, or the errno that says why not: with no network in
 * common the way may lead through another interface, which is just what must not happen in silence. */
static int route_error(const struct rail *mine, const struct sockaddr_storage *to, socklen_t to_bytes)
{
	int fd = socket(to->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0), error = 0;
	struct sockaddr_storage from;
	socklen_t from_bytes = sizeof(from);

	if (fd < 0 || connect(fd, (const struct sockaddr *)to, to_bytes) != 0 ||
	        getsockname(fd, (struct sockaddr *)&from, &from_bytes) != 0)
		error = errno;
	if (fd >= 0)
		close(fd);
	if (error != 0)
		return error;
	if (mine->ipv6)
		error = memcmp(&((struct sockaddr_in6 *)&from)->sin6_addr, mine->address, 16);
	else
		error = memcmp(&((struct sockaddr_in *)&from)->sin_addr, mine->address, 4);
	return error != 0 ? ENETUNREACH : 0;
}

/* From the rail's own address and interface, so that the bytes leave there and nowhere else. */
static int dial(const struct call *call, bool same_machine)
{
	struct sockaddr_storage from, to;
	socklen_t from_bytes = rail_sockaddr(call->mine, 0, &from);
	socklen_t to_bytes = rail_sockaddr(call->theirs, call->theirs->port, &to);
	int error = call->routed ? route_error(call->mine, &to, to_bytes) : 0, on = 1, fd = -1;

	if (error == 0) {
		fd = socket(from.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		error = fd < 0 ? errno : 0;
	}
	if (error == 0) {
		setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
		/* refused to some users by old kernels; the address then has to do */
		if (!same_machine)
			setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, call->mine->name,
			        (socklen_t)strlen(call->mine->name) + 1);
		if (bind(fd, (struct sockaddr *)&from, from_bytes) != 0 ||
		        (connect(fd, (struct sockaddr *)&to, to_bytes) != 0 && errno != EINPROGRESS))
			error = errno;
	}
	if (error != 0 && fd >= 0)
		close(fd);
	errno = error;
	return error != 0 ? -1 : fd;
}

enum status socket_dial(struct endpoint *endpoint, const struct call *call)
{
	const struct world *world = endpoint->world;
	bool same_machine = world->places[call->peer].machine == world->places[world->rank].machine;
	int fd = dial(call, same_machine);
	struct handshake *shake;

	if (fd < 0)
		return explain_dial(endpoint, call->peer, call->mine, call->theirs, errno);
	shake = begin(endpoint, fd, endpoint->patience_s, call->mine);
	if (shake == NULL)
		return fail(ST_NOMEM, "out of memory for the connections of rank %d", world->rank);
	shake->dialled = true;
	shake->phase = SAY_HELLO;
	shake->theirs = *call->theirs;
	memcpy(shake->hello.magic, magic, sizeof(magic));
	shake->hello.from = (uint32_t)world->rank;
	shake->hello.to = (uint32_t)call->peer;
	shake->hello.number = call->number;
	shake->hello.index = (uint16_t)call->index;
	shake->hello.count = (uint16_t)call->count;
	memcpy(shake->hello.rail, call->mine->name, sizeof(shake->hello.rail));
	if (getrandom(shake->hello.nonce, NONCE_BYTES, 0) != NONCE_BYTES)
		return fail(ST_SYSTEM, "cannot get random bytes: %s", strerror(errno));
	socket_shake_one(endpoint, shake);
	return shake->phase == FAILED ? ST_PEER : ST_OK;
}

void socket_expire(struct endpoint *endpoint, int64_t now_ns)
{
	struct handshake *next;

	for (struct handshake *shake = endpoint->handshakes; shake != NULL; shake = next) {
		next = shake->next;
		if (shake->phase < PROVEN && now_ns > shake->deadline_ns)
			give_up(shake, ETIMEDOUT);
	}
}

static bool belongs(const struct handshake *shake, int peer, bool dialled, uint32_t number)
{
	uint32_t other = dialled ? shake->hello.to : shake->hello.from;

	return shake->dialled == dialled && other == (uint32_t)peer && shake->hello.number == number &&
	       (dialled || shake->phase == PROVEN);
}

static void hand_over(struct handshake *shake, struct stream streams[SOCKET_STREAMS])
{
	struct stream *stream = &streams[shake->hello.index];

	stream->fd = shake->fd;
	memcpy(stream->mine, shake->mine.name, sizeof(stream->mine));
	memcpy(stream->theirs, shake->dialled ? shake->theirs.name : shake->hello.rail,
	        sizeof(stream->theirs));
	stream->theirs[sizeof(stream->theirs) - 1] = '\0';
	unlink_shake(shake);
	free(shake);
}

int socket_collect(struct endpoint *endpoint, int peer, bool dialled, uint32_t number,
        struct stream streams[SOCKET_STREAMS])
{
	int proven = 0, count = SOCKET_STREAMS;
	struct handshake *next;

	for (struct handshake *shake = endpoint->handshakes; shake != NULL; shake = shake->next)
		if (belongs(shake, peer, dialled, number)) {
			if (shake->phase == FAILED)
				return -1;
			count = shake->hello.count;
			proven += shake->phase == PROVEN;
		}
	if (proven < count)
		return 0;
	for (struct handshake *shake = endpoint->handshakes; shake != NULL; shake = next) {
		next = shake->next;
		if (belongs(shake, peer, dialled, number))
			hand_over(shake, streams);
	}
	return count;
}

void socket_drop_handshakes(struct endpoint *endpoint)
{
	while (endpoint->handshakes != NULL)
		drop(endpoint->handshakes);
}
