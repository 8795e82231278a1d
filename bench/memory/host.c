/* host.c - host memory: shareable with the other processes of a node, touched where it will be used. */
#include "bench/memory/host.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static enum status probe(char *why, size_t why_bytes)
{
	(void)why, (void)why_bytes;
	return ST_OK;
}

/* Makes every page now, in one call where the kernel has it. Pages come zeroed. */
static void touch(char *base, size_t bytes, size_t page)
{
#ifdef MADV_POPULATE_WRITE
	if (!madvise(base, bytes, MADV_POPULATE_WRITE))
		return;
#endif
	for (size_t i = 0; i < bytes; i += page)
		((volatile char *)base)[i] = 0;
}

/* A memfd has no name that a crash could leave behind; peers of the same user open it through /proc. Touching
 * every page now puts it next to the thread that will use it and keeps page faults out of the measurement. */
static enum status alloc(int device, size_t bytes, struct buffer *out)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), rounded = (bytes + page) / page * page;
	int fd = memfd_create("busbar-buffer", MFD_CLOEXEC);
	if (fd < 0)
		return fail(ST_SYSTEM, "cannot make a buffer of '%zu' bytes: memfd_create: %s", bytes,
		        strerror(errno));
	if (ftruncate(fd, (off_t)rounded)) {
		close(fd);
		return fail(ST_NOMEM, "cannot make a buffer of '%zu' bytes: %s; give a smaller -e", bytes,
		        strerror(errno));
	}
	void *base = mmap(NULL, rounded, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED) {
		close(fd);
		return fail(ST_NOMEM, "cannot map a buffer of '%zu' bytes: %s; give a smaller -e", bytes,
		        strerror(errno));
	}
	madvise(base, rounded, MADV_HUGEPAGE); /* where the system allows it; no harm where not */
	touch(base, rounded, page);
	*out = (struct buffer){
	        .kind = &memory_host, .base = base, .bytes = rounded, .device = device, .share_fd = fd};
	return ST_OK;
}

static void release(struct buffer *b)
{
	munmap(b->base, b->bytes);
	close(b->share_fd);
	*b = (struct buffer){.share_fd = -1};
}

static enum status zero(void *dst, size_t bytes)
{
	memset(dst, 0, bytes);
	return ST_OK;
}

static enum status copy(void *dst, const void *src, size_t bytes)
{
	memcpy(dst, src, bytes);
	return ST_OK;
}

const struct memory_kind memory_host = {
        .name = "host",
        .help = "memory of the machine, shared between the processes of a node",
        .probe = probe,
        .alloc = alloc,
        .free = release,
        .zero = zero,
        .copy = copy,
        .copy_through = host_copy_through,
        .fill = host_fill,
        .verify = host_verify,
        .reduce = host_reduce,
        .scale = host_scale,
        .divide = host_divide,
};
