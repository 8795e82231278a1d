/* host_stream.c - copies that go past the caches. A plain store first reads the line that it overwrites;
 * where memory is the limit that is a third of the traffic of a copy. */
#include "bench/memory/host.h"

#include <string.h>

#ifdef __SSE2__

#include <emmintrin.h>

enum { LINE = 64, AHEAD = 16 * LINE /* the CPU itself does not look ahead past the end of a page */ };

/* Whole lines: the write combining buffers never hold part of one. */
static void stream_lines(char *dst, const char *src, size_t lines)
{
	for (size_t i = 0; i < lines; i++, dst += LINE, src += LINE) {
		__builtin_prefetch(src + AHEAD);
		__m128i a = _mm_loadu_si128((const __m128i *)(const void *)src);
		__m128i b = _mm_loadu_si128((const __m128i *)(const void *)(src + 16));
		__m128i c = _mm_loadu_si128((const __m128i *)(const void *)(src + 32));
		__m128i d = _mm_loadu_si128((const __m128i *)(const void *)(src + 48));
		_mm_stream_si128((__m128i *)(void *)dst, a);
		_mm_stream_si128((__m128i *)(void *)(dst + 16), b);
		_mm_stream_si128((__m128i *)(void *)(dst + 32), c);
		_mm_stream_si128((__m128i *)(void *)(dst + 48), d);
	}
	_mm_sfence(); /* whoever is told of the data later sees it */
}

enum status host_copy_through(void *dst, const void *src, size_t bytes)
{
	size_t head = -(uintptr_t)dst % LINE;
	head = head < bytes ? head : bytes;
	size_t lines = (bytes - head) / LINE, tail = head + lines * LINE;
	memcpy(dst, src, head);
	stream_lines((char *)dst + head, (const char *)src + head, lines);
	memcpy((char *)dst + tail, (const char *)src + tail, bytes - tail);
	return ST_OK;
}

#else

enum status host_copy_through(void *dst, const void *src, size_t bytes)
{
	memcpy(dst, src, bytes);
	return ST_OK;
}

#endif
