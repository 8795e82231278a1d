/* test_socket.c - the socket transport between threads over loopback: streams of bytes arrive whole whatever
 * the pieces and however many connections, reductions are fused, strangers stay out, and what goes wrong has
 * a name. */
#include "bench/core/clock.h"
#include "bench/core/types.h"
#include "bench/transport/socket.h"
#include "bench/transport/waiter.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>
#undef fail /* ours */

extern const struct transport transport_socket;

enum { RANKS = 2 };

static const uint8_t token[WORLD_TOKEN_BYTES] = "thirty-two bytes that are secret";
static const struct place places[RANKS] = {
        {.host = "node-0", .machine = 1}, {.host = "node-1", .machine = 1, .local_rank = 1}};

/* A test double: sums of whole numbers, which is all that these tests reduce. */
static enum status sum(void *dst, const void *a, const void *b, size_t elems, enum dtype dtype, enum redop op)
{
	assert_int_equal(op, OP_SUM);
	for (size_t i = 0; i < elems; i++)
		if (dtype == DT_INT64)
			((uint64_t *)dst)[i] = ((const uint64_t *)a)[i] + ((const uint64_t *)b)[i];
		else
			((int8_t *)dst)[i] = (int8_t)(((const int8_t *)a)[i] + ((const int8_t *)b)[i]);
	return ST_OK;
}

static const struct memory_kind adder = {.name = "adder", .reduce = sum};

struct side { /* one rank's end */
	struct world world;
	struct plan plan;
	struct waiter *waiter;
	struct endpoint *endpoint;
	struct address address, *peer;
	struct link *link;
	enum status status;
};

static void open_side(struct side *side, int rank, int streams, double timeout_s)
{
	memset(side, 0, sizeof(*side));
	side->world = (struct world){.rank = rank,
	        .ranks = RANKS,
	        .nodes = 1,
	        .local_rank = rank,
	        .local_ranks = RANKS,
	        .places = places,
	        .token = token};
	side->plan = (struct plan){.streams = streams, .timeout_s = timeout_s};
	assert_int_equal(waiter_open(0, &side->waiter), ST_OK);
	assert_int_equal(transport_socket.open(&side->world, &side->plan, side->waiter, &side->endpoint,
	                         &side->address),
	        ST_OK);
	transport_socket.register_memory(side->endpoint, &(struct buffer){.kind = &adder});
}

/* Sleeps whenever nothing grows: a wake-up that gets lost ends the test. */
static enum status pump(struct side *side, uint64_t until)
{
	while (side->link->completed < until) {
		uint64_t before = side->link->completed;
		enum status status = transport_socket.progress(side->endpoint);

		if (status != ST_OK)
			return status;
		if (side->link->completed == before && !waiter_sleep(side->waiter, 5000000000))
			return fail(ST_TIMEOUT, "a wake-up got lost at %llu of %llu bytes",
			        (unsigned long long)before, (unsigned long long)until);
	}
	return ST_OK;
}

static unsigned next_random(unsigned *seed)
{
	return *seed = *seed * 1103515245 + 12345;
}

enum { STREAM_BYTES = 6 * 1024 * 1024, SMALLEST = 8, PIECE = 400 * 1000 };

struct job {
	struct side *side;
	unsigned char *data;
	const unsigned char *local;
	enum dtype dtype;
	unsigned seed;
};

/* Pieces of random lengths, a few posted ahead. */
static void *send_all(void *arg)
{
	struct job *job = arg;
	struct side *side = job->side;
	uint64_t posted = 0;

	fail_keep(true);
	side->status = transport_socket.connect_send(side->endpoint, 1, side->peer, &side->link);
	while (side->status == ST_OK && side->link->completed < STREAM_BYTES) {
		while (posted < STREAM_BYTES && posted - side->link->completed < 3 * PIECE) {
			uint64_t bytes = SMALLEST * (1 + next_random(&job->seed) / 7 % (PIECE / SMALLEST));

			if (bytes > STREAM_BYTES - posted)
				bytes = STREAM_BYTES - posted;
			side->status = transport_socket.send(side->link, job->data + posted, bytes);
			posted += bytes;
		}
		side->status = pump(side, side->link->completed + 1);
	}
	return NULL;
}

static void *receive_all(void *arg)
{
	struct job *job = arg;
	struct side *side = job->side;
	uint64_t posted = 0;

	fail_keep(true);
	side->status = transport_socket.connect_recv(side->endpoint, 0, side->peer, &side->link);
	while (side->status == ST_OK && side->link->completed < STREAM_BYTES) {
		while (posted < STREAM_BYTES && posted - side->link->completed < 3 * PIECE) {
			struct landing landing = {.dst = job->data + posted,
			        .bytes = SMALLEST * (1 + next_random(&job->seed) / 7 % (PIECE / SMALLEST)),
			        .dtype = job->dtype,
			        .redop = OP_SUM};

			if (landing.bytes > STREAM_BYTES - posted)
				landing.bytes = STREAM_BYTES - posted;
			landing.local = job->local != NULL ? job->local + posted : NULL;
			side->status = transport_socket.recv(side->link, &landing);
			posted += landing.bytes;
		}
		side->status = pump(side, side->link->completed + 1);
	}
	return NULL;
}

static void carry(int streams, bool reduce, enum dtype dtype, unsigned seed)
{
	struct side side[RANKS];
	unsigned char *sent = malloc(STREAM_BYTES), *local = malloc(STREAM_BYTES),
	              *got = calloc(1, STREAM_BYTES);
	unsigned char *expected = malloc(STREAM_BYTES);
	struct job job[RANKS];
	pthread_t thread[RANKS];
	unsigned random = seed;

	for (int i = 0; i < STREAM_BYTES; i++) {
		sent[i] = (unsigned char)(next_random(&random) >> 16);
		local[i] = (unsigned char)(next_random(&random) >> 16);
	}
	memcpy(expected, sent, STREAM_BYTES);
	if (reduce)
		sum(expected, sent, local, STREAM_BYTES / dtype_bytes(dtype), dtype, OP_SUM);
	for (int r = 0; r < RANKS; r++)
		open_side(&side[r], r, streams, 0);
	side[0].peer = &side[1].address;
	side[1].peer = &side[0].address;
	job[0] = (struct job){.side = &side[0], .data = sent, .seed = seed};
	job[1] = (struct job){
	        .side = &side[1], .data = got, .local = reduce ? local : NULL, .dtype = dtype, .seed = ~seed};
	pthread_create(&thread[0], NULL, send_all, &job[0]);
	pthread_create(&thread[1], NULL, receive_all, &job[1]);
	for (int r = 0; r < RANKS; r++)
		pthread_join(thread[r], NULL);
	assert_int_equal(side[0].status, ST_OK);
	assert_int_equal(side[1].status, ST_OK);
	assert_int_equal(side[0].link->streams, streams);
	assert_memory_equal(got, expected, STREAM_BYTES);
	for (int r = 0; r < RANKS; r++) {
		transport_socket.close(side[r].endpoint);
		waiter_close(side[r].waiter);
	}
	free(sent);
	free(local);
	free(got);
	free(expected);
}

static void bytes_arrive_whole(void **state)
{
	(void)state;
	for (int streams = 1; streams <= 8; streams += 3)
		for (unsigned seed = 1; seed <= 3; seed++)
			carry(streams, false, DT_INT8, seed);
}

static void reductions_are_fused(void **state)
{
	(void)state;
	for (int streams = 1; streams <= 8; streams += 3) {
		carry(streams, true, DT_INT64, 11);
		carry(streams, true, DT_INT8, 12);
	}
}

/* --- what goes wrong --- */

static int stranger(const struct side *side)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
	        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	        .sin_port = side->endpoint->listening.rails[0].port};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

static bool dropped(int fd)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	char byte;

	return poll(&wait, 1, 0) == 1 && recv(fd, &byte, 1, 0) <= 0;
}

static void strangers_stay_out(void **state)
{
	struct side side;
	int silent, noisy;
	char noise[256];

	(void)state;
	open_side(&side, 0, 1, 0.5);
	silent = stranger(&side);
	noisy = stranger(&side);
	memset(noise, 'x', sizeof(noise));
	assert_int_equal(send(noisy, noise, sizeof(noise), 0), sizeof(noise));
	for (int i = 0; i < 5; i++)
		assert_int_equal(transport_socket.progress(side.endpoint), ST_OK);
	assert_int_equal(side.endpoint->strangers, 1);
	assert_true(dropped(noisy));
	assert_false(dropped(silent));
	clock_sleep_ns(500 * 1000 * 1000);
	assert_int_equal(transport_socket.progress(side.endpoint), ST_OK);
	assert_int_equal(side.endpoint->strangers, 2);
	assert_true(dropped(silent));
	close(silent);
	close(noisy);
	transport_socket.close(side.endpoint);
	waiter_close(side.waiter);
}

static void *connect_only(void *arg)
{
	struct side *side = arg;

	fail_keep(true);
	if (side->world.rank == 0)
		side->status = transport_socket.connect_send(side->endpoint, 1, side->peer, &side->link);
	else
		side->status = transport_socket.connect_recv(side->endpoint, 0, side->peer, &side->link);
	assert_int_equal(side->status == ST_OK || fail_sentence()[0] != '\0', true);
	return NULL;
}

static void another_token_is_refused(void **state)
{
	static const uint8_t other[WORLD_TOKEN_BYTES] = "the token of quite another run..";
	struct side side[RANKS];
	pthread_t thread;

	(void)state;
	for (int r = 0; r < RANKS; r++)
		open_side(&side[r], r, 1, 1.0);
	side[0].peer = &side[1].address;
	side[1].peer = &side[0].address;
	side[0].world.token = other;
	pthread_create(&thread, NULL, connect_only, &side[1]);
	fail_keep(true);
	assert_int_equal(
	        transport_socket.connect_send(side[0].endpoint, 1, side[0].peer, &side[0].link), ST_PEER);
	assert_non_null(strstr(fail_sentence(), "does not know this run"));
	pthread_join(thread, NULL);
	assert_int_equal(side[1].status, ST_TIMEOUT);
	assert_int_equal(side[1].endpoint->strangers, 1);
	for (int r = 0; r < RANKS; r++) {
		transport_socket.close(side[r].endpoint);
		waiter_close(side[r].waiter);
	}
}

static void nobody_listens(void **state)
{
	struct side side[RANKS];

	(void)state;
	for (int r = 0; r < RANKS; r++)
		open_side(&side[r], r, 1, 0);
	transport_socket.close(side[1].endpoint);
	waiter_close(side[1].waiter);
	fail_keep(true);
	assert_int_equal(
	        transport_socket.connect_send(side[0].endpoint, 1, &side[1].address, &side[0].link), ST_PEER);
	assert_non_null(strstr(fail_sentence(), "rank 1 on 'node-1'"));
	assert_non_null(strstr(fail_sentence(), "refused"));
	assert_non_null(strstr(fail_sentence(), "'lo' (127.0.0.1"));
	transport_socket.close(side[0].endpoint);
	waiter_close(side[0].waiter);
}

static void nobody_calls(void **state)
{
	struct side side[RANKS];

	(void)state;
	for (int r = 0; r < RANKS; r++)
		open_side(&side[r], r, 1, 0.5);
	fail_keep(true);
	assert_int_equal(transport_socket.connect_recv(side[1].endpoint, 0, &side[0].address, &side[1].link),
	        ST_TIMEOUT);
	assert_non_null(strstr(fail_sentence(), "rank 0 on 'node-0'"));
	for (int r = 0; r < RANKS; r++) {
		transport_socket.close(side[r].endpoint);
		waiter_close(side[r].waiter);
	}
}

static void a_peer_that_ends_is_named(void **state)
{
	struct side side[RANKS];
	pthread_t thread;
	unsigned char byte[8];

	(void)state;
	for (int r = 0; r < RANKS; r++)
		open_side(&side[r], r, 2, 0);
	side[0].peer = &side[1].address;
	side[1].peer = &side[0].address;
	pthread_create(&thread, NULL, connect_only, &side[0]);
	connect_only(&side[1]);
	pthread_join(thread, NULL);
	assert_int_equal(side[0].status, ST_OK);
	assert_int_equal(
	        transport_socket.recv(side[1].link, &(struct landing){.dst = byte, .bytes = 8}), ST_OK);
	assert_int_equal(transport_socket.progress(side[1].endpoint), ST_OK);
	transport_socket.close(side[0].endpoint);
	waiter_close(side[0].waiter);
	fail_keep(true);
	assert_int_equal(pump(&side[1], 8), ST_PEER);
	assert_non_null(strstr(fail_sentence(), "rank 0 on 'node-0' closed its link over"));
	/* and stays so */
	assert_int_equal(transport_socket.progress(side[1].endpoint), ST_PEER);
	transport_socket.close(side[1].endpoint);
	waiter_close(side[1].waiter);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(bytes_arrive_whole),
	        cmocka_unit_test(reductions_are_fused),
	        cmocka_unit_test(strangers_stay_out),
	        cmocka_unit_test(another_token_is_refused),
	        cmocka_unit_test(nobody_listens),
	        cmocka_unit_test(nobody_calls),
	        cmocka_unit_test(a_peer_that_ends_is_named),
	};

	return cmocka_run_group_tests_name("socket", tests, NULL, NULL);
}
