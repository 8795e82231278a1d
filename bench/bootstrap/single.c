/* single.c - the bootstrap of a run that is one process: nobody else to talk to.
 * Not for the threads of that process: they combine in world.c before anything gets here. */
#include "bench/bootstrap/bootstrap.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static enum status single_probe(void)
{
	return ST_OK;
}

static enum status single_open(int *argc, char ***argv, int *process_p, int *processes_p)
{
	(void)argc;
	(void)argv;
	*process_p = 0;
	*processes_p = 1;
	return ST_OK;
}

static enum status single_allgather(const void *mine, size_t bytes, void *all)
{
	if (mine != all)
		memcpy(all, mine, bytes);
	return ST_OK;
}

static enum status single_broadcast(void *data, size_t bytes)
{
	(void)data;
	(void)bytes;
	return ST_OK;
}

static enum status single_reduce(enum reduction how, int64_t *values, size_t count)
{
	(void)how;
	(void)values;
	(void)count;
	return ST_OK;
}

static enum status single_barrier(void)
{
	return ST_OK;
}

static void single_deadline(double seconds)
{
	(void)seconds; /* no call here waits */
}

static void single_abort(int exit_code)
{
	_exit(exit_code);
}

static enum status single_close(int exit_code)
{
	(void)exit_code;
	fflush(NULL);
	return ST_OK;
}

static const char *single_library(void)
{
	return "one process";
}

const struct bootstrap bootstrap_single = {
        .name = "single",
        .help = "one process, started without a launcher",
        .probe = single_probe,
        .open = single_open,
        .allgather = single_allgather,
        .broadcast = single_broadcast,
        .reduce = single_reduce,
        .barrier = single_barrier,
        .deadline = single_deadline,
        .abort = single_abort,
        .close = single_close,
        .library = single_library,
};
