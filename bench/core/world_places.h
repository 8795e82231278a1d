/* world_places.h - who lives where, and who belongs to which group. Private to world.c. */
#ifndef BENCH_CORE_WORLD_PLACES_H
#define BENCH_CORE_WORLD_PLACES_H

#include "bench/core/world.h"

struct places {
	struct place *at; /* [ranks] */
	int *members;     /* [ranks]: the ranks of each group, ascending, one group after the other */
	int ranks, nodes;
};

/* Collective over all processes; the status is the same on each. */
enum status places_exchange(const struct world_setup *, struct places *out);
void places_free(struct places *);

/* Fills what follows from the places in this rank's world. */
void places_world(const struct places *, int rank, struct world *out);

/* From places whose host, machine, process and group are set: nodes, local ranks and members. Pure. */
void places_number(struct places *);

#endif
