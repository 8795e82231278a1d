/* near.c - edit distance with neighbouring letters swapped counted as one edit. */
#include "bench/core/near.h"

#include <string.h>

enum { NAME_BYTES = 64 }; /* longer names are compared by their beginning */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t edits_between(const char *a, const char *b)
{
	size_t m = least(strlen(a), NAME_BYTES), n = least(strlen(b), NAME_BYTES);
	size_t d[NAME_BYTES + 1][NAME_BYTES + 1];
	for (size_t i = 0; i <= m; i++)
		d[i][0] = i;
	for (size_t j = 0; j <= n; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= m; i++)
		for (size_t j = 1; j <= n; j++) {
			d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1,
			        d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	return d[m][n];
}

struct near near_begin(const char *wanted)
{
	return (struct near){.wanted = wanted, .distance = (size_t)-1};
}

void near_offer(struct near *n, const char *known)
{
	size_t distance = edits_between(n->wanted, known);
	if (distance < n->distance) {
		n->distance = distance;
		n->best = known;
	}
}

const char *near_best(const struct near *n)
{
	if (!n->best)
		return NULL;
	/* A third of the letters may be wrong, and one always: beyond that it is another word. */
	size_t allowed = strlen(n->best) / 3;
	return n->distance <= (allowed ? allowed : 1) ? n->best : NULL;
}
