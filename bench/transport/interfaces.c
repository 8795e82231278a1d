/* interfaces.c - reads the interfaces of this host from the kernel (getifaddrs, sysfs). */
#include "bench/transport/ifname.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int sysfs_number(const char *name, const char *file, int otherwise)
{
	char path[128];
	int value = otherwise;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/net/%s/%s", name, file);
	f = fopen(path, "re");
	if (f == NULL)
		return otherwise;
	if (fscanf(f, "%d", &value) != 1) /* a driver that does not know answers EINVAL */
		value = otherwise;
	fclose(f);
	return value > 0 ? value : otherwise;
}

/* The entry of that name, made when it is new; NULL when there is no room. */
static struct interface *entry(struct interfaces *all, const struct ifaddrs *from)
{
	for (int i = 0; i < all->count; i++)
		if (strncmp(all->at[i].name, from->ifa_name, INTERFACE_NAME_BYTES - 1) == 0)
			return &all->at[i];
	if (all->count == INTERFACES)
		return NULL;

	struct interface *one = &all->at[all->count++];

	snprintf(one->name, sizeof(one->name), "%s", from->ifa_name);
	one->index = if_nametoindex(one->name);
	one->loopback = (from->ifa_flags & IFF_LOOPBACK) != 0;
	one->up = (from->ifa_flags & IFF_UP) != 0 && (from->ifa_flags & IFF_RUNNING) != 0;
	one->mtu_bytes = sysfs_number(one->name, "mtu", 1500);
	one->speed_mbps = sysfs_number(one->name, "speed", -1);
	return one;
}

static int prefix_bits(const uint8_t *mask, size_t bytes)
{
	int bits = 0;

	for (size_t i = 0; i < bytes; i++)
		bits += __builtin_popcount(mask[i]);
	return bits;
}

static struct interface_address address_of(const struct ifaddrs *from)
{
	struct interface_address address = {.family = from->ifa_addr->sa_family};

	if (address.family == AF_INET) {
		const struct sockaddr_in *in = (const void *)from->ifa_addr,
		                         *mask = (const void *)from->ifa_netmask;

		memcpy(address.bytes, &in->sin_addr, 4);
		address.prefix_bits = mask != NULL ? prefix_bits((const void *)&mask->sin_addr, 4) : 32;
	} else {
		const struct sockaddr_in6 *in = (const void *)from->ifa_addr,
		                          *mask = (const void *)from->ifa_netmask;

		memcpy(address.bytes, &in->sin6_addr, 16);
		address.prefix_bits = mask != NULL ? prefix_bits((const void *)&mask->sin6_addr, 16) : 128;
		address.scope = IN6_IS_ADDR_LINKLOCAL(&in->sin6_addr) ? in->sin6_scope_id : 0;
	}
	return address;
}

/* IPv4, then IPv6, then link-local: what a peer is most likely to reach. */
static int address_rank(const struct interface_address *address)
{
	return address->family == AF_INET ? 0 : address->scope == 0 ? 1 : 2;
}

static void keep(struct interface *one, const struct interface_address *address)
{
	int at = one->addresses;

	while (at > 0 && address_rank(&one->address[at - 1]) > address_rank(address))
		at--;
	if (at == INTERFACE_ADDRESSES)
		return;
	if (one->addresses < INTERFACE_ADDRESSES)
		one->addresses++;
	memmove(&one->address[at + 1], &one->address[at],
	        (size_t)(one->addresses - 1 - at) * sizeof(one->address[0]));
	one->address[at] = *address;
}

/* Shorter names first, then by letter: ens2 stands before ens10. */
static int by_name(const void *a, const void *b)
{
	const struct interface *left = a, *right = b;
	size_t left_bytes = strlen(left->name), right_bytes = strlen(right->name);

	if (left_bytes != right_bytes)
		return left_bytes < right_bytes ? -1 : 1;
	return strcmp(left->name, right->name);
}

void interfaces_remark(const struct interfaces *all, const struct interfaces *chosen)
{
	const struct interface *first = NULL;
	struct interfaces alone = {.count = 1};
	char taken[512], left[128];

	for (int i = 0; i < all->count; i++) {
		const struct interface *one = &all->at[i];

		if (one->up && one->addresses > 0 && !one->loopback &&
		        (first == NULL || one->index < first->index))
			first = one;
	}
	if (first == NULL || first->class == chosen->at[0].class)
		return;
	alone.at[0] = *first;
	interfaces_print(chosen, taken, sizeof(taken));
	interfaces_print(&alone, left, sizeof(left));
	fprintf(stderr,
	        "data goes over %s, not over %s, which comes first on '%s'; --ifname chooses otherwise\n",
	        taken, left, all->host);
}

enum status interfaces_read(struct interfaces *out)
{
	struct ifaddrs *list;

	memset(out, 0, sizeof(*out));
	if (gethostname(out->host, sizeof(out->host) - 1) != 0)
		snprintf(out->host, sizeof(out->host), "localhost");
	out->host[strcspn(out->host, ".")] = '\0';
	if (getifaddrs(&list) != 0)
		return fail(ST_SYSTEM, "cannot list the network interfaces of host '%s': %s", out->host,
		        strerror(errno));
	for (const struct ifaddrs *from = list; from != NULL; from = from->ifa_next) {
		struct interface *one = entry(out, from);
		int family = from->ifa_addr != NULL ? from->ifa_addr->sa_family : AF_UNSPEC;

		if (one != NULL && (family == AF_INET || family == AF_INET6)) {
			struct interface_address address = address_of(from);

			keep(one, &address);
		}
	}
	freeifaddrs(list);
	qsort(out->at, (size_t)out->count, sizeof(out->at[0]), by_name);
	interfaces_classify(out);
	return ST_OK;
}
