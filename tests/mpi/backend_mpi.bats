#!/usr/bin/env bats
# backend_mpi.bats - the MPI library's own collectives under our checks: all eleven, every type and operation, odd
# sizes, all roots, groups, both placements.

# shellcheck disable=SC2154 # bats sets stderr
bats_require_minimum_version 1.5.0

setup() {
	build=${BUILD:-build}
	command -v mpirun >/dev/null || skip "no mpirun here"
	"$build/all_reduce_perf" --list | grep -q 'built without MPI' && skip "built without MPI"
	unset NCCL_TESTS_SPLIT NCCL_TESTS_SPLIT_MASK
}

# right RANKS COLLECTIVE [OPTIONS]: rows came out, and every one of them was checked and right.
right() {
	local n=$1 collective=$2
	shift 2
	run timeout 120 mpirun -n "$n" "$build/${collective}_perf" --backend mpi -n 2 -w 0 -c 1 "$@"
	echo "$output"
	[ "$status" -eq 0 ]
	grep -q '^# Out of bounds values : 0 OK' <<<"$output"
	grep -qE '^ +[0-9]' <<<"$output"
}

reducing="all_reduce reduce_scatter reduce"
moving="all_gather alltoall alltoallv broadcast gather scatter sendrecv"

@test "2 ranks: reductions of every type with every operation" {
	for collective in $reducing; do
		right 2 "$collective" -b 130 -e 4097 -f 31 -d all -o all
	done
}

@test "2 ranks: every type moved" {
	for collective in $moving hypercube; do
		right 2 "$collective" -b 130 -e 4097 -f 31 -d all
	done
}

@test "1, 3, 4 and 7 ranks: all collectives, short and long messages" {
	for ranks in 1 3 4 7; do
		for collective in $reducing $moving; do
			right "$ranks" "$collective" -b 100 -e 100000 -f 1000 -d float
		done
	done
	right 1 hypercube -b 100 -e 100000 -f 1000
	right 4 hypercube -b 100 -e 100000 -f 1000
}

@test "4 ranks: averages and scaled sums of the types MPI does not know" {
	for type in half bfloat16 f8e4m3 f8e5m2; do
		right 4 all_reduce -b 1000 -e 1000 -d "$type" -o all
		right 4 reduce_scatter -b 1000 -e 1000 -d "$type" -o mulsum
	done
}

@test "3 ranks: every root, in place too" {
	for collective in broadcast reduce gather scatter; do
		right 3 "$collective" -b 100 -e 10000 -f 100 -d int32 -r -1
	done
}

@test "groups: two of two, and each with its own root" {
	NCCL_TESTS_SPLIT="MOD 2" right 4 all_reduce -b 1K -e 1K
	NCCL_TESTS_SPLIT="DIV 2" right 4 reduce -b 1K -e 1K -r 1
	NCCL_TESTS_SPLIT_MASK=2 right 4 all_gather -b 1K -e 1K
}

@test "more ranks than processes are refused, with the fix" {
	run --separate-stderr timeout 60 mpirun -n 2 "$build/all_reduce_perf" --backend mpi -t 2 -b 8 -e 8
	echo "$status $stderr"
	[ "$status" -eq 5 ]
	[ "$stderr" = "all_reduce_perf: 'mpi' runs one rank per process, not 2; start more processes with mpirun -n instead of -t and -g" ]
}
