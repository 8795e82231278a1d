#!/usr/bin/env bats
# Options that do something: each is seen to do it.

load helper

# rows FILE: measured lines.
rows() {
	grep -c '^ *[0-9]' <<<"$output"
}

@test "--help is complete and ends in 0" {
	run "$BUILD/all_reduce_perf$SUFFIX" --help
	[ "$status" -eq 0 ]
	for option in nthreads ngpus minbytes maxbytes stepbytes stepfactor iters agg_iters warmup_iters run_cycles \
		parallel_init check op datatype root blocking stream_null timeout cudagraph report_cputime average \
		report_timestamps output_file local_register cta_policy device_implementation device_cta_count memory unalign \
		per_iter_timing per_iter_skip help backend transport precision budget csv plan ifname list dry-run; do
		grep -q -e "--$option " <<<"$output " || { echo "no --$option"; false; }
	done
	run "$BUILD/all_reduce_perf$SUFFIX" -h
	[ "$status" -eq 0 ]
}

@test "--list names every kind, and gives a reason for each no" {
	run "$BUILD/all_reduce_perf$SUFFIX" --list
	[ "$status" -eq 0 ]
	for kind in bootstrap backend transport memory counter library; do
		grep -q "^$kind " <<<"$output"
	done
	[ -z "$(awk '$3 == "no" && NF < 4' <<<"$output")" ]
	[ -n "$(awk '$1 == "backend" && $3 == "yes"' <<<"$output")" ]
}

@test "the eleven programs start and end" {
	for collective in all_reduce all_gather reduce_scatter alltoall alltoallv broadcast reduce gather scatter sendrecv hypercube; do
		run ranks 2 $collective -b 64 -e 1K -f 4 -n 2
		echo "$output"
		[ "$status" -eq 0 ]
		[ "$(rows)" -eq 3 ]
		grep -q "^# Collective test concluded: ${collective}_perf$SUFFIX\$" <<<"$output"
	done
}

@test "-b 0 and -i 0 end" {
	run ranks 2 all_reduce -b 0 -e 16 -f 2 -n 1
	[ "$status" -eq 0 ]
	[ "$(rows)" -eq 6 ]
	run ranks 2 all_reduce -b 0 -e 64 -i 0 -n 1
	[ "$status" -eq 0 ]
	[ "$(rows)" -eq 1 ]
	run ranks 2 all_reduce -b 16 -e 64 -i 16 -n 1
	[ "$(rows)" -eq 4 ]
}

@test "-d all, -o all, -r -1, -N" {
	run ranks 2 all_reduce -b 64 -e 64 -n 1 -d all -o sum
	[ "$status" -eq 0 ]
	[ "$(rows)" -eq 12 ]
	run ranks 2 all_reduce -b 64 -e 64 -n 1 -o all
	[ "$status" -eq 0 ]
	[ "$(rows)" -eq 6 ]
	[ "$(awk '/^ *[0-9]/ { printf "%s ", $4 }' <<<"$output")" = "sum prod max min avg mulsum " ]
	run ranks 3 broadcast -b 64 -e 64 -n 1 -r -1
	[ "$status" -eq 0 ]
	[ "$(awk '/^ *[0-9]/ { printf "%s ", $5 }' <<<"$output")" = "0 1 2 " ]
	run ranks 2 all_reduce -b 64 -e 128 -f 2 -n 1 -N 3
	[ "$(rows)" -eq 6 ]
}

@test "-t times -g ranks" {
	run timeout 60 "$BUILD/all_reduce_perf$SUFFIX" -t 2 -g 2 -b 64 -e 64 -n 1
	[ "$status" -eq 0 ]
	[ "$(grep -c '^#  Rank' <<<"$output")" -eq 4 ]
}

@test "-z, -a, -m, -w, -T, -u, -p, -M" {
	for option in '-z 1' '-z 2' '-z 3' '-a 0' '-a 2' '-a 3' '-m 4' '-w 0' '-w 5' '-T 0' '-T 30' '-u 3' '-p 1' '-M 1' '--sync'; do
		# shellcheck disable=SC2086 # two words
		run ranks 2 all_reduce -b 1K -e 1K -n 3 $option
		echo "$option: $output"
		[ "$status" -eq 0 ]
		grep -q '^# Out of bounds values : 0 OK' <<<"$output"
	done
	run ranks 2 all_reduce -b 1M -e 1M -n 1 -M 1
	grep -qE '^# (Host|GPU) memory usage +: Initialization .* \| User-Allocated .* \| Collective .* \| Total  ' <<<"$output"
	refute grep -q 'User-Allocated 0.00 B' <<<"$output"
}

@test "NCCL_TESTS_MIN_BW decides the exit code" {
	NCCL_TESTS_MIN_BW=1000000 run ranks 2 all_reduce -b 1K -e 1K -n 1
	[ "$status" -eq 7 ]
	grep -q '^# Avg bus bandwidth    : [0-9.e+-]* FAILED$' <<<"$output"
	NCCL_TESTS_MIN_BW=0 run ranks 2 all_reduce -b 1K -e 1K -n 1
	[ "$status" -eq 0 ]
	grep -q '^# Avg bus bandwidth    : [0-9.e+-]* OK$' <<<"$output"
}

@test "groups of NCCL_TESTS_SPLIT" {
	needs_mpi
	NCCL_TESTS_SPLIT='MOD 2' run under_mpi 4 all_gather -b 1K -e 1K -n 1
	[ "$status" -eq 0 ]
	[ "$(awk '/^#  Rank/ { printf "%s ", $5 }' <<<"$output")" = "0 1 0 1 " ]
	[ "$(awk '/^ *[0-9]/ { print $2 }' <<<"$output")" = 128 ]
	NCCL_TESTS_SPLIT_MASK=2 run under_mpi 4 all_gather -b 1K -e 1K -n 1
	[ "$(awk '/^#  Rank/ { printf "%s ", $5 }' <<<"$output")" = "0 0 2 2 " ]
}

@test "NCCL_TESTS_DEVICE" {
	NCCL_TESTS_DEVICE=5 run ranks 1 all_reduce -b 8 -e 8 -n 1
	grep -q '^#  Rank  0 .* device  5 ' <<<"$output"
}

@test "--dry-run prints a plan that gives the same runs, and measures nothing" {
	local plan=$BATS_TEST_TMPDIR/p.plan
	printf 'all_gather -b 8 -e 1K -f 2\nbroadcast -r -1 -d half --csv "a b"\n' >"$plan"
	"$BUILD/all_reduce_perf$SUFFIX" --plan "$plan" -n 3 --dry-run >"$BATS_TEST_TMPDIR/once"
	grep -q '^# 16 rows a cycle' "$BATS_TEST_TMPDIR/once"
	grep -q '^all_gather ' "$BATS_TEST_TMPDIR/once"
	"$BUILD/all_reduce_perf$SUFFIX" --plan "$BATS_TEST_TMPDIR/once" --dry-run >"$BATS_TEST_TMPDIR/twice"
	diff "$BATS_TEST_TMPDIR/once" "$BATS_TEST_TMPDIR/twice"
}

@test "--plan runs every line; the worst exit code counts" {
	local plan=$BATS_TEST_TMPDIR/p.plan
	printf 'all_gather -b 64 -e 64 # one\nreduce -b 64 -e 128 -f 2\n-b 64 -e 64\n' >"$plan"
	run ranks 2 all_reduce --plan "$plan" -n 1
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(rows)" -eq 4 ]
	[ "$(sed -n 's/^# Collective test concluded: //p' <<<"$output" | tr '\n' ' ')" = \
		"all_gather_perf$SUFFIX reduce_perf$SUFFIX all_reduce_perf$SUFFIX " ]
	NCCL_TESTS_MIN_BW=1000000 run ranks 2 all_reduce --plan "$plan" -n 1
	[ "$status" -eq 7 ]
}

@test "hypercube leaves out what is no power of two" {
	run ranks 3 hypercube -b 64 -e 64
	[ "$status" -eq 0 ]
	grep -qx 'nRanks 3 is not a power of 2, skipping' <<<"$output"
	[ "$(grep -c '^ *[0-9]' <<<"$output")" -eq 0 ]
}

@test "--csv: rows and facts; an unchecked row never reads as right" {
	local dir=$BATS_TEST_TMPDIR/csv
	ranks 2 alltoall -b 1K -e 1K -n 3 --csv "$dir"
	[ "$(wc -l <"$dir/summary.csv")" -eq 3 ]
	[ "$(wc -l <"$dir/raw.csv")" -eq 7 ]
	for key in run_id start program argument version build bootstrap host kernel cpu topology memory_bytes ranks rank plan; do
		grep -q "^$key " "$dir/facts" || { echo "no $key"; false; }
	done
	[ "$(grep -c '^rank ' "$dir/facts")" -eq 2 ]
	if "$BUILD/all_reduce_perf$SUFFIX" --list | grep -q '^library *hwloc *yes'; then
		grep -q '<topology' "$dir/topology.xml"
	fi
	ranks 2 all_reduce -b 1K -e 1K -n 1 --csv "$dir"
	[ "$(grep -c '^run_id ' "$dir/facts")" -eq 2 ]
}
