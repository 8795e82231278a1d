/* rates.c - units are tables here; nothing else in the analysis spells one. */
#include "analysis/rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	const char *name;
	double factor;
};

static const struct unit rate_units[] = {
        {"B/s", 1},
        {"kB/s", 1e3},
        {"KB/s", 1e3},
        {"MB/s", 1e6},
        {"GB/s", 1e9},
        {"TB/s", 1e12},
        {"KiB/s", 1024},
        {"MiB/s", 1048576},
        {"GiB/s", 1073741824},
        {"b/s", 0.125},
        {"kb/s", 125},
        {"Kb/s", 125},
        {"Mb/s", 125e3},
        {"Gb/s", 125e6},
        {"Tb/s", 125e9},
        {"kbit/s", 125},
        {"Mbit/s", 125e3},
        {"Gbit/s", 125e6},
        {"Tbit/s", 125e9},
        {"bps", 0.125},
        {"kbps", 125},
        {"Kbps", 125},
        {"Mbps", 125e3},
        {"Gbps", 125e6},
        {"Tbps", 125e9},
        {NULL, 0},
};

static const struct unit size_units[] = {
        {"", 1},
        {"B", 1},
        {"K", 1024},
        {"k", 1024},
        {"M", 1048576},
        {"m", 1048576},
        {"G", 1073741824},
        {"g", 1073741824},
        {"T", 1099511627776},
        {"KiB", 1024},
        {"MiB", 1048576},
        {"GiB", 1073741824},
        {"TiB", 1099511627776},
        {NULL, 0},
};

static const struct unit time_units[] = {
        {"ns", 1},
        {"us", 1e3},
        {"ms", 1e6},
        {"s", 1e9},
        {"min", 60e9},
        {NULL, 0},
};

static const struct unit share_units[] = {{"", 1}, {"%", 0.01}, {NULL, 0}};

/* One kind of quantity: its units, and what to say about text that is none. */
struct quantity {
	const struct unit *units;
	const char *name, *fix;
	bool zero;
};

static enum status parse_quantity(const struct quantity *q, const char *text, double *value_p)
{
	char *end;
	double value = strtod(text, &end);
	if (end != text && isfinite(value) && (value > 0 || (q->zero && value == 0))) {
		while (*end == ' ')
			end++;
		for (const struct unit *u = q->units; u->name; u++)
			if (!strcmp(u->name, end)) {
				*value_p = value * u->factor;
				return ST_OK;
			}
	}
	return fail(ST_USAGE, "'%s' is not a %s: write %s", text, q->name, q->fix);
}

enum status parse_rate(const char *text, double *bytes_per_s_p)
{
	static const struct quantity rate = {
	        rate_units, "rate", "a number with its unit, 25GB/s or 400Gb/s", false};
	return parse_quantity(&rate, text, bytes_per_s_p);
}

enum status parse_size(const char *text, double *bytes_p)
{
	static const struct quantity size = {
	        size_units, "size", "bytes, 14e9, or a binary multiple, 64K or 2MiB", false};
	return parse_quantity(&size, text, bytes_p);
}

enum status parse_time(const char *text, double *ns_p)
{
	static const struct quantity time = {time_units, "time", "a number with its unit, 5us or 2s", true};
	return parse_quantity(&time, text, ns_p);
}

enum status parse_share(const char *text, double *share_p)
{
	static const struct quantity share = {share_units, "share", "2% or 0.02", true};
	return parse_quantity(&share, text, share_p);
}

static const struct tier tiers[] = {
        {"1.6T", 25e9, 8, "1.6 Tb/s between 8 nodes at an even share: 200 Gb/s a node"},
        {"3.2T", 50e9, 8, "3.2 Tb/s between 8 nodes at an even share: 400 Gb/s a node"},
        {"8x200G", 200e9, 8, "8 interfaces of 200 Gb/s in every node: 1.6 Tb/s a node"},
        {"8x400G", 400e9, 8, "8 interfaces of 400 Gb/s in every node: 3.2 Tb/s a node"},
};

const struct tier *tier_find(const char *name)
{
	for (size_t i = 0; i < sizeof tiers / sizeof *tiers; i++)
		if (!strcmp(tiers[i].name, name))
			return &tiers[i];
	fail(ST_USAGE,
	        "no tier is called '%s': 1.6T and 3.2T (between 8 nodes), 8x200G and 8x400G (a node) are "
	        "known, --link takes any rate",
	        name);
	return NULL;
}
