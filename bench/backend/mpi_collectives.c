/* mpi_collectives.c - one call into MPI for each collective. In place, the contract keeps a rank's input in
 * its share of the receive buffer; where MPI's own in-place rule differs, that is said and made good here. No
 * scaling, no averaging, no choice of types: see mpi.c. */
#include "bench/backend/mpi_internal.h"

#include "bench/core/types.h"

#include <string.h>

enum { TAG = 1 };

static size_t bytes_of(const struct bound *b, int elems)
{
	return (size_t)elems * dtype_bytes(b->op.dtype);
}

static int all_reduce(const struct bound *b, const char *send, char *recv)
{
	return MPI_Allreduce(
	        b->in_place ? MPI_IN_PLACE : send, recv, b->count, b->type, b->reduction, b->on->comm);
}

/* MPI leaves the result at the start of the buffer that held the input; the contract wants it at this rank's
 * share. */
static int reduce_scatter(const struct bound *b, const char *send, char *recv)
{
	if (!b->in_place)
		return MPI_Reduce_scatter_block(send, recv, b->recv, b->type, b->reduction, b->on->comm);
	char *base = recv - bytes_of(b, b->recv) * (size_t)b->on->rank;
	int error = MPI_Reduce_scatter_block(MPI_IN_PLACE, base, b->recv, b->type, b->reduction, b->on->comm);
	if (b->on->rank > 0)
		memcpy(recv, base, bytes_of(b, b->recv));
	return error;
}

static int all_gather(const struct bound *b, const char *send, char *recv)
{
	return MPI_Allgather(
	        b->in_place ? MPI_IN_PLACE : send, b->send, b->type, recv, b->send, b->type, b->on->comm);
}

static int alltoall(const struct bound *b, const char *send, char *recv)
{
	return MPI_Alltoall(
	        b->in_place ? MPI_IN_PLACE : send, b->count, b->type, recv, b->count, b->type, b->on->comm);
}

/* In place the counts may differ between the two directions of a pair, which MPI does not allow: send is a
 * copy then. */
static int alltoallv(const struct bound *b, const char *send, char *recv)
{
	const int n = b->on->ranks;
	const int *counts = b->counts;
	return MPI_Alltoallv(send, counts, counts + n, b->type, recv, counts + 2 * n, counts + 3 * n, b->type,
	        b->on->comm);
}

/* MPI has one buffer, the contract two: the root sends from its input and copies that to its output. */
static int broadcast(const struct bound *b, const char *send, char *recv)
{
	if (b->on->rank != b->op.root)
		return MPI_Bcast(recv, b->count, b->type, b->op.root, b->on->comm);
	int error = MPI_Bcast((void *)send, b->count, b->type, b->op.root, b->on->comm);
	if (!b->in_place)
		memcpy(recv, send, bytes_of(b, b->count));
	return error;
}

static int reduce(const struct bound *b, const char *send, char *recv)
{
	bool keeps = b->in_place && b->on->rank == b->op.root;
	return MPI_Reduce(
	        keeps ? MPI_IN_PLACE : send, recv, b->count, b->type, b->reduction, b->op.root, b->on->comm);
}

static int gather(const struct bound *b, const char *send, char *recv)
{
	bool keeps = b->in_place && b->on->rank == b->op.root;
	return MPI_Gather(keeps ? MPI_IN_PLACE : send, b->send, b->type, recv, b->send, b->type, b->op.root,
	        b->on->comm);
}

static int scatter(const struct bound *b, const char *send, char *recv)
{
	bool keeps = b->in_place && b->on->rank == b->op.root;
	return MPI_Scatter(send, b->recv, b->type, keeps ? MPI_IN_PLACE : recv, b->recv, b->type, b->op.root,
	        b->on->comm);
}

static int sendrecv(const struct bound *b, const char *send, char *recv)
{
	const int n = b->on->ranks, to = (b->on->rank + 1) % n, from = (b->on->rank + n - 1) % n;
	if (b->in_place)
		return MPI_Sendrecv_replace(
		        recv, b->count, b->type, to, TAG, from, TAG, b->on->comm, MPI_STATUS_IGNORE);
	return MPI_Sendrecv(send, b->count, b->type, to, TAG, recv, b->count, b->type, from, TAG, b->on->comm,
	        MPI_STATUS_IGNORE);
}

/* In each dimension partners exchange all they hold: a run of 1, 2, 4, ... shares that starts at a multiple
 * of it. */
static int hypercube(const struct bound *b, const char *send, char *recv)
{
	const int rank = b->on->rank;
	int error = MPI_SUCCESS;
	if (!b->in_place)
		memcpy(recv + bytes_of(b, b->send) * (size_t)rank, send, bytes_of(b, b->send));
	for (int reach = 1; reach < b->on->ranks && error == MPI_SUCCESS; reach *= 2) {
		int partner = rank ^ reach, elems = b->send * reach;
		char *mine = recv + bytes_of(b, b->send) * (size_t)(rank & ~(reach - 1));
		char *theirs = recv + bytes_of(b, b->send) * (size_t)(partner & ~(reach - 1));
		error = MPI_Sendrecv(mine, elems, b->type, partner, TAG, theirs, elems, b->type, partner, TAG,
		        b->on->comm, MPI_STATUS_IGNORE);
	}
	return error;
}

static const struct {
	const char *collective;
	int (*call)(const struct bound *, const char *send, char *recv);
} calls[] = {
        {"all_reduce", all_reduce},
        {"reduce_scatter", reduce_scatter},
        {"all_gather", all_gather},
        {"alltoall", alltoall},
        {"alltoallv", alltoallv},
        {"broadcast", broadcast},
        {"reduce", reduce},
        {"gather", gather},
        {"scatter", scatter},
        {"sendrecv", sendrecv},
        {"hypercube", hypercube},
};

int (*mpi_call_find(const char *collective))(const struct bound *, const char *send, char *recv)
{
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (!strcmp(calls[i].collective, collective))
			return calls[i].call;
	return NULL;
}
