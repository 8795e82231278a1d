/* grow.h - buffers that grow between rows. */
#ifndef BENCH_CORE_GROW_H
#define BENCH_CORE_GROW_H

#include <stdbool.h>
#include <stdlib.h>

/* The buffer with room for so many bytes; the old one, and *ok_p false, when there is no memory for it. */
static inline void *grown(void *buffer, size_t bytes, bool *ok_p)
{
	void *larger = realloc(buffer, bytes);
	if (larger)
		return larger;
	*ok_p = false;
	return buffer;
}

#endif
