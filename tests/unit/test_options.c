/* test_options.c - command lines, variables and plan files: what is taken, and what is said about the rest.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/core/options.h"

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 64 };

static struct plan_list list;
static enum options_result what;

/* Blanks separate arguments. */
static enum status parse(const char *line)
{
	static char copy[1024];
	static char program[] = "all_reduce_perf";
	char *argv[ARGUMENTS_MAX] = {program};
	int argc = 1;
	options_free(&list);
	fail_forget();
	snprintf(copy, sizeof copy, "%s", line);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	return options_parse(argc, argv, "all_reduce", &list, &what);
}

static const struct plan *plan_of(const char *line)
{
	assert_int_equal(parse(line), ST_OK);
	assert_int_equal(what, OPTIONS_RUN);
	assert_int_equal(list.count, 1);
	return list.plans;
}

static void assert_refused(const char *line, enum status s, const char *sentence)
{
	assert_int_equal(parse(line), s);
	assert_string_equal(fail_sentence(), sentence);
	assert_int_equal(list.count, 0);
}

static void defaults_are_those_of_nccl_tests(void **state)
{
	(void)state;
	const struct plan *p = plan_of("");
	assert_string_equal(p->collective, "all_reduce");
	assert_int_equal(p->threads, 1);
	assert_int_equal(p->gpus, 1);
	assert_int_equal(p->min_bytes, 32 << 20);
	assert_int_equal(p->max_bytes, 32 << 20);
	assert_int_equal(p->step_bytes, 1 << 20);
	assert_true(p->step_factor == 1);
	assert_int_equal(p->iters, 20);
	assert_int_equal(p->agg_iters, 1);
	assert_int_equal(p->warmup_iters, 1);
	assert_int_equal(p->run_cycles, 1);
	assert_int_equal(p->check, 1);
	assert_int_equal(p->redop, OP_SUM);
	assert_int_equal(p->dtype, DT_FLOAT);
	assert_int_equal(p->root, 0);
	assert_int_equal(p->average, AVERAGE_MEAN);
	assert_int_equal(p->cta_policy, -1);
	assert_int_equal(p->device_cta_count, 16);
	assert_int_equal(p->device_base, -1);
	assert_true(p->min_bandwidth_gbs < 0);
	assert_true(p->alltoallv_spread == 1);
	assert_string_equal(p->backend, "");
}

static void letters_and_names_agree(void **state)
{
	(void)state;
	static const char *const pairs[][2] = {
	        {"-t 2", "--nthreads 2"},
	        {"-g 3", "--ngpus=3"},
	        {"-b 8", "--minbytes 8"},
	        {"-b8 -e64M", "--minbytes=8 --maxbytes=64M"},
	        {"-i 2K", "--stepbytes 2K"},
	        {"-f 2", "--stepfactor 2"},
	        {"-n 0x10", "--iters 16"},
	        {"-m 4", "--agg_iters 4"},
	        {"-w 0", "--warmup_iters 0"},
	        {"-N 0", "--run_cycles 0"},
	        {"-p 1", "--parallel_init 1"},
	        {"-c 0", "--check 0"},
	        {"-o max", "--op max"},
	        {"-o all", "--op all"},
	        {"-d bfloat16", "--datatype bfloat16"},
	        {"-r -1", "--root -1"},
	        {"-z 3", "--blocking 3"},
	        {"-T 5", "--timeout 5"},
	        {"-C 1", "--report_cputime 1"},
	        {"-a 3", "--average 3"},
	        {"-S 1", "--report_timestamps 1"},
	        {"-J x.json", "--output_file x.json"},
	        {"-M 1", "--memory 1"},
	        {"-u 3", "--unalign 3"},
	        {"-I 1 -K 2", "--per_iter_timing 1 --per_iter_skip 2"},
	        {"-y 1 -G 2 -R 2 -D 1 -x 2 -V 32",
	                "--stream_null 1 --cudagraph 2 --local_register 2 "
	                "--device_implementation 1 --cta_policy 2 --device_cta_count 32"},
	        {"-b 8", "--minb 8"},
	};
	const struct plan unset = *plan_of("");
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		struct plan by_letter = *plan_of(pairs[i][0]);
		assert_memory_not_equal(&by_letter, &unset, sizeof unset);
		assert_memory_equal(&by_letter, plan_of(pairs[i][1]), sizeof by_letter);
	}
}

static void long_only(void **state)
{
	(void)state;
	const struct plan *p =
	        plan_of("--precision 2% --budget 1.5 --ifname ^docker,lo --csv out --tier 1.6T --cluster c "
	                "--streams 4 --chunk 64K --sync --list --dry-run");
	assert_true(p->precision == 0.02);
	assert_true(p->budget_s == 1.5);
	assert_string_equal(p->ifname, "^docker,lo");
	assert_string_equal(p->csv_dir, "out");
	assert_string_equal(p->tier, "1.6T");
	assert_string_equal(p->cluster, "c");
	assert_int_equal(p->streams, 4);
	assert_int_equal(p->chunk_bytes, 65536);
	assert_true(p->sync_each && p->list && p->dry_run);
	assert_true(plan_of("--precision 0.02")->precision == 0.02);
}

static void help_ends_the_reading(void **state)
{
	(void)state;
	assert_int_equal(parse("-n 3 --help -q"), ST_OK);
	assert_int_equal(what, OPTIONS_HELP);
	assert_int_equal(parse("-q --help"), ST_USAGE);
}

static void refusals(void **state)
{
	(void)state;
	assert_refused("-q 1", ST_USAGE, "unknown option \"-q\": --help lists all");
	assert_refused("-B 1", ST_USAGE, "unknown option \"-B\": did you mean \"-b\" (--minbytes)?");
	assert_refused("--minbyts 1", ST_USAGE, "unknown option \"--minbyts\": did you mean \"--minbytes\"?");
	assert_refused("--step 1", ST_USAGE,
	        "option \"--step\" could be --stepbytes or --stepfactor: write more of it");
	assert_refused("-n", ST_USAGE, "-n (--iters) needs a value: N");
	assert_refused("--csv", ST_USAGE, "--csv needs a value: DIR");
	assert_refused("--sync=1", ST_USAGE, "\"--sync=1\": --sync takes no value");
	assert_refused("-n 20 64M", ST_USAGE,
	        "\"64M\" belongs to no option: each value follows its option, --help lists them");
	assert_refused("-n 2x", ST_USAGE, "-n (--iters) \"2x\": must be a whole number");
	assert_refused("-n 0", ST_USAGE, "-n (--iters) \"0\": must be from 1 to 2147483647");
	assert_refused("-c -1", ST_USAGE, "-c (--check) \"-1\": must be from 0 to 2147483647");
	assert_refused("-n 99999999999999999999", ST_USAGE,
	        "-n (--iters) \"99999999999999999999\": must be from 1 to 2147483647");
	assert_refused("-C 2", ST_USAGE, "-C (--report_cputime) \"2\": must be 0 or 1");
	assert_refused("-T soon", ST_USAGE, "-T (--timeout) \"soon\": must be a number");
	assert_refused("-o summ", ST_USAGE,
	        "-o (--op) \"summ\": not one of sum prod max min avg mulsum all; did you mean \"sum\"?");
	assert_refused("-d quad", ST_USAGE,
	        "-d (--datatype) \"quad\": not one of int8 uint8 int32 uint32 int64 uint64 half float double "
	        "bfloat16 f8e4m3 f8e5m2 all");
	assert_refused(
	        "--precision 5", ST_USAGE, "--precision \"5\": must be from 0 to below 1; write 2% or 0.02");
	assert_refused("-J a.xml", ST_USAGE, "-J \"a.xml\": the file must end in .json");
	assert_refused("-t 64 -g 64", ST_USAGE,
	        "-t \"64\" -g \"64\": more than 1024 ranks in a process, take more processes");
}

static void sizes_end_in_255(void **state)
{
	(void)state;
	assert_refused("-b 8T", ST_BAD_SIZE, "-b (--minbytes) \"8T\": the unit must be K, M or G");
	assert_refused("-e x", ST_BAD_SIZE, "-e (--maxbytes) \"x\": not a number");
	assert_refused("-i -1", ST_BAD_SIZE, "-i (--stepbytes) \"-1\": a size cannot be negative");
	assert_refused("-b 64M", ST_BAD_SIZE, "-b \"64M\": above -e \"32M\", lower one or raise the other");
	assert_refused("-D 1", ST_BAD_SIZE, "-D \"1\": needs symmetric buffers, add -R 2");
	assert_int_equal(status_exit_code(ST_BAD_SIZE), 255);
}

static void nccl_tests_corrections(void **state)
{
	(void)state;
	assert_int_equal(plan_of("-I 2")->per_iter, 0);
	assert_int_equal(plan_of("-I 1 -G 1")->per_iter, 0);
	assert_int_equal(plan_of("-z 3 -G 1")->blocking, 0);
	assert_int_equal(plan_of("-z 3")->blocking, 3);
	assert_int_equal(plan_of("-I 1 -K 20")->per_iter_skip, 0);
	assert_int_equal(plan_of("-I 1 -K 19")->per_iter_skip, 19);
	assert_int_equal(plan_of("-I 1 -K -1")->per_iter_skip, 0);
	assert_int_equal(plan_of("-K 3")->per_iter_skip, 0);
	assert_int_equal(plan_of("-R 2 -D 1 -V 129")->device_cta_count, 16);
	assert_int_equal(plan_of("-R 2 -D 1 -V 128")->device_cta_count, 128);
}

static void variables(void **state)
{
	(void)state;
	setenv("NCCL_TESTS_DEVICE", "2", 1);
	setenv("NCCL_TESTS_SPLIT", "MOD 2", 1);
	setenv("NCCL_TESTS_MIN_BW", "1.5", 1);
	setenv("NCCL_SOCKET_IFNAME", "=lo", 1);
	const struct plan *p = plan_of("");
	assert_int_equal(p->device_base, 2);
	assert_string_equal(p->split, "MOD 2");
	assert_true(p->min_bandwidth_gbs == 1.5);
	assert_string_equal(p->ifname, "=lo");
	assert_string_equal(plan_of("--ifname eth")->ifname, "eth");
	setenv("NCCL_TESTS_MIN_BW", "fast", 1);
	assert_refused("", ST_USAGE, "NCCL_TESTS_MIN_BW \"fast\": must be a number");
	setenv("NCCL_TESTS_MIN_BW", "", 1);
	assert_true(plan_of("")->min_bandwidth_gbs < 0);
	setenv("NCCL_TESTS_SPLIT", "XOR 2", 1);
	assert_int_equal(parse(""), ST_USAGE);
	unsetenv("NCCL_TESTS_DEVICE");
	unsetenv("NCCL_TESTS_SPLIT");
	unsetenv("NCCL_TESTS_MIN_BW");
	unsetenv("NCCL_SOCKET_IFNAME");
}

static char plan_path[] = "/tmp/test_options_XXXXXX";

static enum status parse_plan(const char *text, const char *more)
{
	char line[256];
	FILE *f = fopen(plan_path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	snprintf(line, sizeof line, "--plan %s %s", plan_path, more);
	return parse(line);
}

static void plan_lines(void **state)
{
	(void)state;
	assert_int_equal(parse_plan("# sizes\n\n  all_gather -b 8 -e 1K  # small\n-n 5\n"
	                            "alltoall --csv \"a # b\" --cluster 'c d'\n",
	                         "-n 7 -t 2"),
	        ST_OK);
	assert_int_equal(list.count, 3);
	assert_string_equal(list.plans[0].collective, "all_gather");
	assert_int_equal(list.plans[0].max_bytes, 1024);
	assert_int_equal(list.plans[0].iters, 7);
	assert_string_equal(list.plans[1].collective, "all_reduce");
	assert_int_equal(list.plans[1].iters, 5);
	assert_string_equal(list.plans[2].csv_dir, "a # b");
	assert_string_equal(list.plans[2].cluster, "c d");
	assert_int_equal(list.plans[2].threads, 2);
}

static void assert_line_refused(const char *text, enum status s, const char *place, const char *reason)
{
	char sentence[512];
	snprintf(sentence, sizeof sentence, "%s%s%s", plan_path, place, reason);
	assert_int_equal(parse_plan(text, ""), s);
	assert_string_equal(fail_sentence(), sentence);
}

static void plan_lines_refused(void **state)
{
	(void)state;
	assert_line_refused("all_gather\n\nall_gathr -n 1\n", ST_USAGE,
	        ":3: ", "no collective \"all_gathr\": did you mean \"all_gather\"?");
	assert_line_refused(
	        "-b 8T\n", ST_BAD_SIZE, ":1: ", "-b (--minbytes) \"8T\": the unit must be K, M or G");
	assert_line_refused(
	        "-b 64M", ST_BAD_SIZE, ":1: ", "-b \"64M\": above -e \"32M\", lower one or raise the other");
	assert_line_refused(
	        "--plan x", ST_USAGE, ":1: ", "--plan is for the whole launch: give it on the command line");
	assert_line_refused(
	        "-h", ST_USAGE, ":1: ", "--help is for the whole launch: give it on the command line");
	assert_line_refused("--csv \"x", ST_USAGE, ":1: ", "a quote stays open, or more than 128 words");
	assert_line_refused("-t 2\n-t 3\n", ST_USAGE, ":2: ",
	        "-t \"3\" -g \"1\": all runs of a launch have the same ranks, the first has -t 2 -g 1");
	assert_int_equal(parse_plan("# nothing\n", ""), ST_USAGE);
	assert_non_null(strstr(fail_sentence(), "holds no run"));
	assert_refused("--plan /nonexistent/x.plan", ST_USAGE,
	        "--plan \"/nonexistent/x.plan\": cannot be read: No such file or directory");
}

/* --dry-run prints plan lines: what they say must be what they came from. */
static void printed_plans_read_back(void **state)
{
	(void)state;
	static const char *const lines[] = {
	        "",
	        "-b 8 -e 128M -f 2 -n 5 -d all -o all -r -1",
	        "-z 3 -a 2 -S 1 -C 1 -M 1 -u 5 -I 1 -K 4 -J x.json -c 0",
	        "--csv a/b --precision 0.02 --budget 2.5 --chunk 65537 --sync --tier 1.6T",
	};
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		char text[1024] = "";
		struct plan plan = *plan_of(lines[i]);
		FILE *f = fmemopen(text, sizeof text, "w");
		assert_non_null(f);
		options_print(f, &plan);
		fclose(f);
		assert_int_equal(parse_plan(text, ""), ST_OK);
		assert_memory_equal(&plan, list.plans, sizeof plan);
	}
}

static void help_names_every_option(void **state)
{
	(void)state;
	static const char *const needed[] = {"--minbytes SIZE", "-e, --maxbytes", "(32M)", "mulsum all",
	        "f8e5m2 all", "--dry-run", "NCCL_TESTS_SPLIT_MASK", "NCCL_SOCKET_IFNAME", "USAGE: prog"};
	char text[16384] = "";
	FILE *f = fmemopen(text, sizeof text, "w");
	assert_non_null(f);
	options_help(f, "prog");
	fclose(f);
	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
		assert_non_null(strstr(text, needed[i]));
}

static void ranks_judge_the_root(void **state)
{
	(void)state;
	struct plan plan = *plan_of("-r 4");
	assert_int_equal(plan_check(&plan, 4), ST_OK); /* all_reduce has no root */
	strcpy(plan.collective, "broadcast");
	assert_int_equal(plan_check(&plan, 5), ST_OK);
	assert_int_equal(plan_check(&plan, 4), ST_USAGE);
	assert_string_equal(fail_sentence(),
	        "-r \"4\": there is no such rank, a group has ranks 0 to 3; -1 takes each in turn");
	plan.root = PLAN_ALL;
	assert_int_equal(plan_check(&plan, 1), ST_OK);
}

static void cuda_options_are_found(void **state)
{
	(void)state;
	assert_null(options_needing_cuda(plan_of("-z 3 -C 1 --memory 1")));
	assert_string_equal(options_needing_cuda(plan_of("-G 1")), "-G (--cudagraph)");
	assert_string_equal(options_needing_cuda(plan_of("-R 2 -D 1")), "-R (--local_register)");
	assert_string_equal(options_needing_cuda(plan_of("-x 0")), "-x (--cta_policy)");
	assert_string_equal(options_needing_cuda(plan_of("-y 1")), "-y (--stream_null)");
	assert_string_equal(options_needing_cuda(plan_of("-V 8")), "-V (--device_cta_count)");
}

static int start(void **state)
{
	(void)state;
	fail_keep(true);
	return close(mkstemp(plan_path));
}

static int finish(void **state)
{
	(void)state;
	options_free(&list);
	return unlink(plan_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(defaults_are_those_of_nccl_tests),
	        cmocka_unit_test(letters_and_names_agree),
	        cmocka_unit_test(long_only),
	        cmocka_unit_test(help_ends_the_reading),
	        cmocka_unit_test(refusals),
	        cmocka_unit_test(sizes_end_in_255),
	        cmocka_unit_test(nccl_tests_corrections),
	        cmocka_unit_test(variables),
	        cmocka_unit_test(plan_lines),
	        cmocka_unit_test(plan_lines_refused),
	        cmocka_unit_test(printed_plans_read_back),
	        cmocka_unit_test(help_names_every_option),
	        cmocka_unit_test(ranks_judge_the_root),
	        cmocka_unit_test(cuda_options_are_found),
	};
	return cmocka_run_group_tests(tests, start, finish);
}
