/* test_shm.c - the shm transport between threads and between processes: streams of bytes arrive whole
 * whatever the pieces and whatever memory they are in, reductions are fused, nobody sleeps for ever, and a
 * peer that goes away is noticed. */
#include "bench/core/clock.h"
#include "bench/memory/host.h"
#include "bench/transport/shm.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#undef fail /* ours */

extern const struct transport transport_shm;

enum { RANKS = 2, PIECE = 100 * 1000, STREAM_BYTES = 6 * 1024 * 1024 };

static const int64_t for_ever_ns = 10000000000;

static struct place places[RANKS] = {
        {.host = "node-0", .machine = 1}, {.host = "node-0", .machine = 1, .local_rank = 1}};

struct side { /* one rank's end */
	struct world world;
	struct plan plan;
	struct waiter *waiter;
	struct endpoint *endpoint;
	struct link *link;
	enum status status;
};

/* Addresses cross over here, also between processes. */
static struct shared {
	struct address address[RANKS];
	_Atomic int opened, finished;
} * shared;

static void open_side(struct side *side, int rank)
{
	*side = (struct side){.world = {.rank = rank,
	                              .ranks = RANKS,
	                              .nodes = 1,
	                              .local_rank = rank,
	                              .local_ranks = RANKS,
	                              .places = places,
	                              .run_id = "0123456789abcdef"}};
	side->status = waiter_open(0, &side->waiter);
	if (side->status == ST_OK)
		side->status = transport_shm.open(
		        &side->world, &side->plan, side->waiter, &side->endpoint, &shared->address[rank]);
	shared->opened++;
	while (shared->opened < RANKS)
		clock_sleep_ns(100000);
	side->endpoint->memory = &memory_host;
}

static void close_side(struct side *side)
{
	shared->finished++;
	while (shared->finished < RANKS)
		clock_sleep_ns(100000);
	transport_shm.close(side->endpoint);
	waiter_close(side->waiter);
}

/* Until so much is complete; sleeps whenever nothing grows. */
static enum status pump(struct side *side, uint64_t until)
{
	while (side->link->completed < until) {
		uint64_t before = side->link->completed;
		waiter_arm(side->waiter);
		enum status s = transport_shm.progress(side->endpoint);
		if (s != ST_OK)
			return s;
		if (side->link->completed != before)
			waiter_disarm(side->waiter);
		else if (!waiter_sleep(side->waiter, for_ever_ns))
			return fail(ST_TIMEOUT, "a wake-up got lost at %llu of %llu bytes",
			        (unsigned long long)before, (unsigned long long)until);
	}
	return ST_OK;
}

static unsigned next_random(unsigned *seed)
{
	return *seed = *seed * 1103515245 + 12345;
}

static size_t random_piece(unsigned *seed, uint64_t left)
{
	unsigned r = next_random(seed) >> 8;
	size_t bytes = 8 + (r % 3 == 0 ? r % 40 : r % 3 == 1 ? r % 9000 : r % PIECE) / 8 * 8;
	return bytes < left ? bytes : (size_t)left;
}

static int64_t value_at(uint64_t i)
{
	return (int64_t)(i * 2654435761u);
}

/* Memory of its own, shareable or not. */
static struct buffer make_buffer(bool shareable)
{
	struct buffer b = {.kind = &memory_host, .share_fd = -1, .bytes = STREAM_BYTES};
	if (shareable)
		assert_int_equal(memory_host.alloc(0, STREAM_BYTES, &b), ST_OK);
	else
		b.base = malloc(STREAM_BYTES);
	return b;
}

static void free_buffer(struct buffer *b)
{
	if (b->share_fd >= 0)
		memory_host.free(b);
	else
		free(b->base);
}

/* Random pieces, a few posted ahead. */
static enum status send_stream(bool shareable)
{
	struct side side;
	struct buffer data = make_buffer(shareable);
	uint64_t posted = 0;
	unsigned seed = 7;
	fail_keep(true);
	open_side(&side, 0);
	for (size_t i = 0; i < STREAM_BYTES / 8; i++)
		((int64_t *)data.base)[i] = value_at(i);
	if (side.status == ST_OK)
		side.status = transport_shm.register_memory(side.endpoint, &data);
	if (side.status == ST_OK)
		side.status = transport_shm.connect_send(side.endpoint, 1, &shared->address[1], &side.link);
	while (side.status == ST_OK && side.link->completed < STREAM_BYTES) {
		for (int ahead = 0; ahead < 5 && posted < STREAM_BYTES; ahead++) {
			size_t bytes = random_piece(&seed, STREAM_BYTES - posted);
			transport_shm.send(side.link, (char *)data.base + posted, bytes);
			posted += bytes;
		}
		side.status = pump(&side, posted);
	}
	memset(data.base, 0, STREAM_BYTES); /* complete means that nobody reads it any more */
	close_side(&side);
	free_buffer(&data);
	return side.status;
}

/* Other pieces, every second one added to what lies there; the number of wrong elements in *wrong_p. */
static enum status receive_stream(size_t *wrong_p)
{
	struct side side;
	int64_t *got = malloc(STREAM_BYTES);
	bool *added = calloc(STREAM_BYTES / 8, 1);
	uint64_t posted = 0;
	unsigned seed = 99;
	fail_keep(true);
	open_side(&side, 1);
	for (size_t i = 0; i < STREAM_BYTES / 8; i++)
		got[i] = (int64_t)i;
	if (side.status == ST_OK)
		side.status = transport_shm.connect_recv(side.endpoint, 0, &shared->address[0], &side.link);
	while (side.status == ST_OK && side.link->completed < STREAM_BYTES) {
		for (int ahead = 0; ahead < 5 && posted < STREAM_BYTES; ahead++) {
			size_t bytes = random_piece(&seed, STREAM_BYTES - posted);
			char *at = (char *)got + posted;
			memset(added + posted / 8, ahead % 2, bytes / 8);
			transport_shm.recv(side.link, &(struct landing){.dst = at,
			                                      .local = ahead % 2 ? at : NULL,
			                                      .bytes = bytes,
			                                      .dtype = DT_INT64,
			                                      .redop = OP_SUM,
			                                      .through = ahead == 2});
			posted += bytes;
		}
		side.status = pump(&side, posted);
	}
	*wrong_p = 0;
	for (size_t i = 0; i < STREAM_BYTES / 8; i++)
		*wrong_p += got[i] != value_at(i) + (added[i] ? (int64_t)i : 0);
	close_side(&side);
	free(got);
	free(added);
	return side.status;
}

static int make_shared(void **state)
{
	(void)state;
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < RANKS; i++)
		places[i].pid = getpid();
	return shared == MAP_FAILED;
}

static int free_shared(void **state)
{
	(void)state;
	return munmap(shared, sizeof *shared);
}

static void *send_thread(void *arg)
{
	*(enum status *)arg = send_stream(true);
	return NULL;
}

static void between_threads(void **state)
{
	(void)state;
	pthread_t thread;
	enum status sent;
	size_t wrong;
	assert_int_equal(pthread_create(&thread, NULL, send_thread, &sent), 0);
	enum status received = receive_stream(&wrong);
	pthread_join(thread, NULL);
	assert_int_equal(sent, ST_OK);
	assert_int_equal(received, ST_OK);
	assert_int_equal(wrong, 0);
}

static void to_another_process(bool shareable)
{
	size_t wrong;
	int ended;
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0)
		_exit((int)send_stream(shareable));
	enum status received = receive_stream(&wrong);
	assert_int_equal(waitpid(child, &ended, 0), child);
	assert_int_equal(ended, 0);
	assert_int_equal(received, ST_OK);
	assert_int_equal(wrong, 0);
}

static void between_processes(void **state)
{
	(void)state;
	to_another_process(true);
}

static void memory_that_cannot_be_mapped(void **state)
{
	(void)state;
	to_another_process(false);
}

static void a_buffer_where_another_one_was(void **state)
{
	(void)state;
	struct side side;
	struct buffer first = make_buffer(true), second;
	shared->opened = RANKS - 1;
	open_side(&side, 0);
	transport_shm.register_memory(side.endpoint, &first);
	uint64_t generation = side.endpoint->segment->regions[0].generation;
	transport_shm.register_memory(side.endpoint, &first);
	assert_int_equal(side.endpoint->segment->regions[0].generation, generation);
	memory_host.free(&first);
	second = make_buffer(true);
	transport_shm.register_memory(side.endpoint, &second);
	assert_int_not_equal(side.endpoint->segment->regions[0].generation, generation);
	assert_int_equal(side.endpoint->segment->regions[0].fd, second.share_fd);
	shared->finished = RANKS - 1;
	close_side(&side);
	free_buffer(&second);
}

/* The child connects and then dies without a word. */
static void a_peer_that_dies_is_noticed(void **state)
{
	(void)state;
	struct side side;
	char byte;
	pid_t child = fork();
	if (child == 0) {
		open_side(&side, 0);
		pause();
	}
	fail_keep(true);
	open_side(&side, 1);
	assert_int_equal(
	        transport_shm.connect_recv(side.endpoint, 0, &shared->address[0], &side.link), ST_OK);
	transport_shm.recv(side.link, &(struct landing){.dst = &byte, .bytes = 1});
	assert_int_equal(transport_shm.progress(side.endpoint), ST_OK);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	int64_t start_ns = clock_ns();
	enum status s = ST_OK;
	while (s == ST_OK && clock_ns() - start_ns < for_ever_ns) {
		waiter_arm(side.waiter);
		waiter_sleep(side.waiter, 50000000);
		s = transport_shm.progress(side.endpoint);
	}
	assert_int_equal(s, ST_PEER);
	assert_non_null(strstr(fail_sentence(), "rank 0"));
	shared->finished = RANKS - 1;
	close_side(&side);
	fail_keep(false);
}

/* Closing wakes a peer that sleeps, and tells it. */
static void *close_thread(void *arg)
{
	struct side side;
	open_side(&side, 0);
	side.status = transport_shm.connect_send(side.endpoint, 1, &shared->address[1], &side.link);
	clock_sleep_ns(5000000);
	transport_shm.close(side.endpoint);
	waiter_close(side.waiter);
	*(enum status *)arg = side.status;
	return NULL;
}

static void a_peer_that_closes_is_noticed(void **state)
{
	(void)state;
	pthread_t thread;
	struct side side;
	enum status connected, s = ST_OK;
	char byte;
	assert_int_equal(pthread_create(&thread, NULL, close_thread, &connected), 0);
	fail_keep(true);
	open_side(&side, 1);
	assert_int_equal(
	        transport_shm.connect_recv(side.endpoint, 0, &shared->address[0], &side.link), ST_OK);
	transport_shm.recv(side.link, &(struct landing){.dst = &byte, .bytes = 1});
	while (s == ST_OK) {
		waiter_arm(side.waiter);
		s = transport_shm.progress(side.endpoint);
		if (s == ST_OK)
			assert_true(waiter_sleep(side.waiter, for_ever_ns));
	}
	pthread_join(thread, NULL);
	assert_int_equal(connected, ST_OK);
	assert_int_equal(s, ST_PEER);
	shared->finished = RANKS - 1;
	close_side(&side);
	fail_keep(false);
}

/* An address that is not the peer's, as with another PID namespace, is refused with the reason. */
static void strangers_are_refused(void **state)
{
	(void)state;
	struct side side;
	char why[256] = "";
	shared->opened = RANKS - 1;
	open_side(&side, 0);
	shared->address[1] = shared->address[0];
	assert_true(transport_shm.can_connect(
	        &side.world, 0, &shared->address[0], 1, &shared->address[1], why, sizeof why));
	shared->address[1].opaque[0] ^= 1;
	assert_false(transport_shm.can_connect(
	        &side.world, 0, &shared->address[0], 1, &shared->address[1], why, sizeof why));
	assert_non_null(strstr(why, "rank 1"));
	shared->finished = RANKS - 1;
	close_side(&side);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_shared, free_shared)
	const struct CMUnitTest tests[] = {
	        TEST(between_threads),
	        TEST(between_processes),
	        TEST(memory_that_cannot_be_mapped),
	        TEST(a_buffer_where_another_one_was),
	        TEST(a_peer_that_dies_is_noticed),
	        TEST(a_peer_that_closes_is_noticed),
	        TEST(strangers_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
