#!/usr/bin/env bats
# fault.bats - one rank fails in one phase: does every other rank leave in time, is the cause printed once, does the
# launcher get the right exit code, and are the rows measured until then on disk?
#
# The program is a test double's: see faulty.c. BUILD names the build folder (build).

# shellcheck disable=SC2154 # bats sets stderr
bats_require_minimum_version 1.5.0

ranks=3
deadline_s=2
program=${BUILD:-build}/tests/fault/faulty_all_reduce_perf

setup() {
	[ -x "$program" ] || skip "'$program' is not built: make $program"
	command -v mpirun >/dev/null || skip "no mpirun here"
}

# faulty FAULT [PROGRAM AND MPIRUN'S OPTIONS]: three sizes, two placements each, no warm-up; the launcher by default.
faulty() {
	local fault=$1
	shift
	[ $# -gt 0 ] || set -- mpirun -n "$ranks" "$program" --backend mpi
	dir=$BATS_TEST_TMPDIR/$fault
	FAULT=$fault run --separate-stderr timeout 20 "$@" -b 1K -e 4K -f 2 -n 2 -w 0 -c 1 -T "$deadline_s" --csv "$dir"
	echo "== $fault: status $status"
	echo "$output"
	echo "$stderr"
	[ "$status" -ne 124 ]
	nobody_is_left
}

# Every process of a run has its folder on the command line.
nobody_is_left() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		pgrep -f -- "--csv $dir" >/dev/null || return 0
		sleep 0.1
	done
	pgrep -a -f -- "--csv $dir"
	return 1
}

# One sentence of ours on stderr, with these words in it.
said_once() {
	[ "$(grep -c "^${program##*/}: " <<<"$stderr")" -eq 1 ]
	[[ $stderr == *"$1"* ]]
}

# A row for each placement that the table shows, at least one, with as many fields as the header (none is quoted here).
rows_on_disk() {
	local file shown
	file=$(find "$dir" -name summary.csv)
	shown=$(awk '/^ +[0-9]/ { n += NF >= 13 ? 2 : 1 } END { print n + 0 }' <<<"$output")
	cut -d, -f1-22 "$file"
	[ "$shown" -ge 1 ]
	[ "$(wc -l <"$file")" -eq $((1 + shown)) ]
	[ "$(awk -F, '{ print NF }' "$file" | sort -u | wc -l)" -eq 1 ]
}

@test "a rank that reports an error: all leave with its code, and the cause is printed once" {
	for fault in open:1:error alloc:0:error alloc:2:error; do
		faulty "$fault"
		[ "$status" -eq 1 ]
		said_once "injected fault in '${fault%%:*}'"
	done
	for fault in fill:1:error:5 bind:1:error:3 start:2:error:9 poll:1:error:10 verify:0:error:5; do
		faulty "$fault"
		[ "$status" -eq 1 ]
		said_once "injected fault in '${fault%%:*}'"
		rows_on_disk
	done
}

@test "a rank that is stopped: the others leave at the deadline with code 4 and name it" {
	faulty alloc:1:stop
	[ "$status" -eq 4 ]
	said_once "no progress for $deadline_s s: rank 1 "
	[[ $stderr == *"was stopped by a signal while allocating the buffers;"* ]]
	faulty verify:2:stop:5
	[ "$status" -eq 4 ]
	said_once "no progress for $deadline_s s: rank 2 "
	[[ $stderr == *"was stopped by a signal while checking the result;"* ]]
	grep -q ": Test timeout (${deadline_s}s) " <<<"$output"
	rows_on_disk
}

@test "the rank that prints and writes is stopped" {
	faulty bind:0:stop:3
	[ "$status" -eq 4 ]
	said_once "no progress for $deadline_s s: rank 0 "
	rows_on_disk
}

@test "a rank is stopped inside a collective, the others blocked in the library" {
	faulty start:1:stop:9
	[ "$status" -eq 4 ]
	said_once "no progress for $deadline_s s: rank 1 "
	rows_on_disk
}

@test "a rank that does not come back is named" {
	faulty fill:2:hang
	[ "$status" -eq 4 ]
	said_once "rank 2 "
	[[ $stderr == *"got no further while filling the buffers;"* ]]
}

@test "a rank that dies: the launcher ends the others" {
	faulty alloc:0:kill
	[ "$status" -ne 0 ]
	for fault in bind:1:kill:3 start:2:kill:9 fill:1:exit:5; do
		faulty "$fault"
		[ "$status" -ne 0 ]
		rows_on_disk
	done
}

@test "the ring: an error, a stopped and a dead rank" {
	for fault in start:1:error:9 poll:0:error:9; do
		faulty "$fault" mpirun -n "$ranks" "$program" --backend ring
		[ "$status" -eq 1 ]
		said_once "injected fault in '${fault%%:*}'"
		rows_on_disk
	done
	faulty start:2:stop:9 mpirun -n "$ranks" "$program" --backend ring
	[ "$status" -eq 4 ]
	said_once "no progress for $deadline_s s: rank 2 "
	rows_on_disk
	faulty start:2:kill:9 mpirun -n "$ranks" "$program" --backend ring
	[ "$status" -ne 0 ]
	rows_on_disk
}

@test "threads of one process: an error, and one that hangs" {
	faulty bind:1:error:3 "$program" -t 3
	[ "$status" -eq 1 ]
	said_once "injected fault in 'bind'"
	rows_on_disk
	faulty fill:2:hang:5 "$program" -t 3
	[ "$status" -eq 4 ]
	said_once "rank 2 "
	rows_on_disk
}
