/* sink_json.c - nccl-tests' JSON, version 3: -J FILE. The object is complete on disk after every row. */
#include "bench/core/sink.h"

#include "bench/core/json_file.h"
#include "bench/core/table.h"
#include "bench/core/types.h"

#include <string.h>

enum { JSON_VERSION = 3 };

static struct json_file file;
static json_t *row_now; /* begun by the out-of-place placement */

static bool wanted(const struct plan *plan)
{
	return plan->json_path[0];
}

static void set_text(json_t *object, const char *key, const char *text)
{
	json_object_set_new(object, key, json_text(text));
}

static void set_whole(json_t *object, const char *key, int64_t value)
{
	json_object_set_new(object, key, json_integer((json_int_t)value));
}

static void set_number(json_t *object, const char *key, double value)
{
	json_object_set_new(object, key, json_number(value));
}

/* nccl-tests writes its truths as texts. */
static void set_truth(json_t *object, const char *key, bool value)
{
	set_text(object, key, value ? "true" : "false");
}

static void set_time(json_t *object, const char *key, time_t when)
{
	char text[32];
	provenance_local_time(when, text);
	set_text(object, key, text);
}

static void append_text(void *array, const char *text)
{
	json_array_append_new(array, json_text(text));
}

static json_t *devices_of(const struct world *w, const struct run_facts *facts)
{
	json_t *devices = json_array();
	for (int rank = 0; rank < facts->ranks; rank++) {
		const struct place *place = &w->places[rank];
		json_t *device = json_object();
		char hex[32];
		table_device(&facts->devices[rank], hex);
		set_whole(device, "rank", rank);
		set_whole(device, "group", place->group);
		set_whole(device, "pid", place->pid);
		set_text(device, "hostname", place->host);
		set_whole(device, "device", place->device);
		set_text(device, "device_hex", hex);
		set_text(device, "device_info", facts->devices[rank].name);
		json_array_append_new(devices, device);
	}
	return devices;
}

static json_t *config_of(const struct world *w, const struct plan *p, const struct run_facts *facts)
{
	json_t *config = json_object();
	set_whole(config, "nthreads", p->threads);
	set_whole(config, "ngpus", p->gpus);
	set_whole(config, "minimum_bytes", (int64_t)p->min_bytes);
	set_whole(config, "maximum_bytes", (int64_t)p->max_bytes);
	if (p->step_factor > 1)
		set_number(config, "step_factor", p->step_factor);
	else
		set_whole(config, "step_bytes", (int64_t)p->step_bytes);
	set_whole(config, "warmup_iters", p->warmup_iters);
	set_whole(config, "iterations", p->iters);
	set_whole(config, "aggregated_iterations", p->agg_iters);
	set_whole(config, "validation", p->check);
	set_whole(config, "graph", p->graph);
	set_truth(config, "blocking_collectives", p->blocking != 0);
	set_truth(config, "per_iter_timing", p->per_iter != 0);
	set_whole(config, "per_iter_skip", p->per_iter_skip);
	set_truth(config, "parallel_init", p->parallel_init);
	json_object_set_new(config, "devices", devices_of(w, facts));
	set_text(config, "backend", facts->backend);
	set_text(config, "memory", facts->memory);
	set_text(config, "transport", facts->transport);
	return config;
}

static json_t *head_of(const struct world *w, const struct plan *p, const struct run_facts *facts)
{
	json_t *head = json_object(), *args = json_array(), *env = json_array();
	for (int i = 0; i < facts->argc; i++)
		append_text(args, facts->argv[i]);
	provenance_environment(append_text, env);
	set_whole(head, "version", JSON_VERSION);
	set_time(head, "start_time", facts->start);
	json_object_set_new(head, "args", args);
	json_object_set_new(head, "env", env);
	set_whole(head, "nccl_version", facts->nccl_library);
	json_object_set_new(head, "config", config_of(w, p, facts));
	return head;
}

/* While rows are still to come, the tail says so: that is what a killed run leaves behind. */
static json_t *tail_of(const struct plan *p, const struct summary *sum)
{
	json_t *tail = json_object(), *values = json_object(), *average = json_object(),
	       *errors = json_array();
	const char *error = sum ? sum->error : "the run has not ended";
	set_whole(values, "count", sum ? (int64_t)sum->wrong_checks : 0);
	if (!sum || !p->check)
		set_text(values, "okay", "unchecked");
	else
		set_truth(values, "okay", !sum->wrong_checks);
	set_number(average, "bandwidth", sum ? sum->avg_busbw_gbs : 0);
	if (!sum || p->min_bandwidth_gbs < 0)
		set_text(average, "okay", "unchecked");
	else
		set_truth(average, "okay", !sum->bandwidth_low);
	if (error && *error)
		append_text(errors, error);
	json_object_set_new(tail, "out_of_bounds", values);
	json_object_set_new(tail, "average_bus_bandwidth", average);
	json_object_set_new(tail, "errors", errors);
	set_time(tail, "end_time", time(NULL));
	return tail;
}

static enum status begin(const struct world *w, const struct plan *plan, const struct run_facts *facts)
{
	enum status s = json_file_create(plan->json_path, &file);
	if (s != ST_OK)
		return s;
	printf("# Writing JSON output to %s\n", file.path);
	return json_file_begin(&file, head_of(w, plan, facts), "results", tail_of(plan, NULL));
}

static json_t *placement_of(const struct plan *plan, const struct row *row)
{
	const struct record *r = row->combined;
	json_t *placement = json_object();
	if (plan->report_cputime)
		set_number(placement, "cpu_time", row->launch_ns / 1e3);
	else
		set_number(placement, "time", r->mean_ns / 1e3);
	set_number(placement, "alg_bw", r->algbw_gbs);
	set_number(placement, "bus_bw", r->busbw_gbs);
	if (r->checked == CHECK_DONE)
		set_whole(placement, "nwrong", (int64_t)r->wrong_elems);
	else
		json_object_set_new(placement, "nwrong", json_null());
	return placement;
}

static json_t *times_of(const struct samples *samples)
{
	json_t *times = json_array();
	for (size_t i = 0; i < samples->count; i++)
		json_array_append_new(times, json_number((double)samples->elapsed_ns[i] / 1e3));
	return times;
}

static json_t *process_times_of(const struct samples *samples)
{
	json_t *processes = json_array();
	for (int process = 0; process < samples->processes; process++) {
		json_t *times = json_array();
		for (size_t i = 0; i < samples->count; i++)
			json_array_append_new(times,
			        json_number(samples->process_max_us[(size_t)process * samples->count + i]));
		json_array_append_new(processes, times);
	}
	return processes;
}

static json_t *per_iter_json(const struct plan *plan, const struct samples *samples, const struct per_iter *p)
{
	json_t *object = json_object();
	set_whole(object, "skipped_iterations", plan->per_iter_skip);
	set_number(object, "min_us", p->min);
	set_number(object, "max_us", p->max);
	set_number(object, "avg_us", p->avg);
	set_number(object, "p50_us", p->p50);
	set_number(object, "p95_us", p->p95);
	set_number(object, "p99_us", p->p99);
	set_number(object, "stdev_us", p->stdev);
	set_number(object, "cv_pct", p->cv_percent);
	json_object_set_new(object, "times_us", times_of(samples));
	if (samples->process_max_us && samples->processes > 1)
		json_object_set_new(object, "per_process_max_times_us", process_times_of(samples));
	return object;
}

static json_t *row_key(const struct plan *plan, const struct record *r)
{
	json_t *key = json_object();
	char root[16];
	snprintf(root, sizeof root, "%6d", r->root);
	set_whole(key, "size", (int64_t)r->bytes);
	set_whole(key, "count", (int64_t)r->count_elems);
	set_text(key, "type", dtype_name(r->dtype));
	set_text(key, "redop", table_redop(plan, r));
	set_text(key, "root", root);
	return key;
}

static enum status row(const struct plan *plan, const struct row *row)
{
	const struct samples *samples = &row->samples[row->group_count];
	if (!row->in_place)
		row_now = row_key(plan, row->combined);
	json_object_set_new(row_now, row->in_place ? "in_place" : "out_of_place", placement_of(plan, row));
	if (plan->per_iter) {
		struct per_iter per_iter;
		enum status s = per_iter_of(samples, plan->per_iter_skip, &per_iter);
		if (s != ST_OK)
			return s;
		json_object_set_new(row_now, row->in_place ? "in_place_per_iter" : "out_of_place_per_iter",
		        per_iter_json(plan, samples, &per_iter));
	}
	if (!row->in_place)
		return ST_OK;
	set_whole(row_now, "actual_iterations",
	        samples->count ? (int64_t)samples->count : row->combined->iters); /* --precision takes more */
	set_text(row_now, "experiment_name", "");
	json_t *done = row_now;
	row_now = NULL;
	return json_file_add(&file, done, tail_of(plan, NULL));
}

static enum status end(const struct plan *plan, const struct summary *summary)
{
	json_decref(row_now);
	row_now = NULL;
	return file.f ? json_file_end(&file, tail_of(plan, summary)) : ST_OK;
}

const struct sink sink_json = {
        .name = "json",
        .wanted = wanted,
        .begin = begin,
        .row = row,
        .end = end,
};
