/* busbar.c - finds the subcommand and hands over. What each one does is in its own file. */
#include "analysis/command.h"
#include "bench/core/near.h"
#include "bench/core/status.h"

#include <stdio.h>
#include <string.h>

static const struct command *const commands[] = {
        &command_fit,
        &command_history,
        &command_model,
        &command_pairs,
        &command_predict,
        &command_regress,
        &command_report,
        &command_schema,
        &command_shares,
        &command_step,
        &command_summarize,
        &command_tiers,
        &command_verdict,
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(void)
{
	printf("usage: busbar COMMAND [OPERAND ...] [--format text|csv|json]\n\n"
	       "Says whether measured numbers are right, which part is wrong, and since "
	       "when.\n\ncommands:\n");
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %-10s %s\n", commands[i]->name, commands[i]->help);
	printf("\nbusbar COMMAND --help tells more. Files may be '-' for standard input.\n"
	       "exit codes: 0 pass, 1 the verdict is a failure, 2 usage or unreadable input, 77 nothing "
	       "could be judged\n");
}

static int refuse(const char *name)
{
	struct near near = near_begin(name);
	for (size_t i = 0; i < COMMANDS; i++)
		near_offer(&near, commands[i]->name);
	const char *best = near_best(&near);
	if (best)
		fail(ST_USAGE, "there is no command '%s': did you mean %s", name, best);
	else
		fail(ST_USAGE, "there is no command '%s': busbar --help lists them", name);
	return EXIT_UNREADABLE;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fail(ST_USAGE, "a command is missing: busbar --help lists them");
		return EXIT_UNREADABLE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_help();
		return EXIT_PASS;
	}
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i]->name, argv[1]))
			return commands[i]->run(argc - 1, argv + 1);
	return refuse(argv[1]);
}
