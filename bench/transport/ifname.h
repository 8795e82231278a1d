/* ifname.h - the network interfaces of this host, what each is for, and which of them carry data.
 *
 * A cluster host has fast interfaces (ens1..ens8, ib0) beside a slow one for management (eth0). Traffic that
 * lands on the slow one is an order of magnitude slower and nothing reports an error, so the class of each
 * interface is decided here, once, for the transport that opens connections and for the counters that prove
 * where bytes went. All but interfaces_read() is pure. This file opens no connection; rail.h pairs the
 * interfaces of two hosts.
 */
#ifndef BENCH_TRANSPORT_IFNAME_H
#define BENCH_TRANSPORT_IFNAME_H

#include "bench/core/status.h"

#include <stdint.h>

enum { INTERFACES = 64, INTERFACE_ADDRESSES = 4, INTERFACE_NAME_BYTES = 16 };

enum interface_class { INTERFACE_DATA = 'd', INTERFACE_MANAGEMENT = 'm', INTERFACE_LOOPBACK = 'l' };

struct interface_address {
	int family; /* AF_INET or AF_INET6 */
	int prefix_bits;
	uint32_t scope; /* of an IPv6 link-local address: the interface's index; else 0 */
	uint8_t bytes[16];
};

struct interface {
	char name[INTERFACE_NAME_BYTES];
	enum interface_class class;
	bool loopback;
	unsigned index; /* the kernel's order */
	bool up;        /* switched on, and the cable is in */
	int mtu_bytes;
	int speed_mbps; /* as the driver claims; -1 unknown */
	int addresses;  /* those that a peer can use come first: IPv4, IPv6, IPv6 link-local */
	struct interface_address address[INTERFACE_ADDRESSES];
};

struct interfaces {
	char host[64];
	int count;
	struct interface at[INTERFACES];
};

/* Everything this host has, classified. */
enum status interfaces_read(struct interfaces *out);

/* Sets the class of each: loopback; management for virtual ones and, where the host has another that is meant
 * for data, for the on-board one (eth0, eno*, em*); data for the rest. A down interface counts as much as an
 * up one: eth0 does not become a data interface because ens1 lost its cable. */
void interfaces_classify(struct interfaces *);

/* Does name pass the filter? NCCL's grammar: a comma separated list of prefixes; '=' in front of the list
 * makes them whole names, '^' keeps what the list does not match, '^=' both. "" passes everything. What
 * follows a ':' in an element is a port, which sockets do not look at. */
bool ifname_passes(const char *filter, const char *name);

/* Those that carry data. filter "": the usable data interfaces, else the usable management ones of a host
 * that has no data interface, else loopback. A positive filter takes what it names, in the order of the list;
 * '^' takes away from what "" would look at. Usable: up, with an address. When nothing is left: a sentence
 * that names the filter, what this host has, and the fix; ST_USAGE for names that match nothing, ST_SYSTEM
 * for interfaces that are down. */
enum status interfaces_choose(const struct interfaces *, const char *filter, struct interfaces *chosen);

/* Warns on stderr when the first interface in the kernel's order, which a plain program may take, is not of
 * the chosen ones' class: "data goes over ens1 (...), not over eth0 (...), which is for management". */
void interfaces_remark(const struct interfaces *all, const struct interfaces *chosen);

/* The interface of that name, or that holds that address; NULL when there is none. */
const struct interface *interface_find(const struct interfaces *, const char *name);
const struct interface *interface_holding(const struct interfaces *, const struct interface_address *);

/* Same family, and the same network by the longer of both prefixes (link-local addresses: never decided by
 * prefix). */
bool interface_same_network(const struct interface_address *, const struct interface_address *);

/* "10.65.1.2/24" */
void interface_print(const struct interface_address *, char *text, size_t text_bytes);

/* "ens1 (down), eth0 (10.0.0.1/24, management), lo (127.0.0.1/8)" */
void interfaces_print(const struct interfaces *, char *text, size_t text_bytes);

#endif
