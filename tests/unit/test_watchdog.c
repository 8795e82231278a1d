/* test_watchdog.c - is the rank that holds the others up found, and does the run end with code 4 and one
 * sentence? */
#include "bench/core/watchdog_board.h"

#include "bench/core/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#undef fail /* ours is meant below */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern const struct bootstrap bootstrap_single;

enum { RANKS = 3 };

struct scene { /* three processes of one node; the first is this one */
	_Alignas(struct sheet) char sheet[sizeof(struct sheet) + RANKS * sizeof(struct line)];
	struct place places[RANKS];
	int ranks[RANKS];
	struct board board;
};

static void set_scene(struct scene *s, pid_t second, bool waits0, bool waits1, bool waits2)
{
	const bool waits[RANKS] = {waits0, waits1, waits2};
	struct sheet *sheet = (struct sheet *)s->sheet;
	memset(s, 0, sizeof *s);
	for (int r = 0; r < RANKS; r++) {
		s->places[r] =
		        (struct place){.process = r, .pid = r == 1 ? second : getpid(), .local_rank = r};
		snprintf(s->places[r].host, sizeof s->places[r].host, "somewhere");
		s->ranks[r] = r;
		atomic_store(&sheet->lines[r].steps, 1);
		atomic_store(&sheet->lines[r].waits, waits[r]);
		char text[8] = "phase";
		text[5] = (char)('0' + r);
		uint64_t word;
		memcpy(&word, text, sizeof word);
		atomic_store(&sheet->lines[r].phase[0], word);
	}
	s->board = (struct board){
	        .sheet = sheet, .count = RANKS, .ranks = s->ranks, .places = s->places, .shared = true};
}

static void the_busy_one_is_blamed_when_others_wait(void **state)
{
	struct scene s;
	struct blame b;
	(void)state;
	set_scene(&s, getpid(), true, true, false);
	blame_find(&s.board, 0, 5, &b);
	assert_int_equal(b.grounds, CERTAIN);
	assert_non_null(strstr(b.sentence, "no progress for 5 s: rank 2 "));
	assert_non_null(strstr(b.sentence, "got no further while phase2;"));
}

static void nobody_is_certain_when_all_do_the_same(void **state)
{
	struct scene s;
	struct blame b;
	(void)state;
	set_scene(&s, getpid(), false, false, false);
	blame_find(&s.board, 2, 5, &b);
	assert_int_equal(b.grounds, SUSPECT);
	assert_non_null(strstr(b.sentence, "like 2 more of its node"));
	set_scene(&s, getpid(), true, true, true);
	blame_find(&s.board, 0, 5, &b);
	assert_int_equal(b.grounds, ELSEWHERE);
	assert_non_null(strstr(b.sentence, "while phase0: every rank of somewhere waits"));
}

static void a_stopped_or_dead_process_is_blamed_first(void **state)
{
	struct scene s;
	struct blame b;
	(void)state;
	pid_t child = fork();
	if (child == 0)
		for (;;)
			pause();
	kill(child, SIGSTOP);
	waitpid(child, NULL, WUNTRACED);
	set_scene(&s, child, true, true, false); /* rank 2 is busy, but rank 1 is stopped */
	blame_find(&s.board, 2, 5, &b);
	assert_int_equal(b.grounds, CERTAIN);
	assert_non_null(strstr(b.sentence, "rank 1 "));
	assert_non_null(strstr(b.sentence, "was stopped by a signal while phase1"));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	blame_find(&s.board, 0, 5, &b);
	assert_non_null(strstr(b.sentence, "went away while phase1;"));
}

static void an_unshared_board_knows_its_own_process(void **state)
{
	struct scene s;
	struct blame b;
	(void)state;
	set_scene(&s, getpid(), true, false, false);
	s.board.shared = false;
	blame_find(&s.board, 0, 5, &b);
	assert_int_equal(b.grounds, ELSEWHERE);
}

static void a_line_that_nobody_writes_says_nothing(void **state)
{
	struct scene s;
	struct blame b;
	(void)state;
	set_scene(&s, getpid(), true, true, false);
	atomic_store(&s.board.sheet->lines[2].steps, 0); /* that process did not find the board */
	blame_find(&s.board, 0, 5, &b);
	assert_int_equal(b.grounds, ELSEWHERE);
}

static enum status one_sleeps(struct world *w, void *arg)
{
	(void)arg;
	world_deadline(w, 0.2);
	world_progress(w, w->rank == 1 ? "asleep" : "awake");
	if (w->rank == 1)
		clock_sleep_ns(10000000000);
	return world_barrier(w);
}

/* Runs body in a child; its exit code, and what it said. */
static int outcome(enum status (*body)(struct world *, void *), char *heard, size_t bytes)
{
	int ends[2], status = 0;
	size_t n = 0;
	ssize_t got;
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		struct world_setup setup = {
		        .bootstrap = &bootstrap_single, .processes = 1, .threads = RANKS, .device_base = -1};
		dup2(ends[1], STDERR_FILENO);
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		_exit(status_exit_code(world_run(&setup, body, NULL)));
	}
	close(ends[1]);
	while ((got = read(ends[0], heard + n, bytes - 1 - n)) > 0)
		n += (size_t)got;
	heard[n] = 0;
	close(ends[0]);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_stuck_rank_ends_the_run(void **state)
{
	char heard[1024];
	(void)state;
	int64_t start = clock_ns();
	assert_int_equal(outcome(one_sleeps, heard, sizeof heard), 4);
	assert_true(clock_ns() - start < 5000000000);
	assert_non_null(strstr(heard, "no progress for 0.2 s: rank 1 "));
	assert_non_null(strstr(heard, "got no further while asleep;"));
	assert_ptr_equal(strchr(heard, '\n') + 1, heard + strlen(heard)); /* one line */
}

static enum status all_slow_but_alive(struct world *w, void *arg)
{
	(void)arg;
	world_deadline(w, 0.2);
	for (int i = 0; i < 8 && w->rank == 1; i++) {
		clock_sleep_ns(100000000);
		world_progress(w, "slow");
	}
	return world_barrier(w);
}

static void steps_keep_the_run_alive(void **state)
{
	char heard[1024];
	(void)state;
	assert_int_equal(outcome(all_slow_but_alive, heard, sizeof heard), 0);
	assert_string_equal(heard, "");
}

static enum status all_abort(struct world *w, void *arg)
{
	(void)arg;
	fail(ST_USAGE, "the same cause");
	world_abort(w, ST_USAGE);
}

static void several_that_abort_say_it_once(void **state)
{
	char heard[1024];
	(void)state;
	assert_int_equal(outcome(all_abort, heard, sizeof heard), status_exit_code(ST_USAGE));
	assert_non_null(strstr(heard, ": the same cause\n"));
	assert_ptr_equal(strchr(heard, '\n') + 1, heard + strlen(heard));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(the_busy_one_is_blamed_when_others_wait),
	        cmocka_unit_test(nobody_is_certain_when_all_do_the_same),
	        cmocka_unit_test(a_stopped_or_dead_process_is_blamed_first),
	        cmocka_unit_test(an_unshared_board_knows_its_own_process),
	        cmocka_unit_test(a_line_that_nobody_writes_says_nothing),
	        cmocka_unit_test(a_stuck_rank_ends_the_run),
	        cmocka_unit_test(steps_keep_the_run_alive),
	        cmocka_unit_test(several_that_abort_say_it_once),
	};
	return cmocka_run_group_tests_name("watchdog", tests, NULL, NULL);
}
