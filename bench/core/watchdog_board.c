/* watchdog_board.c - the memory behind the board: made by the lowest process of a node, found by the others
 * by name. */
#include "bench/core/watchdog_board.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t sheet_bytes(const struct board *b)
{
	return sizeof(struct sheet) + (size_t)b->count * sizeof(struct line);
}

static enum status layout(const struct watchdog_setup *setup, struct board *b)
{
	int own = 0;
	while (setup->places[own].process != setup->process)
		own++;
	*b = (struct board){.places = setup->places, .node = setup->places[own].node};
	b->ranks = calloc((size_t)setup->ranks, sizeof *b->ranks);
	if (!b->ranks)
		return fail(ST_NOMEM, "no memory for the list of %d ranks", setup->ranks);
	for (int r = 0; r < setup->ranks; r++)
		if (setup->places[r].node == b->node)
			b->ranks[b->count++] = r;
	return ST_OK;
}

static int make(const char *name, size_t bytes)
{
	int fd = shm_open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, (off_t)bytes) == 0)
		return fd;
	close(fd);
	return -1;
}

static enum status map(int fd, struct board *b)
{
	int flags = fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
	void *p = mmap(NULL, sheet_bytes(b), PROT_READ | PROT_WRITE, flags, fd, 0);
	if (p == MAP_FAILED)
		return fail(ST_NOMEM, "no memory for the progress board of %d ranks", b->count);
	b->sheet = p;
	b->shared = fd >= 0;
	return ST_OK;
}

enum status board_open(const struct watchdog_setup *setup, struct board *out)
{
	char name[64];
	enum status s = layout(setup, out);
	if (s != ST_OK)
		return s;
	bool makes = setup->places[out->ranks[0]].process == setup->process;
	snprintf(name, sizeof name, "/busbar-%s-%d", setup->run_id, out->node);
	int fd = makes ? make(name, sheet_bytes(out)) : -1;
	s = setup->bootstrap->barrier();
	if (s == ST_OK && !makes)
		fd = shm_open(name, O_RDWR | O_CLOEXEC, 0600);
	if (s == ST_OK)
		s = map(fd, out);
	if (s == ST_OK)
		s = setup->bootstrap->barrier();
	if (fd >= 0)
		close(fd);
	if (makes)
		shm_unlink(name); /* all have it, or never will */
	return s;
}

void board_close(struct board *b)
{
	if (b->sheet)
		munmap(b->sheet, sheet_bytes(b));
	free(b->ranks);
}

bool board_sees(const struct board *b, int i, int process)
{
	if (b->places[b->ranks[i]].process == process)
		return true;
	return b->shared && atomic_load_explicit(&b->sheet->lines[i].steps, memory_order_relaxed) > 0;
}

uint64_t board_steps(const struct board *b, int process)
{
	uint64_t sum = 0;
	for (int i = 0; i < b->count; i++)
		if (board_sees(b, i, process))
			sum += atomic_load_explicit(&b->sheet->lines[i].steps, memory_order_relaxed);
	return sum;
}

void board_phase(const struct line *line, char text[PHASE_BYTES])
{
	for (int w = 0; w < PHASE_WORDS; w++) {
		uint64_t word = atomic_load_explicit(&line->phase[w], memory_order_relaxed);
		memcpy(text + 8 * w, &word, 8);
	}
	text[PHASE_BYTES - 1] = 0;
}
