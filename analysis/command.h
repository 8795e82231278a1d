/* command.h - the subcommands of busbar: one file each, one line in busbar.c. */
#ifndef ANALYSIS_COMMAND_H
#define ANALYSIS_COMMAND_H

enum busbar_exit { EXIT_PASS = 0, EXIT_VERDICT_FAIL = 1, EXIT_UNREADABLE = 2, EXIT_NOT_JUDGED = 77 };

struct command {
	const char *name;
	const char *synopsis;              /* "RUN [--link RATE | --tier NAME]" */
	const char *help;                  /* one line for the list */
	int (*run)(int argc, char **argv); /* argv[0] is the subcommand's name; handles --help itself */
};

extern const struct command command_fit, command_history, command_model, command_pairs, command_predict,
        command_regress, command_report, command_schema, command_shares, command_step, command_summarize,
        command_tiers, command_verdict;

#endif
