/* ring_execute.h - carries a schedule out over links: posts what may be posted, lets transports move it,
 * finishes what has landed, sleeps when there is nothing to do. */
#ifndef BENCH_BACKEND_RING_EXECUTE_H
#define BENCH_BACKEND_RING_EXECUTE_H

#include "bench/backend/ring_links.h"

struct execution {
	struct links *links;
	const struct schedule *plan;
	const struct memory_kind *memory;
	enum dtype dtype;
	enum redop redop;                      /* one that memory kinds reduce with */
	int ranks;                             /* what an average divides by */
	double scale;                          /* of the first copy */
	unsigned char *base[SCHEDULE_BUFFERS]; /* of this run */
	uint64_t *send_end, *recv_end;         /* [entry] link positions behind what was posted */
	uint32_t sends_posted, sends_done, recvs_posted, recvs_done, copies_done;
	size_t copied_bytes; /* of the current copy */
	bool running;
};

/* Room for the bookkeeping of a schedule; everything else is filled in by the caller. */
enum status execution_make(struct execution *);
void execution_free(struct execution *);

/* From the start; bases are set. */
enum status execution_start(struct execution *);
/* Works or sleeps for up to wait_ns until all is done. */
enum status execution_poll(struct execution *, int64_t wait_ns, bool *done_p);

#endif
