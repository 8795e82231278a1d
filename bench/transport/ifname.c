/* ifname.c - which interfaces carry data: classes by name, NCCL's filter grammar, and the choice. Pure: reads
 * no interface (interfaces.c does) and opens no connection. */
#include "bench/transport/ifname.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

enum purpose { FAST, PLAIN, ONBOARD, VIRTUAL };

/* Prefixes, space separated. The longest that matches decides; a name that matches none is PLAIN. */
static const struct {
	enum purpose purpose;
	const char *prefixes;
} purposes[] = {
        {FAST, "ens enp ib hsn rdma roce rail"},
        {ONBOARD, "eth0 eno em mgmt wl usb idrac"},
        {VIRTUAL, "docker br- virbr veth vnet cni cali flannel podman lxc lxdbr tun tap wg tailscale ifb "
                  "dummy sit gre"},
};

static enum purpose purpose_of(const char *name)
{
	enum purpose found = PLAIN;
	size_t longest = 0;

	for (size_t i = 0; i < sizeof(purposes) / sizeof(purposes[0]); i++)
		for (const char *prefix = purposes[i].prefixes; *prefix != '\0';
		        prefix += strspn(prefix, " ")) {
			size_t length = strcspn(prefix, " ");

			if (length > longest && strncmp(name, prefix, length) == 0) {
				longest = length;
				found = purposes[i].purpose;
			}
			prefix += length;
		}
	return found;
}

void interfaces_classify(struct interfaces *all)
{
	bool meant_for_data = false;

	for (int i = 0; i < all->count; i++)
		meant_for_data |= !all->at[i].loopback && purpose_of(all->at[i].name) < ONBOARD;
	for (int i = 0; i < all->count; i++) {
		struct interface *one = &all->at[i];
		enum purpose purpose = purpose_of(one->name);

		if (one->loopback)
			one->class = INTERFACE_LOOPBACK;
		else if (purpose == VIRTUAL || (purpose == ONBOARD && meant_for_data))
			one->class = INTERFACE_MANAGEMENT;
		else
			one->class = INTERFACE_DATA;
	}
}

struct filter {
	bool negative, exact;
	const char *list;
};

static struct filter filter_of(const char *text)
{
	struct filter filter = {.list = text};

	filter.negative = *filter.list == '^';
	filter.list += filter.negative;
	filter.exact = *filter.list == '=';
	filter.list += filter.exact;
	return filter;
}

/* Position in the list of the element that name matches, -1 when there is none. */
static int list_position(const struct filter *filter, const char *name)
{
	int position = 0;

	for (const char *element = filter->list; *element != '\0'; position++) {
		size_t span = strcspn(element, ","), length = strcspn(element, ",:");

		if (length > 0 && strncmp(element, name, length) == 0 &&
		        (!filter->exact || name[length] == '\0'))
			return position;
		element += span;
		element += *element == ',';
	}
	return -1;
}

bool ifname_passes(const char *text, const char *name)
{
	struct filter filter = filter_of(text);

	if (*filter.list == '\0')
		return true;
	return (list_position(&filter, name) >= 0) != filter.negative;
}

static bool usable(const struct interface *one)
{
	return one->up && one->addresses > 0;
}

static void take(struct interfaces *chosen, const struct interface *one)
{
	if (chosen->count < INTERFACES)
		chosen->at[chosen->count++] = *one;
}

/* A positive filter: what it names, in its order, whatever its class. */
static void choose_named(const struct interfaces *all, const struct filter *filter, struct interfaces *chosen)
{
	int elements = 1;

	for (const char *c = filter->list; *c != '\0'; c++)
		elements += *c == ',';
	for (int position = 0; position < elements; position++)
		for (int i = 0; i < all->count; i++)
			if (usable(&all->at[i]) && list_position(filter, all->at[i].name) == position)
				take(chosen, &all->at[i]);
}

/* The order in which "" looks at what a host has. */
static int preference(const struct interface *one)
{
	if (one->class == INTERFACE_DATA)
		return 0;
	if (one->class == INTERFACE_LOOPBACK)
		return 3;
	return purpose_of(one->name) == VIRTUAL ? 2 : 1;
}

/* No filter, or one that takes away: the first of the preferences that the host has. A data interface that is
 * down still keeps management out. */
static void choose_preferred(const struct interfaces *all, const char *text, struct interfaces *chosen)
{
	bool found = false;

	for (int wanted = 0; wanted <= 3 && !found; wanted++)
		for (int i = 0; i < all->count; i++) {
			const struct interface *one = &all->at[i];

			if (preference(one) != wanted || !ifname_passes(text, one->name))
				continue;
			found |= wanted == 0 || usable(one);
			if (usable(one))
				take(chosen, one);
		}
}

/* Nothing is left: which of the reasons it is. */
static enum status refuse(const struct interfaces *all, const char *text)
{
	const struct interface *matched = NULL;
	char have[1024];

	interfaces_print(all, have, sizeof(have));
	for (int i = 0; i < all->count && matched == NULL; i++)
		if (all->at[i].class == INTERFACE_DATA && ifname_passes(text, all->at[i].name))
			matched = &all->at[i];
	for (int i = 0; i < all->count && matched == NULL; i++)
		if (ifname_passes(text, all->at[i].name))
			matched = &all->at[i];
	if (matched == NULL)
		return fail(ST_USAGE,
		        "interface '%s' (--ifname, NCCL_SOCKET_IFNAME) matches nothing on host '%s', which "
		        "has %s; "
		        "name one of these",
		        text, all->host, have);
	if (!matched->up)
		return fail(ST_SYSTEM,
		        "interface '%s' of host '%s' is down, and no other may carry data; bring it up ('ip "
		        "link set %s "
		        "up', the cable), or choose with --ifname among %s",
		        matched->name, all->host, matched->name, have);
	return fail(ST_SYSTEM,
	        "interface '%s' of host '%s' has no address; give it one, or choose with --ifname among %s",
	        matched->name, all->host, have);
}

enum status interfaces_choose(const struct interfaces *all, const char *text, struct interfaces *chosen)
{
	struct filter filter = filter_of(text);

	memset(chosen, 0, sizeof(*chosen));
	memcpy(chosen->host, all->host, sizeof(chosen->host));
	if (*filter.list != '\0' && !filter.negative)
		choose_named(all, &filter, chosen);
	else
		choose_preferred(all, text, chosen);
	return chosen->count > 0 ? ST_OK : refuse(all, text);
}

const struct interface *interface_find(const struct interfaces *all, const char *name)
{
	for (int i = 0; i < all->count; i++)
		if (strcmp(all->at[i].name, name) == 0)
			return &all->at[i];
	return NULL;
}

static size_t address_bytes(int family)
{
	return family == AF_INET6 ? 16 : 4;
}

const struct interface *interface_holding(
        const struct interfaces *all, const struct interface_address *wanted)
{
	for (int i = 0; i < all->count; i++)
		for (int a = 0; a < all->at[i].addresses; a++) {
			const struct interface_address *one = &all->at[i].address[a];

			if (one->family == wanted->family &&
			        memcmp(one->bytes, wanted->bytes, address_bytes(one->family)) == 0)
				return &all->at[i];
		}
	return NULL;
}

bool interface_same_network(const struct interface_address *a, const struct interface_address *b)
{
	int bits = a->prefix_bits > b->prefix_bits ? a->prefix_bits : b->prefix_bits;
	int whole = bits / 8, rest = bits % 8;

	if (a->family != b->family || a->scope != 0 || b->scope != 0 || bits == 0)
		return false;
	if (memcmp(a->bytes, b->bytes, (size_t)whole) != 0)
		return false;
	return rest == 0 || ((a->bytes[whole] ^ b->bytes[whole]) & (0xff << (8 - rest)) & 0xff) == 0;
}

void interface_print(const struct interface_address *address, char *text, size_t text_bytes)
{
	char digits[INET6_ADDRSTRLEN] = "?";

	inet_ntop(address->family, address->bytes, digits, sizeof(digits));
	snprintf(text, text_bytes, "%s/%d", digits, address->prefix_bits);
}

void interfaces_print(const struct interfaces *all, char *text, size_t text_bytes)
{
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; i < all->count && used < text_bytes; i++) {
		const struct interface *one = &all->at[i];
		char address[64] = "no address";
		int length;

		if (one->addresses > 0)
			interface_print(&one->address[0], address, sizeof(address));
		length = snprintf(text + used, text_bytes - used, "%s%s (%s%s%s)", i > 0 ? ", " : "",
		        one->name, address, one->up ? "" : ", down",
		        one->class == INTERFACE_MANAGEMENT ? ", management" : "");
		used += length > 0 ? (size_t)length : 0;
	}
}
