/* counter.h - what the machine counted while a case ran. Read around a case, never inside a timed loop. */
#ifndef BENCH_COUNTER_COUNTER_H
#define BENCH_COUNTER_COUNTER_H

#include "bench/core/plan.h"
#include "bench/core/status.h"

#include <stdint.h>

enum { COUNTER_INTERFACES = 32 };

struct interface_bytes {
	char name[16];
	char class; /* 'd' data, 'm' management, 'l' loopback */
	uint64_t tx_bytes, rx_bytes;
};

struct counts {
	int64_t cpu_ns;       /* of this rank's thread */
	int64_t cycles;       /* -1 where the hardware does not count */
	int64_t instructions; /* -1 likewise */
	int interfaces;       /* of this node; 0 where nothing could be read */
	struct interface_bytes interface[COUNTER_INTERFACES];
};

struct counter {
	const char *name, *help;
	bool per_node; /* read by one rank of each node */
	enum status (*probe)(char *why, size_t why_bytes);
	enum status (*open)(const struct plan *); /* per rank thread */
	enum status (*read)(struct counts *);     /* sets its own fields only; running totals */
	void (*close)(void);                      /* fine without open */
};

#endif
