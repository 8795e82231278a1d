/* recipe.h - chooses the constants of kernels/element.h for a pattern: what a rank puts, and what must come
 * out. Pure arithmetic, once for a whole buffer; the same recipes serve every kind of memory.
 *
 * sum     Each rank gives its number + 1 units (1 where the significand is too short for that, and then as
 *         many ranks as it has room for), the holder random bits besides; all have the same random
 *         exponent and sign. Every partial sum is a whole number of units that fits the significand: exact.
 *         Integers: constants of any size, so that sums wrap.
 * mulsum  The same after each rank's factor, 1 on even ranks and 2 on odd ones.
 * avg     Floats: the same where the number of ranks is a power of two (the quotient is exact); else two
 * ranks give constant significands, so that premultiplied and divided sums stay within 2 units in the last
 *         place. Integers: all give the average plus or minus a little that truncation takes off; no sum
 * wraps. Types too small for their number of ranks average to what they can: f8 to subnormals, int8 to 0.
 * prod    The holder gives a random significand, the others powers of two with signs, whose exponents nearly
 *         cancel. Integers: the holder an odd number, the others square roots of 1 (-1, and 1 or -1 plus half
 *         the range), whose products are exclusive ors.
 * max min The holder has the extreme, the others lie anywhere on its other side; both signs occur.
 * none    Random bits (finite numbers) that depend on rank and index.
 *
 * Sums and products contain no NaN, infinity, -0 or subnormal number on the way, whatever the order.
 */
#ifndef BENCH_MEMORY_RECIPE_H
#define BENCH_MEMORY_RECIPE_H

#include "bench/memory/memory.h"
#include "kernels/element.h"

/* What `rank` contributes, or the block that it is the source of (OP_NONE). */
void recipe_of_input(const struct pattern *, int rank, struct element_recipe *out);

/* The reduction over all ranks; for OP_NONE the block that `source` contributed. */
void recipe_of_result(const struct pattern *, int source, struct element_recipe *out);

/* By how many units in the last place a result may differ. */
int recipe_tolerance(const struct pattern *);

#endif
