#!/usr/bin/env bats
# fault.bats - one rank fails in one phase: does every other rank leave in time, is the cause printed once, does the
# launcher get the right exit code, and are the rows measured until then on disk?
#
# The program is a test double's: see faulty.c. BUILD names the build folder (build).

ranks=3
deadline_s=1

setup() {
	program=${BUILD:-build}/tests/fault/faulty_all_reduce_perf
	[ -x "$program" ] || skip "'$program' is not built: make $program"
	dir=$BATS_TEST_TMPDIR/csv
}

mpi() {
	command -v mpirun >/dev/null || skip "no mpirun here"
	timeout 20 mpirun -n "$ranks" "$@"
}

# faulty BACKEND FAULT: three sizes, two placements each, no warm-up.
faulty() {
	FAULT=$2 run mpi "$program" --backend "$1" -b 1K -e 4K -f 2 -n 2 -w 0 -c 1 -T "$deadline_s" --csv "$dir"
	echo "$2: status $status"
	echo "$output"
	nobody_is_left
}

# Every process of the run has $dir on its command line.
nobody_is_left() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		pgrep -f -- "--csv $dir" >/dev/null || return 0
		sleep 0.1
	done
	pgrep -a -f -- "--csv $dir"
	return 1
}

# Sentences of ours: a line each, after the program's name.
sentences() {
	printf '%s\n' "$output" | grep -c '^faulty_all_reduce_perf: ' || true
}

# The header and this many whole rows, each with as many commas as the header.
rows_on_disk() {
	run cat "$(find "$dir" -name summary.csv)"
	echo "$output"
	[ "$(printf '%s\n' "$output" | wc -l)" -eq $((1 + $1)) ]
	[ "$(printf '%s\n' "$output" | awk -F, '{ print NF }' | sort -u | wc -l)" -eq 1 ]
}

@test "a rank that reports an error: all leave with its code, and say so once" {
	for fault in open:1:error alloc:0:error alloc:2:error bind:1:error:3 start:2:error:9 verify:0:error:5; do
		faulty mpi "$fault"
		[ "$status" -eq 1 ]
		[ "$(sentences)" -eq 1 ]
		[[ $output == *"injected fault in '${fault%%:*}'"* ]]
	done
	rows_on_disk 2
}

@test "a rank that is stopped: the others leave at the deadline with code 4 and name it" {
	for fault in alloc:1:stop bind:0:stop:3 verify:2:stop:5; do
		faulty mpi "$fault"
		rank=${fault#*:}
		[ "$status" -eq 4 ]
		[ "$(sentences)" -eq 1 ]
		[[ $output == *"no progress for $deadline_s s: rank ${rank%%:*} "*"is stopped by a signal"* ]]
	done
	rows_on_disk 2
}

@test "a rank that is stopped inside a collective, the others blocked in the library" {
	faulty mpi start:1:stop:9
	[ "$status" -eq 4 ]
	[ "$(sentences)" -eq 1 ]
	[[ $output == *"rank 1 "*"in 'in the timed loop', is stopped by a signal"* ]]
	rows_on_disk 2
}

@test "a rank that does not come back is named" {
	faulty mpi fill:2:hang
	[ "$status" -eq 4 ]
	[ "$(sentences)" -eq 1 ]
	[[ $output == *"rank 2 "*"does not come back"* ]]
}

@test "a rank that dies: the launcher ends the others" {
	for fault in alloc:0:kill bind:1:kill:3 start:2:kill:9 verify:1:exit:5; do
		faulty mpi "$fault"
		[ "$status" -ne 0 ]
		[ "$status" -ne 124 ]
	done
	rows_on_disk 2
}

@test "a rank that dies under a launcher that does not care: the others leave at the deadline" {
	FAULT=bind:1:kill:3 run mpi -disable-auto-cleanup "$program" --backend mpi -b 1K -e 4K -f 2 -n 2 -w 0 -c 1 \
		-T "$deadline_s" --csv "$dir"
	echo "$output"
	[ "$status" -ne 0 ]
	[ "$status" -ne 124 ]
	nobody_is_left
	[ "$(sentences)" -eq 1 ]
	[[ $output == *"rank 1 "*"is gone"* ]]
	rows_on_disk 2
}

@test "threads of one process: an error and a hang" {
	FAULT=bind:1:error:3 run timeout 20 "$program" -t 3 -b 1K -e 4K -f 2 -n 2 -w 0 -c 1 --csv "$dir"
	echo "$output"
	[ "$status" -eq 1 ]
	[ "$(sentences)" -eq 1 ]
	rows_on_disk 2
	FAULT=start:2:hang:9 run timeout 20 "$program" -t 3 -b 1K -e 4K -f 2 -n 2 -w 0 -c 1 -T "$deadline_s" --csv "$dir-2"
	echo "$output"
	[ "$status" -eq 4 ]
	[ "$(sentences)" -eq 1 ]
}
