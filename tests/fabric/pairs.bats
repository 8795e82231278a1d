#!/usr/bin/env bats
# pairs.bats - the pair sweep on real links: the node and the link that were slowed are named, a clean bed is left alone.

# shellcheck disable=SC2154 # bats sets stderr and status
export FABRIC=pairs-$$

# A measurement: what else runs on the machine may disturb it, so a failed test gets two more tries.
BATS_TEST_RETRIES=2

setup() {
	BUILD=$(cd "${BUILD:-build}" && pwd)
	run tests/fabric/fabric.sh check
	[ "$status" -ne 77 ] || skip "$output"
}

teardown() {
	tests/fabric/fabric.sh down >/dev/null 2>&1 || true
}

# sweep PROFILE: the pairs of a bed, judged. Several sizes, so that one disturbed measurement convicts nobody.
sweep() {
	timeout 100 tests/fabric/fabric.sh with "$1" tests/fabric/fabric.sh mpirun -n 8 "$BUILD/sendrecv_perf" --pairs \
		-b 512K -e 1536K -i 512K -n 4 -w 1 --csv "$BATS_TEST_TMPDIR/run" >"$BATS_TEST_TMPDIR/log" 2>&1 ||
		{ cat "$BATS_TEST_TMPDIR/log"; return 1; }
	run "$BUILD/busbar" pairs "$BATS_TEST_TMPDIR/run/pairs.csv"
	echo "$output"
}

@test "a clean bed: nothing is found, and links measure as they are limited" {
	sweep 1.6T
	[ "$status" -eq 0 ]
	median=$(sed -n 's/.* median \([0-9.]*\) max.*/\1/p' "$BATS_TEST_TMPDIR/log" | tail -n 1)
	"$BUILD/busbar" shares "$BATS_TEST_TMPDIR/run"
	awk -v gbs="$median" 'BEGIN { exit !(gbs > 0.025 * 0.97 && gbs < 0.025 * 1.05) }'
}

@test "a node at 60 %: that node is named" {
	sweep uneven
	[ "$status" -eq 1 ]
	[[ $output == *"node-3 is slow"* ]]
	run "$BUILD/busbar" shares "$BATS_TEST_TMPDIR/run"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"node-3 gets "[56]?" %"*"1 of 8"* ]]
}

@test "a link at a quarter: that link is named, its ends are not" {
	sweep badlink
	[ "$status" -eq 1 ]
	[[ $output == *"node-2 -> node-5"* ]]
	[[ $output != *"node  node-"* ]]
}
