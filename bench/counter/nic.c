/* nic.c - bytes that crossed each network interface of this node, from /sys/class/net: the proof of where
 * traffic went. */
#include "bench/counter/counter.h"

#include "bench/transport/ifname.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static _Thread_local struct interfaces all;

static enum status probe(char *why, size_t why_bytes)
{
	struct interfaces i;
	if (interfaces_read(&i) == ST_OK && i.count > 0)
		return ST_OK;
	fail_forget();
	snprintf(why, why_bytes, "no network interface can be read");
	return ST_UNSUPPORTED;
}

/* Classes do not look at --ifname: traffic that was sent to a management interface by name still is there. */
static enum status open_counts(const struct plan *plan)
{
	(void)plan;
	return interfaces_read(&all);
}

static bool read_bytes(const char *name, const char *which, uint64_t *out)
{
	char path[96];
	snprintf(path, sizeof path, "/sys/class/net/%s/statistics/%s", name, which);
	FILE *f = fopen(path, "r");
	if (!f)
		return false;
	bool ok = fscanf(f, "%" SCNu64, out) == 1;
	fclose(f);
	return ok;
}

static enum status read_counts(struct counts *out)
{
	out->interfaces = 0;
	for (int i = 0; i < all.count && out->interfaces < COUNTER_INTERFACES; i++) {
		struct interface_bytes *to = &out->interface[out->interfaces];
		if (!read_bytes(all.at[i].name, "tx_bytes", &to->tx_bytes) ||
		        !read_bytes(all.at[i].name, "rx_bytes", &to->rx_bytes))
			continue;
		snprintf(to->name, sizeof to->name, "%s", all.at[i].name);
		to->class = (char)all.at[i].class;
		out->interfaces++;
	}
	return ST_OK;
}

static void close_counts(void)
{
}

extern const struct counter counter_nic;
const struct counter counter_nic = {
        .name = "nic",
        .help = "bytes through each network interface of each node",
        .per_node = true,
        .probe = probe,
        .open = open_counts,
        .read = read_counts,
        .close = close_counts,
};
