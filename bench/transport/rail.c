/* rail.c - rails of a host and their pairs on another; see rail.h. */
#include "bench/transport/rail.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

static void fill(struct rail *rail, const struct interface *from, const struct interface_address *address)
{
	memset(rail, 0, sizeof(*rail));
	memcpy(rail->name, from->name, sizeof(rail->name));
	memcpy(rail->address, address->bytes, sizeof(rail->address));
	rail->speed_mbps = from->speed_mbps > 0 ? (uint32_t)from->speed_mbps : 0;
	rail->mtu_bytes = from->mtu_bytes < UINT16_MAX ? (uint16_t)from->mtu_bytes : UINT16_MAX;
	rail->prefix_bits = (uint8_t)address->prefix_bits;
	rail->ipv6 = address->family == AF_INET6;
	rail->class = (char)from->class;
}

int rails_of(const struct interfaces *chosen, struct rail rails[RAILS])
{
	static const int families[] = {AF_INET, AF_INET6};
	int count = 0;

	for (size_t f = 0; f < 2; f++)
		for (int i = 0; i < chosen->count; i++) {
			const struct interface *one = &chosen->at[i];
			int a = 0;

			while (a < one->addresses &&
			        (one->address[a].family != families[f] || one->address[a].scope != 0))
				a++;
			if (a < one->addresses && count < RAILS)
				fill(&rails[count++], one, &one->address[a]);
		}
	return count;
}

struct interface_address rail_address(const struct rail *rail)
{
	struct interface_address address = {
	        .family = rail->ipv6 ? AF_INET6 : AF_INET, .prefix_bits = rail->prefix_bits};

	memcpy(address.bytes, rail->address, sizeof(address.bytes));
	return address;
}

static bool is_loopback(const struct rail *rail)
{
	return rail->class == INTERFACE_LOOPBACK;
}

enum pass { SAME_NAME, SAME_NETWORK, ROUTED_NAME, ROUTED, PASSES };

static bool fits(const struct rail *mine, const struct rail *theirs, enum pass pass)
{
	struct interface_address a = rail_address(mine), b = rail_address(theirs);
	bool same_name = memcmp(mine->name, theirs->name, sizeof(mine->name)) == 0;

	if (mine->ipv6 != theirs->ipv6 || is_loopback(mine) != is_loopback(theirs))
		return false;
	if (pass < ROUTED_NAME)
		return interface_same_network(&a, &b) && (same_name || pass == SAME_NETWORK);
	return !is_loopback(mine) && mine->class == theirs->class && (same_name || pass == ROUTED);
}

/* An interface that has two addresses still is one rail. */
static bool taken(const struct rail *rails, const bool *used, int count, const struct rail *rail)
{
	for (int i = 0; i < count; i++)
		if (used[i] && memcmp(rails[i].name, rail->name, sizeof(rail->name)) == 0)
			return true;
	return false;
}

static bool have_loopback(const struct rail *rails, int count)
{
	for (int i = 0; i < count; i++)
		if (is_loopback(&rails[i]))
			return true;
	return false;
}

int rails_pair(const struct rail *mine, int mine_count, const struct rail *theirs, int theirs_count,
        bool same_machine, struct rail_pair pairs[RAILS])
{
	bool only_loopback =
	        same_machine && have_loopback(mine, mine_count) && have_loopback(theirs, theirs_count);
	bool mine_used[RAILS] = {false}, theirs_used[RAILS] = {false};
	int count = 0;

	for (enum pass pass = SAME_NAME; pass < PASSES; pass++) {
		if (pass >= ROUTED_NAME && (same_machine || (count > 0 && !pairs[0].routed)))
			break;
		for (int i = 0; i < mine_count; i++)
			for (int j = 0; j < theirs_count; j++) {
				if (is_loopback(&mine[i]) != only_loopback ||
				        !fits(&mine[i], &theirs[j], pass))
					continue;
				if (taken(mine, mine_used, mine_count, &mine[i]) ||
				        taken(theirs, theirs_used, theirs_count, &theirs[j]))
					continue;
				mine_used[i] = theirs_used[j] = true;
				pairs[count++] = (struct rail_pair){i, j, pass >= ROUTED_NAME};
			}
	}
	return count;
}

void rails_print(const struct rail *rails, int count, char *text, size_t text_bytes)
{
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; i < count && used < text_bytes; i++) {
		struct interface_address address = rail_address(&rails[i]);
		char printed[64];
		int length;

		interface_print(&address, printed, sizeof(printed));
		length = snprintf(text + used, text_bytes - used, "%s%s (%s)", i > 0 ? ", " : "",
		        rails[i].name, printed);
		used += length > 0 ? (size_t)length : 0;
	}
}
