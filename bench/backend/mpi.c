/* mpi.c - the MPI library's own collectives, called as any MPI program would: blocking, so that a reading is
 * what OSU's benchmarks read. One rank per process. MPI waits by spinning; that is the library under test,
 * not the harness. Which transport or algorithm the library chose it does not tell, so seen() does not
 * either. */
#include "bench/backend/mpi_internal.h"

#include "bench/core/types.h"
#include "kernels/element.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status mpi_failed(const char *what, int error)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int length = 0;
	MPI_Error_string(error, text, &length);
	text[strcspn(text, "\n")] = 0;
	return fail(ST_SYSTEM, "%s failed: %s", what, text);
}

static enum status mpi_backend_probe(char *why, size_t why_bytes)
{
	int up = 0;
	MPI_Initialized(&up);
	if (up)
		return ST_OK;
	snprintf(why, why_bytes, "not started by an MPI launcher; use mpirun -n RANKS");
	return ST_UNSUPPORTED;
}

static enum status mpi_backend_open(struct world *w, const struct plan *plan, struct communicator **out)
{
	(void)plan;
	if (w->threads > 1)
		return fail(ST_UNSUPPORTED,
		        "'mpi' runs one rank per process, not %d; start more processes with mpirun -n "
		        "instead of -t and -g",
		        w->threads);
	MPI_Comm comm; /* collective: first of all, whatever fails here alone */
	int error = MPI_Comm_split(MPI_COMM_WORLD, w->group, w->rank, &comm);
	if (error != MPI_SUCCESS)
		return mpi_failed("MPI_Comm_split", error);
	enum status s = mpi_types_open();
	struct communicator *c = s == ST_OK ? calloc(1, sizeof *c) : NULL;
	if (!c) {
		MPI_Comm_free(&comm);
		return s == ST_OK ? fail(ST_NOMEM, "no memory for a communicator") : s;
	}
	c->comm = comm;
	MPI_Comm_set_errhandler(c->comm, MPI_ERRORS_RETURN);
	MPI_Comm_rank(c->comm, &c->rank);
	MPI_Comm_size(c->comm, &c->ranks);
	*out = c;
	return ST_OK;
}

static enum status mpi_backend_supports(
        struct communicator *c, const struct collective *collective, enum dtype dtype, enum redop redop)
{
	(void)dtype, (void)redop;
	if (!mpi_call_find(collective->name))
		return fail(
		        ST_UNSUPPORTED, "'mpi' has no call for '%s'; use --backend ring", collective->name);
	return collective->runs_on(c->ranks);
}

/* Where does what this rank exchanges with `peer` lie? Both ways follow from the collective's blocks. */
static void exchange_with(struct bound *b, int peer)
{
	const struct collective *c = b->op.collective;
	const int n = b->on->ranks, me = b->on->rank;
	for (int i = 0; i < c->blocks(n, peer, b->op.root); i++) {
		struct block out = c->block(&b->op.shape, n, peer, b->op.root, i, b->op.traffic);
		if (out.source == me) {
			b->counts[peer] = (int)out.elems;
			b->counts[n + peer] = (int)out.source_offset;
		}
	}
	for (int i = 0; i < c->blocks(n, me, b->op.root); i++) {
		struct block in = c->block(&b->op.shape, n, me, b->op.root, i, b->op.traffic);
		if (in.source == peer) {
			b->counts[2 * n + peer] = (int)in.elems;
			b->counts[3 * n + peer] = (int)in.offset;
		}
	}
}

static enum status size_checked(const struct operation *op)
{
	size_t most = op->shape.send > op->shape.recv ? op->shape.send : op->shape.recv;
	if (most <= INT_MAX)
		return ST_OK;
	return fail(ST_UNSUPPORTED,
	        "'mpi' counts up to %d elements in one call, not %zu of %s; choose a wider -d or a smaller "
	        "-e",
	        INT_MAX, most, dtype_name(op->dtype));
}

static void mpi_backend_unbind(struct bound *b)
{
	free(b->scratch);
	free(b->counts);
	free(b);
}

/* Everything but memory. */
static void settle(struct bound *b, const struct communicator *c, const struct operation *op)
{
	b->on = c;
	b->op = *op;
	b->call = mpi_call_find(op->collective->name);
	b->type = mpi_type(op->dtype);
	b->reduction = op->redop < OP_NONE ? mpi_reduction(op->dtype, op->redop) : MPI_OP_NULL;
	b->count = (int)op->shape.count;
	b->send = (int)op->shape.send;
	b->recv = (int)op->shape.recv;
	b->scales = op->redop == OP_MULSUM;
	b->averages = op->redop == OP_AVG && (op->root == ALL_RANKS || op->root == c->rank);
	b->in_place = op->send_buffer->base == op->recv_buffer->base;
}

/* MPICH 4.0 reads from the address MPI_IN_PLACE when the root of MPI_Reduce is not rank 0: it gets a copy. */
static bool reduces_to_higher(const struct bound *b)
{
	return b->call == mpi_call_find("reduce") && b->op.root > 0 && b->op.root == b->on->rank;
}

static enum status mpi_backend_bind(struct communicator *c, const struct operation *op, struct bound **out)
{
	enum status s = size_checked(op);
	if (s != ST_OK)
		return s;
	struct bound *b = calloc(1, sizeof *b);
	if (!b)
		return fail(ST_NOMEM, "no memory for an operation");
	settle(b, c, op);
	bool individual = b->call == mpi_call_find("alltoallv");
	size_t bytes = op->shape.send * dtype_bytes(op->dtype);
	if (b->scales || (b->in_place && (individual || reduces_to_higher(b)))) {
		b->in_place = false;
		if (posix_memalign(&b->scratch, 4096, bytes + 1) != 0)
			s = fail(ST_NOMEM, "no memory for %zu bytes beside the buffers", bytes);
	}
	if (individual && s == ST_OK) {
		b->counts = calloc(4 * (size_t)c->ranks, sizeof *b->counts);
		if (!b->counts)
			s = fail(ST_NOMEM, "no memory for the counts of %d ranks", c->ranks);
		for (int peer = 0; peer < c->ranks && s == ST_OK; peer++)
			exchange_with(b, peer);
	}
	if (s == ST_OK)
		*out = b;
	else
		mpi_backend_unbind(b);
	return s;
}

static enum status mpi_backend_start(struct bound *b, size_t shift_bytes)
{
	const struct memory_kind *memory = b->op.recv_buffer->kind;
	const char *send = (const char *)b->op.send + shift_bytes;
	char *recv = (char *)b->op.recv + shift_bytes;
	enum status s = ST_OK;
	if (b->scales)
		s = memory->scale(b->scratch, send, (size_t)b->send, b->op.dtype,
		        element_mulsum_scalar((uint32_t)b->on->rank));
	else if (b->scratch)
		s = memory->copy(b->scratch, send, (size_t)b->send * dtype_bytes(b->op.dtype));
	if (s != ST_OK)
		return s;
	int error = b->call(b, b->scratch ? b->scratch : send, recv);
	if (error != MPI_SUCCESS)
		return mpi_failed(b->op.collective->name, error);
	return b->averages ? memory->divide(recv, recv, (size_t)b->recv, b->op.dtype, b->on->ranks) : ST_OK;
}

static enum status mpi_backend_poll(struct bound *b, int64_t wait_ns, bool *done_p)
{
	(void)b, (void)wait_ns;
	*done_p = true;
	return ST_OK;
}

static enum status mpi_backend_sync(struct communicator *c)
{
	int error = MPI_Barrier(c->comm);
	return error == MPI_SUCCESS ? ST_OK : mpi_failed("MPI_Barrier", error);
}

static void mpi_backend_seen(struct bound *b, struct seen *out)
{
	(void)b;
	*out = (struct seen){0};
}

static void mpi_backend_close(struct communicator *c)
{
	MPI_Comm_free(&c->comm);
	mpi_types_close();
	free(c);
}

extern const struct backend backend_mpi;
const struct backend backend_mpi = {
        .name = "mpi",
        .help = "the MPI library's own collectives, one rank per process",
        .probe = mpi_backend_probe,
        .open = mpi_backend_open,
        .supports = mpi_backend_supports,
        .bind = mpi_backend_bind,
        .start = mpi_backend_start,
        .poll = mpi_backend_poll,
        .sync = mpi_backend_sync,
        .seen = mpi_backend_seen,
        .unbind = mpi_backend_unbind,
        .close = mpi_backend_close,
};
