#!/usr/bin/env bats
# pairs.bats - sendrecv --pairs: the matrix is complete, its data are checked, and busbar reads it.

load helper

@test "every rank to every other, checked" {
	ranks 4 sendrecv --pairs -b 64K -e 64K -n 3 --csv "$BATS_TEST_TMPDIR/run"
	[ "$(tail -n +2 "$BATS_TEST_TMPDIR/run/pairs.csv" | cut -d, -f2,3 | sort -u | wc -l)" -eq 12 ]
	[ "$(tail -n +2 "$BATS_TEST_TMPDIR/run/pairs.csv" | grep -c ',done$')" -eq 12 ]
}

@test "busbar pairs reads the matrix" {
	ranks 4 sendrecv --pairs -b 1M -e 1M -n 3 --csv "$BATS_TEST_TMPDIR/run"
	run "$BUILD/busbar" pairs "$BATS_TEST_TMPDIR/run/pairs.csv"
	[ "$status" -eq 0 ] || [ "$status" -eq 1 ]
	[[ $output == *:3* ]]
}

@test "other collectives have no pairs" {
	run ranks 2 all_reduce --pairs
	[ "$status" -eq 6 ]
	[[ $output == *sendrecv_perf* ]]
}

@test "one rank has no pairs" {
	run ranks 1 sendrecv --pairs
	[ "$status" -eq 6 ]
	[[ $output == *"two ranks or more"* ]]
}
