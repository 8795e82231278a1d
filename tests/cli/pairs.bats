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

@test "shares of all at once, judged" {
	ranks 4 sendrecv --pairs -b 1M -e 1M -n 3 --csv "$BATS_TEST_TMPDIR/run"
	[ "$(tail -n +2 "$BATS_TEST_TMPDIR/run/shares.csv" | cut -d, -f2,3 | sort -u | wc -l)" -eq 12 ]
	run "$BUILD/busbar" shares "$BATS_TEST_TMPDIR/run" --format csv
	[ "$(echo "$output" | grep -cE '^(EVEN|SHORT),')" -eq 4 ]
}

@test "shares: the short node is named, even ones are not" {
	{
		echo from,to,bytes,busbw_gbs
		for a in 0 1 2 3; do for b in 0 1 2 3; do
			[ $a = $b ] || echo "node-$a,node-$b,1048576,$([ $a = 2 ] && echo 0.6 || echo 1.0)"
		done; done
	} >"$BATS_TEST_TMPDIR/shares.csv"
	run "$BUILD/busbar" shares "$BATS_TEST_TMPDIR/shares.csv"
	[ "$status" -eq 1 ]
	[[ ${lines[0]} == *"node-2 gets 60 %"*"1 of 4"* ]]
	sed -i 's/,0.6$/,1.0/' "$BATS_TEST_TMPDIR/shares.csv"
	run "$BUILD/busbar" shares "$BATS_TEST_TMPDIR/shares.csv"
	[ "$status" -eq 0 ]
}
