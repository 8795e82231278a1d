#!/usr/bin/env bats
# busbar history and regress: whole rows under a lock, courses, pins, and changes with their run and what else changed.

load busbar_helper

# add_runs FROM TO [NAME=VALUE ...]: that many made-up runs, added to the history.
add_runs() {
	local from=$1 to=$2 i
	shift 2
	for i in $(seq -f %02g "$from" "$to"); do
		made_up_run "$BATS_TEST_TMPDIR/run$i" seed="$i" noise=0.005 time="2026-01-${i}T00:00:00Z" "$@"
		printf 'kernel %s\nlibrary MPICH 4.0.2\nenvironment NCCL_ALGO=%s\n' "${KERNEL:-6.1}" "${ALGO:-Ring}" >"$BATS_TEST_TMPDIR/run$i/facts"
		"$BUSBAR" history add "$BATS_TEST_TMPDIR/run$i" --history "$BATS_TEST_TMPDIR/h.csv" >/dev/null
	done
}

history() {
	"$BUSBAR" history "$@" --history "$BATS_TEST_TMPDIR/h.csv"
}

regress() {
	run "$BUSBAR" regress "$BATS_TEST_TMPDIR/h.csv" "$@"
	echo "$output"
}

@test "runs are added once, listed with what changed, and shown by configuration" {
	add_runs 1 2
	KERNEL=6.8 add_runs 3 3
	run history add "$BATS_TEST_TMPDIR/run02"
	[ "$status" -eq 2 ]
	[[ "$output" == *"holds a run 'run02' already: give this one another --name" ]]
	run history list
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "${lines[3]}" == "run03"*"80"*"kernel 6.1 -> 6.8" ]]
	[ "$(history show all_reduce 1048576 in-place --format csv | column run | tr '\n' ' ')" = "run01 run02 run03 " ]
	run history show all_reduce 1048577
	[ "$status" -eq 77 ]
}

@test "many may add at once: every row is whole" {
	local i pids=()
	for i in $(seq 1 12); do made_up_run "$BATS_TEST_TMPDIR/run$i"; done
	for i in $(seq 1 12); do
		history add "$BATS_TEST_TMPDIR/run$i" >/dev/null &
		pids+=($!)
	done
	for i in "${pids[@]}"; do wait "$i"; done
	[ "$(wc -l <"$BATS_TEST_TMPDIR/h.csv")" -eq $((12 * 80 + 1)) ]
	[ "$(awk -F, '{ print NF }' "$BATS_TEST_TMPDIR/h.csv" | sort -u | wc -l)" -eq 1 ]
	[ "$(history list --format csv | column rows | sort -u)" = 80 ]
}

@test "half a row at the end is left alone and told" {
	add_runs 1 2
	printf '3,half,a' >>"$BATS_TEST_TMPDIR/h.csv"
	run history list
	echo "$output"
	[ "$status" -eq 2 ]
	[[ "$output" == *"the file ends within it"* ]]
	add_runs 3 3
	run history list
	[ "$status" -eq 2 ]
	[[ "$output" == *"line 162 is left out: it has not the head's columns"* ]]
	[ "$(history list --format csv 2>/dev/null | column run | tr '\n' ' ')" = "run01 run02 run03 " ]
}

@test "nothing is added when the disk is full" {
	add_runs 1 1
	cp "$BATS_TEST_TMPDIR/h.csv" "$BATS_TEST_TMPDIR/before"
	made_up_run "$BATS_TEST_TMPDIR/run2"
	# A file may grow by 4 KiB: less than a run.
	run bash -c "ulimit -f $(($(stat -c %s "$BATS_TEST_TMPDIR/h.csv") / 1024 + 4)); trap '' XFSZ; '$BUSBAR' history add \
		'$BATS_TEST_TMPDIR/run2' --history '$BATS_TEST_TMPDIR/h.csv'"
	echo "$output"
	[ "$status" -eq 2 ]
	[[ "$output" == *"nothing was added" ]]
	cmp "$BATS_TEST_TMPDIR/h.csv" "$BATS_TEST_TMPDIR/before"
}

@test "equal runs pass, few runs cannot be compared" {
	add_runs 1 2
	regress
	[ "$status" -eq 77 ]
	[[ "${lines[0]}" == "verdict: NOT COMPARABLE, a judgement needs four runs" ]]
	add_runs 3 10
	regress
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "verdict: PASS, none of 80 configurations became slower in 'run10'" ]]
}

@test "a loss is found, with the run and what else changed there; a pin accepts it" {
	add_runs 1 8
	ALGO=Tree add_runs 9 12 slow=all_gather factor=1.05
	regress
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "verdict: FAIL, 16 of 80 configurations became slower, the worst by "*" since 'run09'" ]]
	[[ "$output" == *"NCCL_ALGO Ring -> Tree"* ]]
	[ "$("$BUSBAR" regress "$BATS_TEST_TMPDIR/h.csv" --format csv | grep -c 'SLOWER SINCE,.*all_gather.*run09')" -eq 16 ]
	history pin run09
	regress
	[ "$status" -eq 0 ]
	[[ "$output" == *"judged from the pinned run run09"* ]]
	run history pin run99
	[ "$status" -eq 2 ]
	[[ "$output" == *"has no run 'run99': busbar history list shows them" ]]
}

@test "another configuration is not comparable, and the difference is named" {
	add_runs 1 6
	add_runs 7 7 seen=shm+socket only=alltoall
	regress
	[ "$status" -eq 0 ]
	[[ "$output" == *"too few runs"*"not comparable: transport_seen was 'socket'"* ]]
}

@test "wrong data in the newest run outrank speed" {
	add_runs 1 5
	add_runs 6 6 only=alltoall wrong=1
	regress
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "verdict: FAIL, 16 rows of the newest run 'run06' hold wrong data" ]]
}

@test "files that are none" {
	cd "$BATS_TEST_TMPDIR"
	refused "cannot open 'gone.csv': No such file or directory" regress gone.csv
	echo "a,b" >other.csv
	refused "'other.csv' is no history: it has no column 'run'" regress other.csv
	refused "history cannot 'forget': it can add, list, show and pin" history forget
	refused "write busbar history add RUN [--name NAME]" history add
	made_up_run run
	echo "run,other" >old.csv
	refused "'old.csv' has other columns than this busbar writes: move it away" history add run --history old.csv
	[ "$(cat old.csv)" = "run,other" ]
}
