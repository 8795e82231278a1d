/* units.c - see units.h. */
#include "bench/core/units.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static const struct unit {
	char letter;      /* on the command line */
	const char *name; /* in a report */
	uint64_t bytes;
} units[] = {
        {'G', "GB", UINT64_C(1) << 30},
        {'M', "MB", UINT64_C(1) << 20},
        {'K', "KB", UINT64_C(1) << 10},
        {0, "B", 1},
};

enum { UNITS = sizeof units / sizeof *units };

const char *units_scan_bytes(const char *text, uint64_t *bytes_p)
{
	char *end;
	double number = strtod(text, &end);
	if (end == text || !isfinite(number))
		return "not a number";
	while (isspace((unsigned char)*end))
		end++;
	const struct unit *u = units;
	while (u->letter && toupper((unsigned char)*end) != u->letter)
		u++;
	if (!u->letter && *end)
		return "the unit must be K, M or G";
	if (number < 0)
		return "a size cannot be negative";
	double bytes = number * (double)u->bytes;
	if (bytes >= 0x1p63)
		return "more than any memory holds";
	*bytes_p = (uint64_t)bytes;
	return NULL;
}

void units_print_bytes(uint64_t bytes, char text[UNITS_TEXT_BYTES])
{
	const struct unit *u = units;
	while (!bytes || bytes % u->bytes)
		if (!(++u)->letter)
			break;
	snprintf(text, UNITS_TEXT_BYTES, "%" PRIu64 "%.1s", bytes / u->bytes, &u->letter);
}

void units_print_memory(int64_t bytes, char text[UNITS_TEXT_BYTES])
{
	const struct unit *u = units;
	double size = fabs((double)bytes);
	while (u->letter && size < (double)u->bytes)
		u++;
	double amount = (double)bytes / (double)u->bytes, shown = fabs(amount);
	snprintf(text, UNITS_TEXT_BYTES, "%.*f %s", shown < 10 ? 2 : shown < 100 ? 1 : 0, amount, u->name);
}
