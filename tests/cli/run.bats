#!/usr/bin/env bats
# run.bats - launch/run.sh: what it refuses, what it leaves behind, its exit codes, and what a signal does to it.

load helper

run_sh() {
	timeout 60 launch/run.sh -o "$BATS_TEST_TMPDIR/run folder" "$@"
}

plan() {
	printf '%s\n' "$@" >"$BATS_TEST_TMPDIR/a plan"
}

@test "what cannot be carried out is refused, and leaves no folder" {
	plan 'all_reduce -b 8 -e 8'
	run launch/run.sh
	[ "$status" -eq 2 ] && [[ $output == *"launch/run.sh [-n RANKS]"* ]]
	run run_sh -n 0 "$BATS_TEST_TMPDIR/a plan"
	[ "$status" -eq 2 ] && [[ $output == *"'0' is no number of ranks"* ]]
	run run_sh -n 2x "$BATS_TEST_TMPDIR/a plan"
	[ "$status" -eq 2 ]
	run run_sh "$BATS_TEST_TMPDIR/none"
	[ "$status" -eq 2 ] && [[ $output == *"there is no plan '"* ]]
	BUILD=$BATS_TEST_TMPDIR run run_sh "$BATS_TEST_TMPDIR/a plan"
	[ "$status" -eq 2 ] && [[ $output == *"run make first"* ]]
	plan 'all_reduce -b 8 -e 8' 'all_reduc -b 8'
	run run_sh "$BATS_TEST_TMPDIR/a plan"
	echo "$output"
	[ "$status" -eq 6 ] && [[ $output == *'plan:2: no collective "all_reduc"'* ]]
	[ ! -e "$BATS_TEST_TMPDIR/run folder" ]
}

@test "a run leaves everything that the verdict needs, and is not written over" {
	plan 'sendrecv -b 8 -e 64K -f 8' 'all_reduce -b 64K -e 64K'
	run run_sh -n 2 "$BATS_TEST_TMPDIR/a plan" -c 1
	echo "$output"
	[ "$status" -eq 0 ] || [ "$status" -eq 1 ] # the verdict's
	[[ $output == *"verdict: "* ]]
	for file in plan facts log raw.csv summary.csv verdict; do
		[ -s "$BATS_TEST_TMPDIR/run folder/$file" ]
	done
	[ ! -e "$BATS_TEST_TMPDIR/run folder/errors" ]
	cmp "$BATS_TEST_TMPDIR/a plan" "$BATS_TEST_TMPDIR/run folder/plan"
	run run_sh -n 2 "$BATS_TEST_TMPDIR/a plan"
	[ "$status" -eq 2 ] && [[ $output == *"holds a run already"* ]]
}

@test "one rank cannot be judged: 77" {
	plan 'all_reduce -b 8 -e 8'
	run run_sh "$BATS_TEST_TMPDIR/a plan"
	echo "$output"
	[ "$status" -eq 77 ]
}

@test "the benchmark's code comes before the verdict's, and its words are shown" {
	plan 'all_reduce -b 8 -e 8 --backend null'
	run run_sh -n 2 "$BATS_TEST_TMPDIR/a plan"
	echo "$output"
	[ "$status" -eq 7 ]
	[[ $output == *"wrong data"* ]]
}

# stopped SIGNAL CODE: sent to run.sh alone, while the second case runs.
stopped() {
	plan 'all_reduce -b 8 -e 8 -n 5' 'all_reduce -b 1M -e 1M -c 0 -N 0'
	local folder=$BATS_TEST_TMPDIR/$1 status=0 pid
	# env: signals that are ignored here, as in all background work of a shell, are as usual there
	env --default-signal=HUP,INT,TERM launch/run.sh -n 2 -o "$folder" "$BATS_TEST_TMPDIR/a plan" \
		>"$BATS_TEST_TMPDIR/out" 2>&1 </dev/null 3>&- &
	pid=$!
	for _ in $(seq 200); do
		[ "$(wc -l 2>/dev/null <"$folder/summary.csv" || echo 0)" -gt 3 ] && break
		sleep 0.1
	done
	kill -"$1" $pid
	wait $pid || status=$?
	cat "$BATS_TEST_TMPDIR/out"
	[ "$status" -eq "$2" ]
	grep -q "stopped; what was finished is in $folder" "$BATS_TEST_TMPDIR/out"
	[ "$(wc -l <"$folder/summary.csv")" -ge 4 ]
	for _ in $(seq 50); do
		pgrep -f -- "--csv $folder" >/dev/null || return 0
		sleep 0.1
	done
	pgrep -af -- "--csv $folder"
	return 1
}

@test "interrupted: finished rows stay, no rank does" {
	stopped INT 130
}

@test "ended by a batch system or a closed terminal: likewise" {
	stopped TERM 143
	stopped HUP 129
}
