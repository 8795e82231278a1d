/* keys.h - numbers texts in the order in which they first appear: the hash table under every grouping. */
#ifndef ANALYSIS_KEYS_H
#define ANALYSIS_KEYS_H

#include <stddef.h>
#include <stdint.h>

struct key {
	char *text; /* 0-terminated */
	size_t bytes;
	uint64_t hash;
};

struct keys {
	struct key *at; /* by number */
	size_t count, capacity;
	size_t *slot; /* number + 1 */
	size_t slots;
};

#define KEYS_NO_MEMORY SIZE_MAX

/* The number of this text, a new one when it has none; or KEYS_NO_MEMORY. Start from { 0 }. */
size_t keys_number(struct keys *, const char *text, size_t bytes);
void keys_free(struct keys *);

#endif
