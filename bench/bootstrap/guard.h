/* guard.h - bounds a library call that has no bound: unless it is back in time, something else happens. */
#ifndef BENCH_BOOTSTRAP_GUARD_H
#define BENCH_BOOTSTRAP_GUARD_H

struct guard;

/* After `seconds`, instead(exit_code) runs in a thread of its own; it must end the process. NULL when no
 * thread can be had: the call is then unguarded. */
struct guard *guard_begin(double seconds, void (*instead)(int exit_code), int exit_code);

/* The call came back. NULL is fine. */
void guard_end(struct guard *);

#endif
