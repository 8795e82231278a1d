/* siphash.h - SipHash-2-4 with a 128-bit result: a keyed digest that cannot be forged without the key. */
#ifndef BENCH_TRANSPORT_SIPHASH_H
#define BENCH_TRANSPORT_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

enum { SIPHASH_KEY_BYTES = 16, SIPHASH_BYTES = 16 };

void siphash(
        const uint8_t key[SIPHASH_KEY_BYTES], const void *data, size_t bytes, uint8_t digest[SIPHASH_BYTES]);

#endif
