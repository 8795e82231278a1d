/* status.h - how a function says that it failed, and how a program says it to a person.
 *
 * The function that decides WHICH error it is calls fail() with the whole sentence: lower case, no full
 * stop, the subject in quotes, the observed cause, the fix. Callers pass the status up in silence.
 * In a rank thread the sentence is kept, not printed: the next world_agree() prints the sentence of the
 * rank that holds the worst status, so that a cause appears once however many ranks suffer from it.
 */
#ifndef BENCH_CORE_STATUS_H
#define BENCH_CORE_STATUS_H

#include <stdbool.h>
#include <stddef.h>

/* Ordered so that agreement between ranks keeps the largest: symptoms below causes. */
enum status {
	ST_OK,
	ST_UNSUPPORTED, /* this build or machine cannot do it; exit code 5 */
	ST_TIMEOUT,     /* no progress within the deadline; 4 */
	ST_PEER,        /* another rank or its link went away; 1 */
	ST_MISMATCH,    /* ranks disagree on what to do; 1 */
	ST_NOMEM,       /* 1 */
	ST_SYSTEM,      /* a system or library call failed; 1 */
	ST_CUDA,        /* a CUDA call failed; 2 */
	ST_NCCL,        /* an NCCL call failed; 3 */
	ST_BAD_SIZE,    /* a size or a range of sizes that makes no sense; 255 */
	ST_USAGE,       /* any other wrong option, file or variable; 6 */
};

/* The exit code that nccl-tests gives for this status. */
int status_exit_code(enum status s);

/* Keeps (rank threads) or prints to stderr (everywhere else) "PROGRAM: sentence" and returns s. */
enum status fail(enum status s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* From now on fail() in this thread keeps its sentence instead of printing it; false prints again. */
void fail_keep(bool keep);

/* The sentence kept in this thread by the last fail(), "" when there is none; and forgetting it. */
const char *fail_sentence(void);
void fail_forget(void);

/* Prints the kept sentence, "where: " in front of it unless where is NULL, and forgets it. */
void fail_tell(const char *where);

/* Name put in front of every sentence; the string must outlive the program. Set once by main(). */
void fail_program(const char *name);

#endif
