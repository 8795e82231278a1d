/* mpi_internal.h - what the files of the mpi backend share; nothing outside includes it. */
#ifndef BENCH_BACKEND_MPI_INTERNAL_H
#define BENCH_BACKEND_MPI_INTERNAL_H

#include "bench/backend/backend.h"

#include <mpi.h>

struct communicator {
	MPI_Comm comm;
	int rank, ranks;
};

struct bound {
	const struct communicator *on;
	struct operation op;
	MPI_Datatype type;
	MPI_Op reduction;
	int count, send, recv; /* elements, as in the shape */
	bool in_place;         /* for MPI: scratch is not */
	bool scales;           /* mulsum: the input times this rank's scalar goes through scratch */
	bool averages;         /* this rank divides its result */
	void *scratch;         /* sent instead of the input; NULL where that can be sent from its place */
	int *counts; /* alltoallv: send counts, send offsets, receive counts, receive offsets, [4][ranks] */
	int (*call)(const struct bound *, const char *send, char *recv);
};

/* The call for a collective, by its name; NULL when there is none. */
int (*mpi_call_find(const char *collective))(const struct bound *, const char *send, char *recv);

/* MPI's own type and operation where it has them, else ours; made once, freed by mpi_types_close(). */
enum status mpi_types_open(void);
MPI_Datatype mpi_type(enum dtype);
MPI_Op mpi_reduction(enum dtype, enum redop); /* avg and mulsum are sums */
void mpi_types_close(void);

/* What the library says of an error, as one sentence. */
enum status mpi_failed(const char *what, int error);

#endif
