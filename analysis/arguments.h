/* arguments.h - the options of a subcommand as one table: it parses, checks, suggests and prints --help. */
#ifndef ANALYSIS_ARGUMENTS_H
#define ANALYSIS_ARGUMENTS_H

#include "analysis/command.h"

#include <stddef.h>

enum argument_kind {
	ARGUMENT_FLAG,   /* bool, takes no value */
	ARGUMENT_TEXT,   /* const char * */
	ARGUMENT_COUNT,  /* int, at least 1 */
	ARGUMENT_NUMBER, /* double, finite */
	ARGUMENT_SIZE,   /* double, bytes */
	ARGUMENT_RATE,   /* double, bytes per second */
	ARGUMENT_TIME,   /* double, nanoseconds */
	ARGUMENT_SHARE,  /* double, 2% is 0.02 */
	ARGUMENT_FORMAT, /* enum output_format */
};

struct argument {
	const char *name; /* "link", given as --link VALUE or --link=VALUE */
	enum argument_kind kind;
	void *value; /* left alone when the option is absent: set the default first */
	const char *help;
};

struct arguments {
	const struct command *command;
	const struct argument *table; /* ends with a NULL name */
	const char *more;             /* what --help says after the options: examples, definitions */
	int least, most;              /* operands (files) that it takes */
	char **operand;               /* out: they stand at the front of argv */
	int operands;
};

enum { ARGUMENTS_GO_ON = -1 };

/* ARGUMENTS_GO_ON, or the exit code to leave with (after --help, or a sentence about what is wrong). */
int arguments_parse(struct arguments *, int argc, char **argv);

#endif
