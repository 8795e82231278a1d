/* mpi.c - the bootstrap under an MPI launcher: nonblocking collectives on a communicator of its own, tested
 * with growing sleeps in between, because a blocking MPI call spins. Only the initial thread calls in here.
 */
#include "bench/bootstrap/bootstrap.h"

#include "bench/bootstrap/guard.h"
#include "bench/core/clock.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
	EAGER_TESTS = 64, /* without sleep in between: a small exchange among ranks that are all there */
	WAIT_SHARE = 8,   /* then each sleep is this part of the time waited so far, within bounds: */
	SHORTEST_SLEEP_NS = 1000,
	LONGEST_SLEEP_NS = 200000,
	PRINTED_NS = 300000000,
};

static const double open_deadline_s = BOOTSTRAP_DEADLINE_S, close_deadline_s = 2, abort_deadline_s = 2;

static MPI_Comm control = MPI_COMM_NULL;
static int me;
static double deadline_s = BOOTSTRAP_DEADLINE_S;

/* Set by a launcher that speaks PMI or PMIx, or by srun for each task of a step. */
static enum status mpi_probe(void)
{
	static const char *const signs[] = {
	        "PMI_RANK", "PMI_FD", "PMI_PORT", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"};
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		if (getenv(signs[i]))
			return ST_OK;
	const char *tasks = getenv("SLURM_STEP_NUM_TASKS");
	return tasks && getenv("SLURM_PROCID") && strtol(tasks, NULL, 10) > 1 ? ST_OK : ST_UNSUPPORTED;
}

/* Says what the MPI library says, for the call that failed. */
static enum status failed(const char *what, int error)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int length = 0;
	MPI_Error_string(error, text, &length);
	text[strcspn(text, "\n")] = 0;
	return fail(ST_PEER, "%s failed: %s; see whether another process or its host went away", what, text);
}

/* Sleeps until the request is complete, the deadline passes or the library gives up on it. */
static enum status complete(int error, MPI_Request *request, const char *what)
{
	int done = 0;
	int64_t start = clock_ns();
	for (int test = 0; error == MPI_SUCCESS; test++) {
		error = MPI_Test(request, &done, MPI_STATUS_IGNORE);
		if (done)
			break;
		if (test < EAGER_TESTS)
			continue;
		int64_t waited_ns = clock_ns() - start, sleep_ns = waited_ns / WAIT_SHARE;
		if (deadline_s > 0 && (double)waited_ns > deadline_s * 1e9)
			return fail(ST_TIMEOUT,
			        "no answer to %s from every process for %g s; see which one is stopped", what,
			        deadline_s);
		clock_sleep_ns(sleep_ns < SHORTEST_SLEEP_NS  ? SHORTEST_SLEEP_NS
		               : sleep_ns > LONGEST_SLEEP_NS ? LONGEST_SLEEP_NS
		                                             : sleep_ns);
	}
	return error == MPI_SUCCESS ? ST_OK : failed(what, error);
}

static enum status mpi_barrier(void)
{
	MPI_Request request;
	return complete(MPI_Ibarrier(control, &request), &request, "a barrier of the control channel");
}

/* As MPI counts it, or -1 after a sentence. */
static int counted(size_t n)
{
	if (n <= INT_MAX)
		return (int)n;
	fail(ST_UNSUPPORTED, "%zu items are more than one message of the control channel holds (%d)", n,
	        INT_MAX);
	return -1;
}

static enum status mpi_allgather(const void *mine, size_t bytes, void *all)
{
	MPI_Request request;
	int count = counted(bytes);
	if (count < 0)
		return ST_UNSUPPORTED;
	const void *send = mine == (char *)all + bytes * (size_t)me ? MPI_IN_PLACE : mine;
	return complete(MPI_Iallgather(send, count, MPI_BYTE, all, count, MPI_BYTE, control, &request),
	        &request, "a gather of the control channel");
}

static enum status mpi_broadcast(void *data, size_t bytes)
{
	MPI_Request request;
	int count = counted(bytes);
	if (count < 0)
		return ST_UNSUPPORTED;
	return complete(MPI_Ibcast(data, count, MPI_BYTE, 0, control, &request), &request,
	        "a broadcast of the control channel");
}

static enum status mpi_reduce(enum reduction how, int64_t *values, size_t count)
{
	MPI_Op op = how == REDUCE_MIN ? MPI_MIN : how == REDUCE_MAX ? MPI_MAX : MPI_SUM;
	MPI_Request request;
	int n = counted(count);
	if (n < 0)
		return ST_UNSUPPORTED;
	return complete(MPI_Iallreduce(MPI_IN_PLACE, values, n, MPI_INT64_T, op, control, &request), &request,
	        "a reduction of the control channel");
}

static void mpi_deadline(double seconds)
{
	deadline_s = seconds;
}

/* The launcher kills without reading its pipes to the end: the cause, printed last, needs a moment. */
static void mpi_abort(int exit_code)
{
	clock_sleep_ns(PRINTED_NS);
	guard_begin(abort_deadline_s, _exit, exit_code);
	MPI_Abort(MPI_COMM_WORLD, exit_code);
	_exit(exit_code);
}

static void give_up_open(int exit_code)
{
	fail(ST_TIMEOUT, "MPI_Init is not back after %g s; see whether all processes and their hosts are up",
	        open_deadline_s);
	_exit(exit_code);
}

/* Stands in for UCX's, which MPICH 4.0 calls for each peer in MPI_Finalize before it waits for the launcher's
 * barrier. Over tcp that close needs the peer's help, and a peer that waits already gives none: with 8 ranks
 * on 8 hosts both then wait for ever. Closed at once is right here: mpi_close() has seen every process
 * arrive, nothing is in flight, and the worker takes its endpoints along when it goes. Later MPICH neither
 * needs nor calls it. */
void *ucp_disconnect_nb(void *endpoint);
void *ucp_disconnect_nb(void *endpoint)
{
	(void)endpoint;
	return NULL;
}

static enum status mpi_open(int *argc, char ***argv, int *process_p, int *processes_p)
{
	int provided = MPI_THREAD_SINGLE;
	prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL); /* else the shortest sleep lasts 50 us */
	struct guard *guard = guard_begin(open_deadline_s, give_up_open, status_exit_code(ST_TIMEOUT));
	int error = MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
	guard_end(guard);
	if (error != MPI_SUCCESS || provided < MPI_THREAD_FUNNELED)
		return fail(ST_SYSTEM, "MPI_Init gives error %d and thread level %d, not MPI_THREAD_FUNNELED",
		        error, provided);
	error = MPI_Comm_dup(MPI_COMM_WORLD, &control);
	if (error != MPI_SUCCESS)
		return failed("MPI_Comm_dup", error);
	MPI_Comm_set_errhandler(control, MPI_ERRORS_RETURN);
	MPI_Comm_rank(control, &me);
	MPI_Comm_size(control, processes_p);
	*process_p = me;
	return ST_OK;
}

static enum status mpi_close(int exit_code)
{
	fflush(NULL);
	enum status s = mpi_barrier();
	if (s != ST_OK)
		mpi_abort(exit_code ? exit_code : status_exit_code(s));
	struct guard *guard = guard_begin(close_deadline_s, _exit, exit_code);
	MPI_Comm_free(&control);
	MPI_Finalize();
	guard_end(guard);
	return ST_OK;
}

static const char *mpi_library(void)
{
	static char text[MPI_MAX_LIBRARY_VERSION_STRING];
	int length = 0;
	MPI_Get_library_version(text, &length);
	text[strcspn(text, "\n")] = 0;
	return text;
}

const struct bootstrap bootstrap_mpi = {
        .name = "mpi",
        .help = "processes started by mpirun or srun",
        .probe = mpi_probe,
        .open = mpi_open,
        .allgather = mpi_allgather,
        .broadcast = mpi_broadcast,
        .reduce = mpi_reduce,
        .barrier = mpi_barrier,
        .deadline = mpi_deadline,
        .abort = mpi_abort,
        .close = mpi_close,
        .library = mpi_library,
};
