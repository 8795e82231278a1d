/* backend.h - who carries out a collective. One file per backend, one line in registry.c.
 * All calls are made by rank threads. open, bind, unbind and close are collective over the ranks of a group.
 */
#ifndef BENCH_BACKEND_BACKEND_H
#define BENCH_BACKEND_BACKEND_H

#include "bench/collective/collective.h"
#include "bench/core/plan.h"
#include "bench/core/world.h"
#include "bench/memory/memory.h"

struct communicator; /* each backend's own */
struct bound;        /* an operation made ready: each backend's own */

struct operation {
	const struct collective *collective;
	const struct traffic *traffic; /* alltoallv */
	struct shape shape;
	enum dtype dtype;
	enum redop redop; /* OP_NONE where nothing is reduced */
	int root;         /* group rank, or ALL_RANKS */
	const void *send; /* inside send_buffer (in place: recv_buffer), which can be registered */
	void *recv;
	const struct buffer *send_buffer, *recv_buffer;
};

/* What ran, as far as the backend can prove it; "" or 0 where it cannot. */
struct seen {
	char transport[32]; /* "shm", "socket", "shm+socket" ... over this rank's links that carried data */
	char algorithm[24];
	char protocol[16];
	int channels;
};

struct backend {
	const char *name, *help;
	bool needs_cuda;
	bool queues; /* operations queue up behind start(): the runner starts a whole row before it waits once
	              */
	enum status (*probe)(char *why, size_t why_bytes);
	enum status (*open)(struct world *, const struct plan *, struct communicator **out);
	/* ST_OK, or ST_UNSUPPORTED with a sentence that says what it can do instead. */
	enum status (*supports)(struct communicator *, const struct collective *, enum dtype, enum redop);
	enum status (*bind)(struct communicator *, const struct operation *, struct bound **out);
	/* Enqueues the operation once more, on data shift_bytes further into both buffers (nccl-tests walks
	 * through the buffers from one iteration to the next). May carry it out when the library knows only
	 * blocking calls. */
	enum status (*start)(struct bound *, size_t shift_bytes);
	/* Works or sleeps for up to wait_ns until all that was started is done. Never spins while another
	 * rank needs the core. */
	enum status (*poll)(struct bound *, int64_t wait_ns, bool *done_p);
	/* Ends what is in flight, after which only unbind and close are valid; NULL when the library cannot.
	 */
	enum status (*cancel)(struct communicator *);
	/* Bytes that this rank has moved so far: how the runner tells slow from stuck. NULL: not known. */
	uint64_t (*moved_bytes)(const struct communicator *);
	/* Lines ranks up on the data path, cheaper and tighter than the control channel; NULL when there is
	 * none. */
	enum status (*sync)(struct communicator *);
	void (*seen)(struct bound *, struct seen *out);
	void (*unbind)(struct bound *);
	void (*close)(struct communicator *);
};

#endif
