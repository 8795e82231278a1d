/* wire.c - holds the bytes that must leave each node against what its interfaces counted. */
#include "analysis/judge.h"

#include <stdlib.h>
#include <string.h>

/* Transports whose bytes pass the kernel's interfaces; others (verbs) may not show in these counters. */
static bool passes_kernel(const struct record *r)
{
	const char *seen = row_transport(r);
	return strstr(seen, "socket") || strstr(seen, "tcp");
}

/* Of "node-0/ens1=123 node-1/eth0=4" the name with the most bytes over all nodes among those that are not
 * data. */
struct carrier {
	char name[64];
	double bytes;
};

static void add_bytes(struct carrier *c, size_t *count, size_t most, const char *name, double bytes)
{
	for (size_t i = 0; i < *count; i++)
		if (!strcmp(c[i].name, name)) {
			c[i].bytes += bytes;
			return;
		}
	if (*count == most)
		return;
	snprintf(c[*count].name, sizeof c->name, "%s", name);
	c[(*count)++].bytes = bytes;
}

/* Adds up interfaces of one name over the nodes; returns how many names. */
static size_t sum_interfaces(const char *interfaces, struct carrier *c, size_t most)
{
	size_t count = 0;
	char text[256];
	snprintf(text, sizeof text, "%s", interfaces);
	char *save = NULL;
	for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		char *slash = strchr(w, '/'), *equals = strrchr(w, '=');
		if (!equals)
			continue;
		*equals = 0;
		add_bytes(c, &count, most, slash && slash < equals ? slash + 1 : w, strtod(equals + 1, NULL));
	}
	return count;
}

/* Rows tell the sum of a class and the bytes of each name, not which name is of which class: the busiest name
 * that fits in the class's sum is the one. */
static void name_carrier(const struct record *r, char *name, size_t bytes)
{
	struct carrier c[32];
	bool management = r->tx_management_bytes >= r->tx_loopback_bytes;
	double class = (double)(management ? r->tx_management_bytes : r->tx_loopback_bytes);
	size_t count = sum_interfaces(r->interfaces, c, 32), best = count;
	for (size_t i = 0; i < count; i++)
		if (c[i].bytes > 0 && c[i].bytes <= class && (best == count || c[i].bytes > c[best].bytes))
			best = i;
	snprintf(name, bytes, "%s",
	        best < count ? c[best].name
	        : management ? "a management interface"
	                     : "loopback");
}

enum wire wire_of(const struct record *r, double tolerance, char *detail, size_t detail_bytes)
{
	double must = (double)r->model_bytes, data = (double)r->tx_data_bytes;
	*detail = 0;
	if (r->nodes < 2 || r->model_bytes <= 0 || r->tx_data_bytes < 0)
		return WIRE_UNKNOWN;
	if (data >= must * (1 - tolerance))
		return WIRE_PROVEN;
	double elsewhere = (r->tx_management_bytes > 0 ? (double)r->tx_management_bytes : 0) +
	                   (r->tx_loopback_bytes > 0 ? (double)r->tx_loopback_bytes : 0);
	/* Small rows drown in the chatter of the machine: what is missing must be seen elsewhere. */
	if (elsewhere >= (must - data) * (1 - tolerance)) {
		char name[64];
		name_carrier(r, name, sizeof name);
		snprintf(detail, detail_bytes,
		        "%.0f %% of the bytes left through %s, %.0f %% through the data interfaces",
		        100 * (must - data) / must, name, 100 * data / must);
		return WIRE_MISROUTED;
	}
	if (!passes_kernel(r))
		return WIRE_UNKNOWN;
	snprintf(detail, detail_bytes,
	        "only %.0f %% of the bytes were counted on any interface: they took another path",
	        100 * (data + elsewhere) / must);
	return WIRE_MISROUTED;
}
