/* keys.c - open addressing, at most half full. */
#include "analysis/keys.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const char *text, size_t bytes)
{
	uint64_t h = 0x9e3779b97f4a7c15u ^ bytes, word;
	for (; bytes >= 8; text += 8, bytes -= 8) {
		memcpy(&word, text, 8);
		h = (h ^ word) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	word = 0;
	memcpy(&word, text, bytes);
	h = (h ^ word) * 0xff51afd7ed558ccdu;
	return h ^ h >> 32;
}

static bool grow_slots(struct keys *k)
{
	if (2 * (k->count + 1) <= k->slots)
		return true;
	size_t slots = k->slots ? 2 * k->slots : 256;
	size_t *slot = calloc(slots, sizeof *slot);
	if (!slot)
		return false;
	for (size_t n = 0; n < k->count; n++) {
		size_t i = k->at[n].hash & (slots - 1);
		while (slot[i])
			i = (i + 1) & (slots - 1);
		slot[i] = n + 1;
	}
	free(k->slot);
	k->slot = slot;
	k->slots = slots;
	return true;
}

static size_t add(struct keys *k, const char *text, size_t bytes, uint64_t hash)
{
	if (k->count == k->capacity) {
		size_t capacity = k->capacity ? 2 * k->capacity : 64;
		struct key *larger = realloc(k->at, capacity * sizeof *larger);
		if (!larger)
			return KEYS_NO_MEMORY;
		k->at = larger;
		k->capacity = capacity;
	}
	char *copy = malloc(bytes + 1);
	if (!copy)
		return KEYS_NO_MEMORY;
	memcpy(copy, text, bytes);
	copy[bytes] = 0;
	k->at[k->count] = (struct key){copy, bytes, hash};
	return k->count++;
}

size_t keys_number(struct keys *k, const char *text, size_t bytes)
{
	if (!grow_slots(k))
		return KEYS_NO_MEMORY;
	uint64_t hash = hash_of(text, bytes);
	size_t i = hash & (k->slots - 1);
	for (; k->slot[i]; i = (i + 1) & (k->slots - 1)) {
		const struct key *found = &k->at[k->slot[i] - 1];
		if (found->hash == hash && found->bytes == bytes && !memcmp(found->text, text, bytes))
			return k->slot[i] - 1;
	}
	size_t number = add(k, text, bytes, hash);
	if (number != KEYS_NO_MEMORY)
		k->slot[i] = number + 1;
	return number;
}

void keys_free(struct keys *k)
{
	for (size_t n = 0; n < k->count; n++)
		free(k->at[n].text);
	free(k->at);
	free(k->slot);
	*k = (struct keys){0};
}
