/* test_json.c - the JSON of -J: nccl-tests' members, and a whole object on disk after every row. */
#include "bench/core/options.h"
#include "bench/core/sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct place places[2] = {
        {.host = "a", .pid = 11, .device = 0}, {.host = "b", .pid = 12, .device = 1, .group = 1}};
static struct device_facts devices[2] = {{.bus = 1, .name = "CPU \"one\""}, {.name = "CPU two"}};
static const struct world world = {.ranks = 2, .processes = 2, .places = places};
static char program[] = "./build/all_reduce_perf", broken[] = "caf\xe9";
static char *argv[] = {program, broken, NULL};
static struct run_facts facts = {
        .argc = 2,
        .argv = argv,
        .program = "all_reduce_perf",
        .ranks = 2,
        .places = places,
        .devices = devices,
        .backend = "ring",
        .transport = "",
        .memory = "host",
};

static char folder[] = "/tmp/test_json_XXXXXX";
static struct plan plan;
static json_t *loaded;

static const char *path_of(const char *name)
{
	static char path[128];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static json_t *load(const char *name)
{
	json_error_t error;
	json_decref(loaded);
	loaded = json_load_file(path_of(name), 0, &error);
	assert_non_null(loaded);
	return loaded;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	assert_non_null(text);
	return text;
}

static void add_placement(bool in_place, enum check checked, uint64_t wrong)
{
	static const int64_t elapsed_ns[] = {4000, 1000, 2000};
	static const double process_us[] = {4, 1, 1, 3, 0.5, 2};
	const struct samples samples[2] = {
	        {0}, {.count = 3, .elapsed_ns = elapsed_ns, .processes = 2, .process_max_us = process_us}};
	const struct record record = {.bytes = 8,
	        .count_elems = 2,
	        .dtype = DT_FLOAT,
	        .redop = OP_SUM,
	        .root = -1,
	        .iters = 20,
	        .mean_ns = 1234.5678,
	        .algbw_gbs = 0.5,
	        .busbw_gbs = 1,
	        .checked = checked,
	        .wrong_elems = wrong};
	const struct row row = {.in_place = in_place,
	        .combined = &record,
	        .groups = &record,
	        .group_count = 1,
	        .samples = samples,
	        .launch_ns = 900};
	assert_int_equal(sink_json.row(&plan, &row), ST_OK);
}

static void whole_after_every_step(void **state)
{
	(void)state;
	snprintf(plan.json_path, sizeof plan.json_path, "%s", path_of("a.json"));
	assert_int_equal(sink_json.begin(&world, &plan, &facts), ST_OK);
	assert_int_equal(json_array_size(json_object_get(load("a.json"), "results")), 0);
	assert_int_equal(json_array_size(json_object_get(loaded, "errors")), 1);
	for (size_t rows = 1; rows <= 3; rows++) {
		add_placement(false, CHECK_DONE, 0);
		assert_int_equal(json_array_size(json_object_get(load("a.json"), "results")), rows - 1);
		add_placement(true, CHECK_DONE, 0);
		assert_int_equal(json_array_size(json_object_get(load("a.json"), "results")), rows);
		assert_string_equal(text_of(json_object_get(loaded, "out_of_bounds"), "okay"), "unchecked");
	}
	const struct summary sum = {.avg_busbw_gbs = 1, .error = ""};
	assert_int_equal(sink_json.end(&plan, &sum), ST_OK);
	assert_int_equal(json_array_size(json_object_get(load("a.json"), "results")), 3);
	assert_int_equal(json_array_size(json_object_get(loaded, "errors")), 0);
	assert_string_equal(text_of(json_object_get(loaded, "out_of_bounds"), "okay"), "true");
	assert_string_equal(text_of(json_object_get(loaded, "average_bus_bandwidth"), "okay"), "unchecked");
}

static void members_of_nccl_tests(void **state)
{
	(void)state;
	static const char *const config_keys[] = {"nthreads", "ngpus", "minimum_bytes", "maximum_bytes",
	        "step_bytes", "warmup_iters", "iterations", "aggregated_iterations", "validation", "graph",
	        "blocking_collectives", "per_iter_timing", "per_iter_skip", "parallel_init", "devices"};
	load("a.json");
	assert_int_equal(json_integer_value(json_object_get(loaded, "version")), 3);
	assert_int_equal(strlen(text_of(loaded, "start_time")), strlen("2025-01-02 03:04:05"));
	assert_int_equal(strlen(text_of(loaded, "end_time")), strlen("2025-01-02 03:04:05"));
	assert_string_equal(json_string_value(json_array_get(json_object_get(loaded, "args"), 1)), "caf?");
	const json_t *config = json_object_get(loaded, "config");
	for (size_t i = 0; i < sizeof config_keys / sizeof *config_keys; i++)
		assert_non_null(json_object_get(config, config_keys[i]));
	assert_string_equal(text_of(config, "blocking_collectives"), "false");
	const json_t *list = json_object_get(config, "devices");
	assert_int_equal(json_array_size(list), 2);
	assert_string_equal(text_of(json_array_get(list, 0), "device_hex"), "0000:01:00");
	assert_string_equal(text_of(json_array_get(list, 0), "device_info"), "CPU \"one\"");
	assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 1), "pid")), 12);
	const json_t *row = json_array_get(json_object_get(loaded, "results"), 0);
	assert_string_equal(text_of(row, "root"), "    -1");
	assert_string_equal(text_of(row, "redop"), "sum");
	assert_string_equal(text_of(row, "experiment_name"), "");
	assert_int_equal(
	        json_integer_value(json_object_get(row, "actual_iterations")), 3); /* samples, not -n */
	const json_t *placement = json_object_get(row, "out_of_place");
	assert_true(json_real_value(json_object_get(placement, "time")) == 1.234568);
	assert_int_equal(json_integer_value(json_object_get(placement, "nwrong")), 0);
}

static void per_iteration_and_unchecked(void **state)
{
	(void)state;
	plan.per_iter = 1;
	plan.per_iter_skip = 1;
	plan.report_cputime = true;
	plan.check = 0;
	plan.min_bandwidth_gbs = 2;
	assert_int_equal(sink_json.begin(&world, &plan, &facts), ST_OK);
	add_placement(false, CHECK_NONE, 0);
	add_placement(true, CHECK_DONE, 7);
	const struct summary sum = {.avg_busbw_gbs = 1, .bandwidth_low = true, .error = "cut short"};
	assert_int_equal(sink_json.end(&plan, &sum), ST_OK);
	const json_t *row = json_array_get(json_object_get(load("a.json.0"), "results"), 0);
	assert_true(json_is_null(json_object_get(json_object_get(row, "out_of_place"), "nwrong")));
	assert_true(
	        json_real_value(json_object_get(json_object_get(row, "out_of_place"), "cpu_time")) == 0.9);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(row, "in_place"), "nwrong")), 7);
	const json_t *iterations = json_object_get(row, "in_place_per_iter");
	assert_true(json_real_value(json_object_get(iterations, "max_us")) == 2);
	assert_int_equal(json_array_size(json_object_get(iterations, "times_us")), 3);
	const json_t *processes = json_object_get(iterations, "per_process_max_times_us");
	assert_int_equal(json_array_size(processes), 2);
	assert_true(json_real_value(json_array_get(json_array_get(processes, 1), 0)) == 3);
	assert_string_equal(text_of(json_object_get(loaded, "out_of_bounds"), "okay"), "unchecked");
	assert_string_equal(text_of(json_object_get(loaded, "average_bus_bandwidth"), "okay"), "false");
	assert_string_equal(
	        json_string_value(json_array_get(json_object_get(loaded, "errors"), 0)), "cut short");
}

static void cut_between_placements(void **state)
{
	(void)state;
	snprintf(plan.json_path, sizeof plan.json_path, "%s", path_of("b.json"));
	assert_int_equal(sink_json.begin(&world, &plan, &facts), ST_OK);
	add_placement(false, CHECK_DONE, 0);
	const struct summary sum = {.error = "cut short"};
	assert_int_equal(sink_json.end(&plan, &sum), ST_OK);
	assert_int_equal(json_array_size(json_object_get(load("b.json"), "results")), 0);
}

static void refused_where_it_cannot_be_written(void **state)
{
	(void)state;
	const struct summary sum = {.error = ""};
	snprintf(plan.json_path, sizeof plan.json_path, "%s", path_of("missing/a.json"));
	assert_int_equal(sink_json.begin(&world, &plan, &facts), ST_USAGE);
	assert_non_null(strstr(fail_sentence(), "cannot be written: No such file or directory"));
	assert_int_equal(sink_json.end(&plan, &sum), ST_OK);
}

/* Secrets live in the environment: only what the list allows comes out. */
static void environment_is_filtered(void **state)
{
	(void)state;
	setenv("NCCL_TEST_JSON_SEEN", "x\"y", 1);
	setenv("MY_SECRET_TOKEN", "NCCL_", 1);
	snprintf(plan.json_path, sizeof plan.json_path, "%s", path_of("c.json"));
	assert_int_equal(sink_json.begin(&world, &plan, &facts), ST_OK);
	const struct summary sum = {.error = ""};
	assert_int_equal(sink_json.end(&plan, &sum), ST_OK);
	const json_t *env = json_object_get(load("c.json"), "env");
	bool seen = false;
	for (size_t i = 0; i < json_array_size(env); i++) {
		const char *assignment = json_string_value(json_array_get(env, i));
		assert_null(strstr(assignment, "SECRET"));
		seen = seen || !strcmp(assignment, "NCCL_TEST_JSON_SEEN=x\"y");
	}
	assert_true(seen);
}

static int begin_all(void **state)
{
	(void)state;
	fail_keep(true);
	options_defaults("all_reduce", &plan);
	return mkdtemp(folder) ? 0 : -1;
}

static int end_all(void **state)
{
	(void)state;
	static const char *const names[] = {"a.json", "a.json.0", "b.json", "c.json"};
	json_decref(loaded);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unlink(path_of(names[i]));
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(whole_after_every_step),
	        cmocka_unit_test(members_of_nccl_tests),
	        cmocka_unit_test(per_iteration_and_unchecked),
	        cmocka_unit_test(cut_between_placements),
	        cmocka_unit_test(refused_where_it_cannot_be_written),
	        cmocka_unit_test(environment_is_filtered),
	};
	return cmocka_run_group_tests(tests, begin_all, end_all);
}
