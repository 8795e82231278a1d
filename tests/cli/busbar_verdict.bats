#!/usr/bin/env bats
# busbar verdict and tiers: codes, words and formats on made-up runs, and broken files.

load busbar_helper

judged() {
	run "$BUSBAR" verdict "$BATS_TEST_TMPDIR/run" "$@"
	echo "$output"
}

@test "a run that follows the model passes, verdict first" {
	made_up_run "$BATS_TEST_TMPDIR/run" noise=0.03
	judged
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "verdict: PASS, every checked row is as fast as its links allow" ]
	[[ "$output" == *"alpha 20."*" us"* ]]
}

@test "a slow collective fails, with its name, size and what to do" {
	made_up_run "$BATS_TEST_TMPDIR/run" noise=0.03 slow=alltoall factor=3
	judged
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "verdict: FAIL (slow), alltoall over socket at "* ]]
	[[ "${lines[1]}" == "next: "* ]]
	[ "$(grep -c '^FAIL' <<<"$output")" -eq 1 ]
}

@test "a given rate replaces the calibration" {
	made_up_run "$BATS_TEST_TMPDIR/run"
	judged --link 5GB/s
	[ "$status" -eq 1 ]
	judged --link 8Gb/s
	[ "$status" -eq 0 ]
	judged --tier 1.6T
	[ "$status" -eq 1 ]
}

@test "wrong data, another transport, unchecked data, one rank" {
	made_up_run "$BATS_TEST_TMPDIR/run" only=all_reduce wrong=3
	judged
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "verdict: FAIL (wrong-data), all_reduce"*"3 wrong elements, the first at rank 2, index 77" ]]
	made_up_run "$BATS_TEST_TMPDIR/run" only=all_gather seen=shm+socket
	judged
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == *"(wrong-transport), all_gather"*"asked for socket, carried by shm+socket" ]]
	made_up_run "$BATS_TEST_TMPDIR/run" checked=unchecked
	judged
	[ "$status" -eq 77 ]
	[[ "${lines[0]}" == "verdict: NOT JUDGED (unchecked)" ]]
	made_up_run "$BATS_TEST_TMPDIR/run" ranks=1
	judged
	[ "$status" -eq 77 ]
	[[ "${lines[0]}" == "verdict: NOT JUDGED (one-rank)" ]]
}

@test "bytes that left through the management interface convict it" {
	made_up_run "$BATS_TEST_TMPDIR/run" nodes=4 model=1000000 data=1020000 management=4000 interfaces="node-0/ens1=1020000"
	judged
	[ "$status" -eq 0 ]
	made_up_run "$BATS_TEST_TMPDIR/run" nodes=4 model=1000000 data=4000 management=1020000 \
		interfaces="node-0/eth0=520000 node-1/eth0=500000 node-0/ens1=4000"
	judged
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == *"(misroute)"*"left through eth0"* ]]
	[[ "${lines[1]}" == *"NCCL_SOCKET_IFNAME"* ]]
}

@test "csv and json say the same as the text" {
	made_up_run "$BATS_TEST_TMPDIR/run" slow=all_gather factor=4
	judged --format csv
	[ "$status" -eq 1 ]
	[ "$("$BUSBAR" verdict "$BATS_TEST_TMPDIR/run" --format csv | column verdict | grep -c FAIL)" -ge 8 ]
	command -v jq >/dev/null || skip "no jq"
	"$BUSBAR" verdict "$BATS_TEST_TMPDIR/run" --format json >"$BATS_TEST_TMPDIR/json" || true
	jq -e '(.verdict | startswith("FAIL")) and ([.rows[] | select(.verdict == "FAIL") | .collective] | unique == ["all_gather"])' \
		"$BATS_TEST_TMPDIR/json"
}

@test "good rows of a partly broken file are judged, and the code says that some were not" {
	made_up_run "$BATS_TEST_TMPDIR/run"
	sed -i '12s/,float,/,flaot,/; 15s/,.*//' "$BATS_TEST_TMPDIR/run/summary.csv"
	printf '1,abc,2026' >>"$BATS_TEST_TMPDIR/run/summary.csv"
	judged
	[ "$status" -eq 2 ]
	[[ "$output" == *"verdict: PASS"* ]]
	[[ "$output" == *"line 12 is left out: no value of column 'dtype' is 'flaot'"* ]]
	[[ "$output" == *"line 15 is left out: it has fewer fields than the head"* ]]
	[[ "$output" == *"the file ends within it, after '2026'"* ]]
	[[ "$output" == *"3 broken rows were left out"* ]]
}

@test "files that are none" {
	cd "$BATS_TEST_TMPDIR"
	refused "cannot open 'gone.csv': No such file or directory" verdict gone.csv
	mkdir empty
	refused "cannot open 'empty/summary.csv': No such file or directory" verdict empty
	: >nothing.csv
	refused "'nothing.csv' is empty" verdict nothing.csv
	echo "a,b,c" >other.csv
	refused "'other.csv' is no summary: no column is known, the first is 'a'" verdict other.csv
	summary_head | cut -d, -f2- >short.csv
	refused "'short.csv' has no column 'schema_version', which tells measurements apart" verdict short.csv
	head -c 4096 /dev/zero >zeros
	refused "'zeros' is no summary: its first line is not a line of column names" verdict zeros
	refused "verdict needs a file: busbar verdict RUN [--link RATE | --tier NAME] [--tolerance SHARE]" verdict
}

@test "standard input, and columns of a newer schema" {
	made_up_run "$BATS_TEST_TMPDIR/run"
	sed '1s/$/,novelty/; 2,$s/$/,1/' "$BATS_TEST_TMPDIR/run/summary.csv" >"$BATS_TEST_TMPDIR/newer"
	run "$BUSBAR" verdict - <"$BATS_TEST_TMPDIR/newer"
	[ "$status" -eq 0 ]
	[[ "$output" == *"1 columns of a newer schema were passed over"* ]]
}

@test "tiers: twice the rate is half the time where bytes bind" {
	made_up_run "$BATS_TEST_TMPDIR/run"
	made_up_run "$BATS_TEST_TMPDIR/same"
	run "$BUSBAR" tiers "$BATS_TEST_TMPDIR/run" "$BATS_TEST_TMPDIR/same"
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "verdict: PASS"* ]]
	# Held to networks that these runs did not have, the same times disagree.
	run "$BUSBAR" tiers "$BATS_TEST_TMPDIR/run" "$BATS_TEST_TMPDIR/same" --link-a 1GB/s --link-b 2GB/s
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == *"gains 1.00 times where the model expects"* ]]
	made_up_run "$BATS_TEST_TMPDIR/other" ranks=8
	run "$BUSBAR" tiers "$BATS_TEST_TMPDIR/run" "$BATS_TEST_TMPDIR/other"
	[ "$status" -eq 77 ]
	[[ "${lines[0]}" == *"no row in common" ]]
}
