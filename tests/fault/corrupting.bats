#!/usr/bin/env bats
# corrupting.bats - one bit of one element of one rank's result is wrong: is it found, in timed buffers too, and is it named?
#
# The program is a test double's: see corrupting.c. BUILD names the build folder (build).

setup() {
	program=${BUILD:-build}/tests/fault/corrupting_all_reduce_perf
	[ -x "$program" ] || skip "'$program' is not built: make $program"
	csv=$BATS_TEST_TMPDIR/csv
}

# corrupted RANK:INDEX:NTH[+] OPTIONS: 3 ranks, 4 iterations of 4000 bytes at 5 places of the buffers.
corrupted() {
	export CORRUPT=$1
	shift
	rm -rf "$csv"
	run timeout 30 "$program" -t 3 --backend ring -b 4000 -e 4000 -n 4 -w 0 --csv "$csv" "$@"
	echo "$CORRUPT $*: status $status"
	echo "$output"
}

# column NAME PLACEMENT: of the rows of summary.csv.
column() {
	awk -F, -v name="$1" -v placement="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["placement"] == placement { print $at[name] }' "$csv/summary.csv"
}

@test "a bit that is wrong in a check is found, with rank and index, and said once" {
	for where in 0:0 1:999 2:17; do
		corrupted $where:6
		[ "$status" -eq 7 ]
		for placement in out-of-place in-place; do
			[ "$(column wrong_elems $placement)" = 1 ]
			[ "$(column wrong_rank $placement):$(column wrong_index $placement)" = $where ]
			[ "$(column checked $placement)" = "done" ]
		done
		[ "$(grep -c 'wrong data' <<<"$output")" -eq 1 ]
		[[ $output == *"wrong data: ring all_reduce of 4000 bytes, out-of-place: rank ${where%:*} has "*" at index ${where#*:}, expected "* ]]
		[[ $output == *"# Out of bounds values : 2 FAILED"* ]]
	done
}

@test "a bit that is wrong in a timed operation alone is found" {
	for nth in 2 5; do
		corrupted 1:42:$nth -e 16000 -f 2 -b 4000
		[ "$status" -eq 7 ]
		[ "$(column wrong_rank out-of-place | head -1):$(column wrong_index out-of-place | head -1)" = 1:42 ]
		[ "$(column wrong_elems out-of-place | head -1)" = 1 ]
	done
}

@test "a bit that is wrong in the last timed operation of any size is found" {
	corrupted 2:1:5 -b 400 -e 4000 -f 2
	[ "$status" -eq 7 ]
	[ "$(column wrong_elems out-of-place | paste -sd' ')" = "1 1 1 1" ]
}

@test "in place, timed reductions are checked where no place is used twice" {
	corrupted 0:3:5 -b 1000
	[ "$status" -eq 7 ]
	[ "$(column wrong_elems in-place | head -1):$(column wrong_index in-place | head -1)" = 1:3 ]
}

@test "every collective and type notices a wrong bit" {
	for collective in all_gather reduce_scatter alltoall alltoallv broadcast reduce gather scatter sendrecv; do
		echo "$collective -b 4000 -e 4000 -n 2 -w 0 -d all"
	done >"$BATS_TEST_TMPDIR/plan"
	corrupted 0:1:4 --plan "$BATS_TEST_TMPDIR/plan"
	[ "$status" -eq 7 ]
	[ "$(column wrong_elems out-of-place | wc -l)" -eq $((9 * 12)) ]
	[ "$(column wrong_elems out-of-place | sort -u)" = 1 ]
	[ "$(column wrong_rank out-of-place | sort -u)" = 0 ]
	[ "$(column wrong_index out-of-place | sort -u)" = 1 ]
}

@test "the first check that fails ends the checks" {
	corrupted 1:5:6+ -c 100
	[ "$status" -eq 7 ]
	[ "$(column wrong_elems out-of-place)" = 1 ]
}

@test "the last of several checks is made" {
	corrupted 1:5:8 -c 3
	[ "$status" -eq 7 ]
	corrupted 1:5:9 -c 3
	[ "$status" -eq 0 ]
}

@test "nothing that was not checked reads as right" {
	corrupted 1:5:6 -c 0
	[ "$status" -eq 0 ]
	for placement in out-of-place in-place; do
		[ "$(column checked $placement)" = unchecked ]
		[ "$(column wrong_elems $placement)" = "" ]
	done
	[ "$(grep -cE '^ +4000 .* N/A .* N/A *$' <<<"$output")" -eq 1 ]
}

@test "without a wrong bit nothing is wrong" {
	corrupted 1:5:99
	[ "$status" -eq 0 ]
	[ "$(column wrong_elems out-of-place)" = 0 ]
	[ "$(column wrong_rank out-of-place)" = "" ]
	[[ $output == *"# Out of bounds values : 0 OK"* ]]
}
