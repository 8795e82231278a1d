/* siphash.c - SipHash-2-4 after Aumasson and Bernstein's paper of 2012, in the variant with a 128-bit result.
 */
#include "bench/transport/siphash.h"

#include <string.h>

static uint64_t rotate(uint64_t x, int bits)
{
	return x << bits | x >> (64 - bits);
}

static void rounds(uint64_t v[4], int count)
{
	while (count-- > 0) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

static uint64_t load(const uint8_t *from, size_t bytes)
{
	uint64_t word = 0;

	for (size_t i = 0; i < bytes; i++)
		word |= (uint64_t)from[i] << (8 * i);
	return word;
}

static void store(uint8_t *to, uint64_t word)
{
	for (int i = 0; i < 8; i++)
		to[i] = (uint8_t)(word >> (8 * i));
}

static void absorb(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	rounds(v, 2);
	v[0] ^= word;
}

static uint64_t squeeze(uint64_t v[4], int lane, unsigned mark)
{
	v[lane] ^= mark;
	rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

void siphash(
        const uint8_t key[SIPHASH_KEY_BYTES], const void *data, size_t bytes, uint8_t digest[SIPHASH_BYTES])
{
	uint64_t k0 = load(key, 8), k1 = load(key + 8, 8);
	uint64_t v[4] = {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d ^ 0xee, k0 ^ 0x6c7967656e657261,
	        k1 ^ 0x7465646279746573};
	const uint8_t *at = data, *end = at + bytes / 8 * 8;

	for (; at < end; at += 8)
		absorb(v, load(at, 8));
	absorb(v, load(at, bytes % 8) | (uint64_t)bytes << 56);
	store(digest, squeeze(v, 2, 0xee));
	store(digest + 8, squeeze(v, 1, 0xdd));
}
