/* ring_execute.c - see ring_execute.h. */
#include "bench/backend/ring_execute.h"

#include "bench/core/clock.h"
#include "bench/core/types.h"

#include <stdlib.h>

enum { COPY_BYTES = 256 * 1024 }; /* at a time, between looks at the links */

static const int64_t sleep_most_ns = 100000000; /* so that a peer's death is noticed */

enum status execution_make(struct execution *x)
{
	x->send_end = malloc((x->plan->send_count + 1) * sizeof *x->send_end);
	x->recv_end = malloc((x->plan->recv_count + 1) * sizeof *x->recv_end);
	if (x->send_end && x->recv_end)
		return ST_OK;
	execution_free(x);
	return fail(ST_NOMEM, "no memory to carry out a schedule of %u pieces",
	        x->plan->send_count + x->plan->recv_count);
}

void execution_free(struct execution *x)
{
	free(x->send_end);
	free(x->recv_end);
	x->send_end = x->recv_end = NULL;
}

static unsigned char *at(const struct execution *x, struct spot s)
{
	return x->base[s.in] + s.offset;
}

enum status execution_start(struct execution *x)
{
	const struct schedule_copy *first = &x->plan->first;
	x->sends_posted = x->sends_done = x->recvs_posted = x->recvs_done = x->copies_done = 0;
	x->copied_bytes = 0;
	x->running = true;
	if (!first->bytes)
		return ST_OK;
	if (!x->plan->first_scales)
		return x->memory->copy(at(x, first->to), at(x, first->from), first->bytes);
	return x->memory->scale(at(x, first->to), at(x, first->from), first->bytes / dtype_bytes(x->dtype),
	        x->dtype, x->scale);
}

/* --- posting --- */

static enum status post_recvs(struct execution *x)
{
	enum status s = ST_OK;
	while (s == ST_OK && x->recvs_posted < x->plan->recv_count) {
		const struct schedule_recv *e = &x->plan->recvs[x->recvs_posted];
		if (x->recvs_posted - x->recvs_done == TRANSPORT_WINDOW || e->after_recvs > x->recvs_done ||
		        e->after_sends > x->sends_done)
			break;
		struct ring_link *l = &x->links->recv[e->peer];
		struct landing landing = {
		        .dst = at(x, e->to),
		        .local = e->with.in ? at(x, e->with) : NULL,
		        .bytes = e->bytes,
		        .dtype = x->dtype,
		        .redop = x->redop,
		        .through = e->through,
		};
		s = l->transport->recv(l->link, &landing);
		x->recv_end[x->recvs_posted++] = l->position += e->bytes;
	}
	return s;
}

static enum status post_sends(struct execution *x)
{
	enum status s = ST_OK;
	while (s == ST_OK && x->sends_posted < x->plan->send_count) {
		const struct schedule_send *e = &x->plan->sends[x->sends_posted];
		if (x->sends_posted - x->sends_done == TRANSPORT_WINDOW || e->after_recvs > x->recvs_done)
			break;
		struct ring_link *l = &x->links->send[e->peer];
		s = l->transport->send(l->link, at(x, e->from), e->bytes);
		x->send_end[x->sends_posted++] = l->position += e->bytes;
	}
	return s;
}

/* --- what came of it --- */

static enum status copy(const struct execution *x, void *dst, const void *src, size_t bytes)
{
	bool through = x->plan->through && x->memory->copy_through;
	return (through ? x->memory->copy_through : x->memory->copy)(dst, src, bytes);
}

/* What is left to do on a piece that has landed. */
static enum status finish(const struct execution *x, const struct schedule_recv *e)
{
	unsigned char *to = at(x, e->to);
	size_t elems = e->own.in || e->divide ? e->bytes / dtype_bytes(x->dtype) : 0;
	enum status s = ST_OK;
	if (e->own.in)
		s = x->memory->reduce(to, to, at(x, e->own), elems, x->dtype, x->redop);
	if (e->divide && s == ST_OK)
		s = x->memory->divide(to, to, elems, x->dtype, x->ranks);
	return s;
}

static enum status reap(struct execution *x)
{
	enum status s = ST_OK;
	while (x->sends_done < x->sends_posted) {
		const struct ring_link *l = &x->links->send[x->plan->sends[x->sends_done].peer];
		if (l->transport->completed(l->link) < x->send_end[x->sends_done])
			break;
		x->sends_done++;
	}
	while (s == ST_OK && x->recvs_done < x->recvs_posted) {
		const struct schedule_recv *e = &x->plan->recvs[x->recvs_done];
		const struct ring_link *l = &x->links->recv[e->peer];
		if (l->transport->completed(l->link) < x->recv_end[x->recvs_done])
			break;
		s = finish(x, e);
		x->recvs_done++;
	}
	return s;
}

/* Part of the copies within the rank. */
static enum status copy_some(struct execution *x)
{
	const struct schedule_copy *c = &x->plan->copies[x->copies_done];
	size_t left = c->bytes - x->copied_bytes, bytes = left < COPY_BYTES ? left : COPY_BYTES;
	enum status s = copy(x, at(x, c->to) + x->copied_bytes, at(x, c->from) + x->copied_bytes, bytes);
	x->copied_bytes += bytes;
	if (bytes == left) {
		x->copied_bytes = 0;
		x->copies_done++;
	}
	return s;
}

static bool all_done(const struct execution *x)
{
	return x->recvs_done == x->plan->recv_count && x->sends_done == x->plan->send_count &&
	       x->copies_done == x->plan->copy_count;
}

/* One round; *moved_p: something was achieved, so another round may find more. */
static enum status work(struct execution *x, bool *moved_p)
{
	uint32_t sends = x->sends_done, recvs = x->recvs_done;
	enum status s = post_recvs(x);
	if (s == ST_OK)
		s = post_sends(x);
	if (s == ST_OK)
		s = links_progress(x->links);
	if (s == ST_OK)
		s = reap(x);
	*moved_p = x->sends_done != sends || x->recvs_done != recvs;
	if (s == ST_OK && !*moved_p && x->copies_done < x->plan->copy_count) {
		s = copy_some(x);
		*moved_p = true;
	}
	return s;
}

/* Between the look and the sleep a peer's bell is heard. */
static enum status nap(struct execution *x, int64_t ns, bool *moved_p)
{
	struct waiter *w = x->links->waiter;
	waiter_arm(w);
	enum status s = work(x, moved_p);
	if (s != ST_OK || *moved_p)
		waiter_disarm(w);
	else
		waiter_sleep(w, ns < sleep_most_ns ? ns : sleep_most_ns);
	return s;
}

enum status execution_poll(struct execution *x, int64_t wait_ns, bool *done_p)
{
	int64_t spin_ns = waiter_spin_ns(x->links->waiter), idle_ns = 0, until_ns = 0;
	while (x->running) {
		bool moved = false;
		enum status s = work(x, &moved);
		if (s == ST_OK && !moved && !all_done(x)) {
			int64_t now_ns = clock_ns();
			until_ns = until_ns ? until_ns : now_ns + wait_ns;
			idle_ns = idle_ns ? idle_ns : now_ns;
			if (now_ns >= until_ns)
				break;
			if (now_ns - idle_ns >= spin_ns)
				s = nap(x, until_ns - now_ns, &moved);
		}
		if (moved)
			idle_ns = 0;
		if (s != ST_OK)
			return s;
		x->running = !all_done(x);
	}
	*done_p = !x->running;
	return ST_OK;
}
