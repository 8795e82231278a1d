/* status.c - sentences for failures: kept per thread or printed at once. */
#include "bench/core/status.h"

#include <stdarg.h>
#include <stdio.h>

enum { SENTENCE_BYTES = 1024 };

static const char *program = "busbar";
static _Thread_local bool keeps;
static _Thread_local char sentence[SENTENCE_BYTES];

int status_exit_code(enum status s)
{
	static const int code[] = {
	        [ST_OK] = 0,
	        [ST_UNSUPPORTED] = 5,
	        [ST_TIMEOUT] = 4,
	        [ST_PEER] = 1,
	        [ST_MISMATCH] = 1,
	        [ST_NOMEM] = 1,
	        [ST_SYSTEM] = 1,
	        [ST_CUDA] = 2,
	        [ST_NCCL] = 3,
	        [ST_BAD_SIZE] = 255,
	        [ST_USAGE] = 6,
	};
	return code[s];
}

enum status fail(enum status s, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vsnprintf(sentence, sizeof sentence, fmt, args);
	va_end(args);
	if (!keeps)
		fail_tell(NULL);
	return s;
}

void fail_tell(const char *where)
{
	if (where)
		fprintf(stderr, "%s: %s: %s\n", program, where, sentence);
	else
		fprintf(stderr, "%s: %s\n", program, sentence);
	fail_forget();
}

void fail_keep(bool keep)
{
	keeps = keep;
}

const char *fail_sentence(void)
{
	return sentence;
}

void fail_forget(void)
{
	sentence[0] = 0;
}

void fail_program(const char *name)
{
	program = name;
}
