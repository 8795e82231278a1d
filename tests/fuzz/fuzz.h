/* fuzz.h - what the fuzz targets share: bytes become a file, complaints stay quiet. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "bench/core/status.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The path of a file in memory that holds these bytes; the same one at every call. */
static inline const char *fuzz_file(const uint8_t *data, size_t bytes)
{
	static char path[64];
	static int fd = -1;
	if (fd < 0) {
		fail_keep(true);
		fd = memfd_create("fuzz", 0);
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	}
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, bytes, 0) != (ssize_t)bytes)
		abort();
	return path;
}

#endif
