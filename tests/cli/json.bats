#!/usr/bin/env bats
# The file of -J: valid JSON with the members of nccl-tests' version 3.

load helper

setup_file() {
	command -v jq >/dev/null || skip "no jq"
}

@test "members, devices and rows" {
	local file=$BATS_TEST_TMPDIR/x.json
	run ranks 2 all_reduce -b 8 -e 1K -f 4 -n 3 -J "$file"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "# Writing JSON output to $file" ]
	[ "$(jq -r 'keys_unsorted | join(" ")' "$file")" = \
		"version start_time args env nccl_version config results out_of_bounds average_bus_bandwidth errors end_time" ]
	jq -e '.version == 3 and (.config.devices | length) == 2 and (.results | length) == 4' "$file"
	jq -e '.config | .minimum_bytes == 8 and .maximum_bytes == 1024 and .step_factor == 4 and .iterations == 3' "$file"
	jq -e '[.results[] | .size == .count * 4 and .redop == "sum" and .root == "    -1"] | all' "$file"
	jq -e '[.results[] | .out_of_place, .in_place | .time > 0 and .nwrong == 0] | all' "$file"
	jq -e '.out_of_bounds == {"count": 0, "okay": "true"} and .average_bus_bandwidth.okay == "unchecked"' "$file"
	jq -e '.errors == []' "$file"
}

@test "an existing file is kept" {
	local file=$BATS_TEST_TMPDIR/x.json
	echo mine >"$file"
	ranks 1 all_reduce -b 8 -e 8 -J "$file"
	ranks 1 all_reduce -b 8 -e 8 -J "$file"
	[ "$(cat "$file")" = mine ]
	jq -e '.version == 3' "$file.0"
	jq -e '.version == 3' "$file.1"
}

@test "a full disk: told once, and what was written is valid" {
	local file=$BATS_TEST_TMPDIR/x.json
	run bash -c "trap '' XFSZ; ulimit -f 6; '$BUILD/all_reduce_perf$SUFFIX' --backend null -b 8 -e 8 -N 100 -n 1 -c 0 -J '$file'"
	echo "$output"
	[ "$status" -eq 1 ]
	[ "$(grep -c "cannot be written" <<<"$output")" -eq 1 ]
	jq -e '(.results | length) > 3 and (.errors | length) == 1' "$file"
	rm "$file"
	run bash -c "trap '' XFSZ; ulimit -f 0; '$BUILD/all_reduce_perf$SUFFIX' --backend null -b 8 -e 8 -n 1 -c 0 -J '$file'"
	[ "$status" -eq 1 ]
	[ ! -e "$file" ]
}

@test "iterations, and what was not checked" {
	local file=$BATS_TEST_TMPDIR/x.json
	ranks 2 alltoall -b 1K -e 1K -n 5 -I 1 -K 1 -C 1 -J "$file"
	jq -e '.results[0] | .out_of_place.nwrong == 0 and .in_place.nwrong == null and .in_place.cpu_time > 0' "$file"
	jq -e '.results[0].in_place_per_iter | .skipped_iterations == 1 and (.times_us | length) == 5 and .min_us <= .p99_us' "$file"
	rm "$file"
	ranks 2 all_reduce -b 1K -e 1K -c 0 -J "$file"
	jq -e '.results[0].out_of_place.nwrong == null and .out_of_bounds.okay == "unchecked"' "$file"
}

@test "only the allowed part of the environment" {
	local file=$BATS_TEST_TMPDIR/x.json
	NCCL_SEEN='a "b"' BUSBAR_TEST_TOKEN=hidden ranks 1 all_reduce -b 8 -e 8 -J "$file"
	jq -e '.env | index("NCCL_SEEN=a \"b\"")' "$file"
	refute grep -q hidden "$file"
}

@test "every process is listed" {
	needs_mpi
	local file=$BATS_TEST_TMPDIR/x.json
	under_mpi 3 all_reduce -b 1K -e 1K -I 1 -J "$file"
	jq -e '[.config.devices[].pid] | unique | length == 3' "$file"
	jq -e '.results[0].in_place_per_iter.per_process_max_times_us | length == 3' "$file"
}
