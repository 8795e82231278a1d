/* rail.h - the addresses at which a rank listens, as its peers see them, and which of two hosts' belong
 * together. Pure. A rail is one network of a cluster: ens1 of one host reaches ens1 of the other, and only
 * that. */
#ifndef BENCH_TRANSPORT_RAIL_H
#define BENCH_TRANSPORT_RAIL_H

#include "bench/transport/ifname.h"

enum { RAILS = 11 };

struct rail {
	char name[INTERFACE_NAME_BYTES];
	uint8_t address[16];
	uint32_t speed_mbps; /* 0 unknown */
	uint16_t port;
	uint16_t mtu_bytes; /* 65535: that much or more */
	uint8_t prefix_bits;
	uint8_t ipv6;
	char class; /* enum interface_class */
	uint8_t reserved;
};

struct rail_pair {
	int mine, theirs;
	bool routed; /* no network in common: it takes a router, if it works at all */
};

/* The rails of the chosen interfaces: for each its first IPv4 and its first IPv6 address (not the link-local
 * one). Ports are 0. */
int rails_of(const struct interfaces *chosen, struct rail rails[RAILS]);

/* Which of mine talks to which of theirs: each interface at most once; the same network and name first, then
 * the same network. Within a machine loopback pairs with loopback where both have it, between machines never.
 * When no network is common, data interfaces pair by name, then in order, as routed. The number of pairs; 0:
 * unreachable. Both sides find the same pairs. */
int rails_pair(const struct rail *mine, int mine_count, const struct rail *theirs, int theirs_count,
        bool same_machine, struct rail_pair pairs[RAILS]);

struct interface_address rail_address(const struct rail *);

/* "ens1 (10.65.1.1/24), ens2 (10.65.2.1/24)" */
void rails_print(const struct rail *, int count, char *text, size_t text_bytes);

#endif
