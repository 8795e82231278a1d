/* socket_explain.c - what a failed call means for the person who reads it: who, over which interface, why,
 * and what to do about it. */
#include "bench/transport/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
	int error;
	const char *cause_and_fix;
} dial_causes[] = {
        {ECONNREFUSED, "the connection is refused: its process has ended, or a firewall there rejects the "
                       "port; let the "
                       "data interfaces of the hosts reach each other on all TCP ports"},
        {ETIMEDOUT, "no answer: a firewall that drops packets, a cable or switch port, or a peer that hangs; "
                    "try 'ping' "
                    "between the two addresses, and let the hosts reach each other on all TCP ports"},
        {ENETUNREACH, "no route: the two are not on one network; give both interfaces addresses of one "
                      "network, or name "
                      "others with --ifname"},
        {EHOSTUNREACH,
                "nothing there answers: the interface is down on one of the hosts, or the two are not on one "
                "network; bring it up, or name others with --ifname"},
        {ENETDOWN, "the interface went down; bring it up"},
        {ENODEV, "the interface went away; bring it back"},
        {EADDRNOTAVAIL, "no local port is free, or the interface lost its address; widen "
                        "net.ipv4.ip_local_port_range"},
        {EACCES, "what answers there does not know this run: another program took the port; run again"},
        {EPERM, "a firewall on this host forbids it; let the hosts reach each other on all TCP ports"},
        {ECONNRESET, "the peer hung up: its process ended; look for its own message"},
};

enum status explain_listen(const struct endpoint *endpoint, const struct rail *rail, int error)
{
	const struct world *world = endpoint->world;

	return fail(ST_SYSTEM, "host '%s' cannot listen on '%s': %s%s", world->places[world->rank].host,
	        rail->name, strerror(error),
	        error == EADDRINUSE ? "; all ports of net.ipv4.ip_local_port_range are taken, widen it" : "");
}

enum status explain_dial(const struct endpoint *endpoint, int peer, const struct rail *mine,
        const struct rail *theirs, int error)
{
	const struct place *places = endpoint->world->places;
	int rank = endpoint->world->rank;
	const char *cause = strerror(error);
	char from[64], to[INET6_ADDRSTRLEN] = "?";
	struct interface_address address = rail_address(mine);

	for (size_t i = 0; i < sizeof(dial_causes) / sizeof(dial_causes[0]); i++)
		if (dial_causes[i].error == error)
			cause = dial_causes[i].cause_and_fix;
	interface_print(&address, from, sizeof(from));
	inet_ntop(theirs->ipv6 ? AF_INET6 : AF_INET, theirs->address, to, sizeof(to));
	return fail(ST_PEER,
	        "no connection from '%s', '%s' (%s), to rank %d on '%s', '%s' (%s/%d, port %d): %s",
	        places[rank].host, mine->name, from, peer, places[peer].host, theirs->name, to,
	        theirs->prefix_bits, ntohs(theirs->port), cause);
}

enum status explain_stream(const struct stream *stream, int error)
{
	const struct link *link = stream->link;
	const struct place *places = link->endpoint->world->places;
	const char *here = places[link->endpoint->world->rank].host, *there = places[link->peer].host;

	if (error == 0 || error == ECONNRESET || error == EPIPE)
		return fail(ST_PEER,
		        "rank %d on '%s' closed its link over '%s': its process ended; look for its own "
		        "message",
		        link->peer, there, stream->theirs);
	return fail(ST_PEER,
	        "the link from '%s', '%s', with rank %d on '%s', '%s', is lost: %s; check these interfaces, "
	        "their cables and the switch",
	        here, stream->mine, link->peer, there, stream->theirs,
	        error == ETIMEDOUT ? "nothing was acknowledged within the deadline" : strerror(error));
}

enum status explain_silence(const struct endpoint *endpoint, int peer)
{
	const struct place *places = endpoint->world->places;

	return fail(ST_TIMEOUT,
	        "rank %d on '%s' did not connect to '%s' within %g s; look for its own message, and see "
	        "whether "
	        "its host can reach this one on all TCP ports",
	        peer, places[peer].host, places[endpoint->world->rank].host, endpoint->patience_s);
}
