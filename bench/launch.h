/* launch.h - what happens between main() and the ranks: rank 0 reads the command line, all processes learn
 * the plans. */
#ifndef BENCH_LAUNCH_H
#define BENCH_LAUNCH_H

#include "bench/core/options.h"
#include "bench/core/world.h"

/* Collective over processes; fills what of setup the plans decide. *go_on_p is false when there is nothing to
 * measure: after an error, which rank 0 has told, and after --help, --list and --dry-run, which it has
 * answered. */
enum status launch_plans(struct world_setup *setup, int argc, char **argv, const char *collective,
        struct plan_list *out, bool *go_on_p);

/* Collective over ranks: judges plans against the groups there are. */
enum status launch_check(struct world *, const struct plan_list *);

#endif
