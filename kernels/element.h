/* element.h - what each element of a test buffer holds, and what must come out. For host and device code.
 *
 * The contract: every order of reduction over all ranks gives the same bits, and the result is known without
 * looking at the inputs, at a cost that does not depend on the number of ranks.
 *
 * Data are made a word at a time: 8 bytes for the 8-byte types, else 4, with 1, 2 or 4 elements side by side.
 * A word is a hash of (seed, word index) that is masked, has a constant added, and is exclusive-ored:
 *
 *     value(hash) = ((hash & mask) + add) ^ (sign of hash ? flip : 0) ^ fixed
 *
 * The hash also picks one rank, the holder. It alone has random bits in its share; the others have constants
 * of their rank (for floats, with the holder's exponent). A recipe holds the constants; recipe.h chooses them
 * such that shares combine exactly and no addition carries from one element into the next. So one short loop
 * fills, and another verifies, whatever the type, the operation and the number of ranks.
 */
#ifndef KERNELS_ELEMENT_H
#define KERNELS_ELEMENT_H

#include "kernels/convert.h"
#include "kernels/types.h"

enum { ELEMENT_OTHER, ELEMENT_HOLDER };

struct element_recipe {
	uint64_t seed;            /* already mixed with the source rank where the data name it */
	uint64_t mask[2], add[2]; /* of a rank that is not the holder, and of the holder */
	uint64_t flip, fixed;
	uint32_t holders;     /* how many ranks can be the holder */
	uint32_t holder_mask; /* a power of two - 1 that covers them */
	uint32_t me;          /* which of them this rank is; ~0: none */
	uint32_t members;     /* ranks that share in an element, from the holder on; others give 0 */
	int elem_bytes, word_bytes;
};

/* What a hash needs to know of all but the low 32 bits of the word index. */
struct element_key {
	uint32_t first, second;
};

ELEMENT_FN uint64_t element_mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xe9846af9b1a615dull;
	x ^= x >> 32;
	x *= 0xe9846af9b1a615dull;
	return x ^ x >> 28;
}

ELEMENT_FN struct element_key element_key_of(uint64_t seed, uint64_t word)
{
	uint64_t x = element_mix(seed + (word >> 32) * 0x9e3779b97f4a7c15ull);
	struct element_key key;
	key.first = (uint32_t)x;
	key.second = (uint32_t)(x >> 32);
	return key;
}

ELEMENT_FN uint32_t element_hash32(struct element_key key, uint32_t word)
{
	uint32_t h = word * 0x9e3779b1u + key.first;
	h ^= h >> 16;
	h = h * 0x7feb352du + key.second;
	return h ^ h >> 15;
}

ELEMENT_FN uint64_t element_hash64(struct element_key key, uint32_t word)
{
	uint32_t low = element_hash32(key, word), high = low * 0x846ca68bu + key.first;
	high ^= high >> 16;
	return (uint64_t)high << 32 | low;
}

ELEMENT_FN uint32_t element_value32(
        const struct element_recipe *r, uint32_t hash, uint32_t mask, uint32_t add)
{
	uint32_t sign = 0u - (hash >> 31);
	return ((hash & mask) + add) ^ (sign & (uint32_t)r->flip) ^ (uint32_t)r->fixed;
}

ELEMENT_FN uint64_t element_value64(
        const struct element_recipe *r, uint64_t hash, uint64_t mask, uint64_t add)
{
	uint64_t sign = 0u - (hash >> 63);
	return ((hash & mask) + add) ^ (sign & r->flip) ^ r->fixed;
}

/* Which rank holds a word. */
ELEMENT_FN uint32_t element_holder(const struct element_recipe *r, uint32_t hash)
{
	uint32_t holder = hash & r->holder_mask, wrapped = holder - r->holders;
	return wrapped < holder ? wrapped : holder;
}

/* Do all ranks share in every element? A loop that knows is shorter. */
ELEMENT_FN int element_everybody(const struct element_recipe *r)
{
	return r->members >= r->holders;
}

/* How far this rank stands behind the holder, counted round; where everybody shares only 0, the holder,
 * matters. */
ELEMENT_FN uint32_t element_distance(const struct element_recipe *r, uint32_t hash, int everybody)
{
	uint32_t distance = element_holder(r, hash) - r->me, other = distance + r->holders;
	return everybody || distance < other ? distance : other;
}

/* This rank's share of a word. */
ELEMENT_FN uint32_t element_share32(const struct element_recipe *r, uint32_t hash, int everybody)
{
	uint32_t distance = element_distance(r, hash, everybody);
	uint32_t mask = (uint32_t)(distance ? r->mask[ELEMENT_OTHER] : r->mask[ELEMENT_HOLDER]);
	uint32_t add = (uint32_t)(distance ? r->add[ELEMENT_OTHER] : r->add[ELEMENT_HOLDER]);
	uint32_t value = element_value32(r, hash, mask, add);
	return everybody || distance < r->members ? value : 0;
}

ELEMENT_FN uint64_t element_share64(const struct element_recipe *r, uint64_t hash, int everybody)
{
	uint32_t distance = element_distance(r, (uint32_t)hash, everybody);
	uint64_t mask = distance ? r->mask[ELEMENT_OTHER] : r->mask[ELEMENT_HOLDER];
	uint64_t add = distance ? r->add[ELEMENT_OTHER] : r->add[ELEMENT_HOLDER];
	uint64_t value = element_value64(r, hash, mask, add);
	return everybody || distance < r->members ? value : 0;
}

/* What a word must be: the recipe of a result is all holder. */
ELEMENT_FN uint32_t element_result32(const struct element_recipe *r, uint32_t hash)
{
	return element_value32(r, hash, (uint32_t)r->mask[ELEMENT_HOLDER], (uint32_t)r->add[ELEMENT_HOLDER]);
}

ELEMENT_FN uint64_t element_result64(const struct element_recipe *r, uint64_t hash)
{
	return element_value64(r, hash, r->mask[ELEMENT_HOLDER], r->add[ELEMENT_HOLDER]);
}

/* One element of a share (of a result, when the recipe is one), in the low bits. */
ELEMENT_FN uint64_t element_at(const struct element_recipe *r, uint64_t index)
{
	uint32_t in_word = (uint32_t)(r->word_bytes / r->elem_bytes);
	uint64_t word = index / in_word;
	struct element_key key = element_key_of(r->seed, word);
	if (r->word_bytes == 8)
		return element_share64(r, element_hash64(key, (uint32_t)word), 0);
	uint32_t bits = element_share32(r, element_hash32(key, (uint32_t)word), 0);
	bits >>= 8 * (uint32_t)r->elem_bytes * (uint32_t)(index % in_word);
	return r->elem_bytes == 4 ? bits : bits & ((1u << 8 * r->elem_bytes) - 1);
}

/* Of floats of so many bytes: how many numbers lie between two patterns; -0 and +0 are one. */
ELEMENT_FN uint64_t element_units_apart(uint64_t a, uint64_t b, int bytes)
{
	uint64_t top = (uint64_t)1 << (8 * bytes - 1);
	int64_t x = a & top ? -(int64_t)(a - top) : (int64_t)a,
	        y = b & top ? -(int64_t)(b - top) : (int64_t)b;
	return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

/* The factor of a rank's input under mulsum. */
ELEMENT_FN double element_mulsum_scalar(uint32_t rank)
{
	return rank % 2 ? 2 : 1;
}

#endif
