/* waiter.c - see waiter.h. */
#include "bench/transport/waiter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct waiter {
	struct doorbell *door;
	struct doorbell nobody; /* stands in while there is no doorbell */
	int64_t spin_ns;
	int epoll_fd;
	int pipe_fd[2];
	bool watches; /* descriptors too */
};

static struct timespec timespec_of(int64_t ns)
{
	return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

static bool watch(struct waiter *w, int fd)
{
	struct epoll_event e = {.events = EPOLLIN, .data.fd = fd};
	return epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, fd, &e) == 0;
}

enum status waiter_open(int64_t spin_ns, struct waiter **out)
{
	struct waiter *w = aligned_alloc(64, sizeof *w);
	if (!w)
		return fail(ST_NOMEM, "no memory for a waiter");
	*w = (struct waiter){.spin_ns = spin_ns, .epoll_fd = -1, .pipe_fd = {-1, -1}};
	w->door = &w->nobody;
	w->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (w->epoll_fd < 0 || pipe2(w->pipe_fd, O_CLOEXEC | O_NONBLOCK) || !watch(w, w->pipe_fd[0])) {
		enum status s = fail(ST_SYSTEM, "cannot make a place to sleep: %s", strerror(errno));
		waiter_close(w);
		return s;
	}
	*out = w;
	return ST_OK;
}

void waiter_close(struct waiter *w)
{
	if (!w)
		return;
	if (w->epoll_fd >= 0)
		close(w->epoll_fd);
	for (int i = 0; i < 2; i++)
		if (w->pipe_fd[i] >= 0)
			close(w->pipe_fd[i]);
	free(w);
}

int64_t waiter_spin_ns(const struct waiter *w)
{
	return w->spin_ns;
}

void waiter_set_spin(struct waiter *w, int64_t spin_ns)
{
	w->spin_ns = spin_ns;
}

enum status waiter_watch(struct waiter *w, int fd)
{
	if (!watch(w, fd))
		return fail(ST_SYSTEM, "cannot watch descriptor '%d': %s", fd, strerror(errno));
	w->watches = true;
	return ST_OK;
}

void waiter_hang(struct waiter *w, struct doorbell *door)
{
	w->door = door ? door : &w->nobody;
}

int waiter_pipe_fd(const struct waiter *w)
{
	return w->pipe_fd[1];
}

/* The fence pairs with the one in bell_ring(): either the peer sees us armed, or our next look sees what it
 * stored. */
void waiter_arm(struct waiter *w)
{
	atomic_store_explicit(&w->door->state, w->watches ? BELL_PIPE : BELL_FUTEX, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
}

void waiter_disarm(struct waiter *w)
{
	atomic_store_explicit(&w->door->state, BELL_AWAKE, memory_order_relaxed);
}

/* A bell that rang while nobody slept leaves a byte behind; it costs one wake-up for nothing. */
static bool sleep_on_descriptors(struct waiter *w, const struct timespec *limit)
{
	struct epoll_event event;
	char bytes[64];
	int count = epoll_pwait2(w->epoll_fd, &event, 1, limit, NULL);
	if (count == 1 && event.data.fd == w->pipe_fd[0])
		while (read(w->pipe_fd[0], bytes, sizeof bytes) == (ssize_t)sizeof bytes)
			;
	return count != 0;
}

static bool sleep_on_futex(struct waiter *w, const struct timespec *limit)
{
	return !syscall(SYS_futex, &w->door->state, FUTEX_WAIT, BELL_FUTEX, limit, NULL, 0) ||
	       errno != ETIMEDOUT;
}

bool waiter_sleep(struct waiter *w, int64_t ns)
{
	struct timespec limit = timespec_of(ns);
	bool woken = (w->watches ? sleep_on_descriptors : sleep_on_futex)(w, &limit);
	waiter_disarm(w);
	return woken;
}

/* One ringer wakes the rank; the others find it awake. */
void bell_wake(const struct bell *b)
{
	uint32_t was = atomic_exchange(&b->door->state, BELL_AWAKE);
	if (was == BELL_FUTEX)
		syscall(SYS_futex, &b->door->state, FUTEX_WAKE, 1, NULL, NULL, 0);
	else if (was == BELL_PIPE && write(b->pipe_fd, "", 1) < 0)
		return; /* the pipe is full of wake-ups, or its owner is gone */
}
