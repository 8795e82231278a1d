/* host_set.c - see host_set.h. Names that end in digits are sorted and joined by their number. */
#include "bench/core/host_set.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MOST = 18 };

/* Characters in front of the number that a name ends in. */
static size_t stem_of(const char *name)
{
	size_t end = strlen(name), at = end;
	while (at > 0 && isdigit((unsigned char)name[at - 1]) && end - at < DIGITS_MOST)
		at--;
	return at;
}

/* By stem, then by how the number is written (007 is not 7), then by number. */
static int order(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
	size_t x_stem = stem_of(x), y_stem = stem_of(y), least = x_stem < y_stem ? x_stem : y_stem;
	int stems = memcmp(x, y, least);
	if (stems || x_stem != y_stem)
		return stems ? stems : x_stem < y_stem ? -1 : 1;
	size_t x_digits = strlen(x + x_stem), y_digits = strlen(y + y_stem);
	if (x_digits != y_digits)
		return x_digits < y_digits ? -1 : 1;
	return strcmp(x + x_stem, y + y_stem);
}

static long long number_of(const char *name)
{
	return atoll(name + stem_of(name));
}

/* Is b the host after a? A number that grows by a digit goes on, unless zeros in front keep the width. */
static int follows(const char *a, const char *b)
{
	size_t stem = stem_of(a), digits = strlen(a) - stem, more = strlen(b) - stem_of(b);
	if (!digits || stem != stem_of(b) || memcmp(a, b, stem) || number_of(b) != number_of(a) + 1)
		return 0;
	return digits == more || (more == digits + 1 && b[stem] != '0');
}

void host_set_print(const char **hosts, int count, char *text, size_t text_bytes)
{
	size_t used = 0;
	*text = 0;
	qsort(hosts, (size_t)count, sizeof *hosts, order);
	for (int first = 0, last; first < count; first = last + 1) {
		char range[320];
		last = first;
		while (last + 1 < count && follows(hosts[last], hosts[last + 1]))
			last++;
		int stem = (int)stem_of(hosts[first]);
		if (last > first)
			snprintf(range, sizeof range, "%.*s[%s-%s]", stem, hosts[first], hosts[first] + stem,
			        hosts[last] + stem);
		else
			snprintf(range, sizeof range, "%s", hosts[first]);
		int wrote = snprintf(text + used, text_bytes - used, "%s%s", used ? " " : "", range);
		used += (size_t)wrote;
		if (used >= text_bytes) {
			snprintf(text, text_bytes, "%s .. %s (%d hosts)", hosts[0], hosts[count - 1], count);
			return;
		}
	}
}
