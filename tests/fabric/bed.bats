#!/usr/bin/env bats
# bed.bats - the bed itself: its links have the rates that they claim, and it leaves nothing behind.

load helper

setup() {
	need_fabric
	export FABRIC=bed-$$
	state=/run/busbar-fabric/$FABRIC
}

teardown() {
	[ ! -e "$state/made-by-fabric.sh" ] || fabric down
	[ ! -e "$state/not-mine" ] || rm -r "$state"
}

# holders: processes that hold namespaces of this bed
holders() {
	local file pid since
	for file in "$1"/pid.*; do
		if read -r pid since <"$file" && [ "$(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | cut -d ' ' -f 20)" = "$since" ]; then
			echo "$pid"
		fi
	done
}

@test "every link carries what its profile says: 200 and 400 Mbit/s, both directions at once" {
	for profile in tiny:200 tiny-3.2T:400; do
		fabric up "${profile%:*}"
		fabric iperf ring 2 >"$BATS_TEST_TMPDIR/flows"
		cat "$BATS_TEST_TMPDIR/flows"
		[ "$(wc -l <"$BATS_TEST_TMPDIR/flows")" -eq 2 ]
		while read -r _ _ mbit; do
			within "$mbit" "$((${profile#*:} * 965 / 1000))" "$((${profile#*:} * 1005 / 1000))"
		done <"$BATS_TEST_TMPDIR/flows"
		fabric down
	done
}

@test "a link that is made slow is slow, and mended it is not" {
	fabric up tiny
	fabric fault node-1 ens1 slow 50
	run fabric iperf pair 2
	within "${output##* }" 46 54 # what queued up before the two seconds counts too
	fabric fault node-1 ens1 mend
	run fabric iperf pair 2
	within "${output##* }" 193 201
}

@test "eth0 is the slow one" {
	fabric up tiny
	run fabric iperf pair 2 eth0
	within "${output##* }" 17 20.5
}

@test "two beds stand side by side; down takes one" {
	fabric up tiny
	FABRIC=$FABRIC-b fabric up tiny
	run fabric up tiny
	[ "$status" -eq 1 ]
	[[ "$output" == *"is up (tiny)"* ]]
	fabric down
	run env FABRIC="$FABRIC-b" "$BATS_TEST_DIRNAME/fabric.sh" run node-1 hostname
	[ "$output" = node-1 ]
	FABRIC=$FABRIC-b fabric down
	[ ! -e "$state" ] && [ ! -e "$state-b" ]
}

@test "down ends what still runs in a node" {
	fabric up tiny
	fabric run node-0 sleep 300 &
	sleep 0.3
	inside=$(pgrep -f '^sleep 300$' | head -n 1)
	fabric down
	wait $! || true
	[ -n "$inside" ] && [ ! -d "/proc/$inside" ]
}

@test "killed, it takes its namespaces along, and the next up sweeps the rest" {
	"$BATS_TEST_DIRNAME/fabric.sh" with tiny "$BATS_TEST_DIRNAME/fabric.sh" run node-1 sleep 301 3>&- &
	owner=$!
	for _ in $(seq 100); do
		if pgrep -f '^sleep 301$' >/dev/null; then break; fi
		sleep 0.05
	done
	cp -r "$state" "$BATS_TEST_TMPDIR/record"
	[ "$(holders "$BATS_TEST_TMPDIR/record" | wc -l)" -eq 3 ]
	kill -KILL "$owner"
	for _ in $(seq 60); do
		if [ -z "$(holders "$BATS_TEST_TMPDIR/record")" ]; then break; fi
		sleep 0.05
	done
	[ -z "$(holders "$BATS_TEST_TMPDIR/record")" ]
	refute pgrep -f '^sleep 301$'
	fabric up tiny
}

@test "what it did not make it does not touch" {
	mkdir -p "$state"
	touch "$state/not-mine"
	run fabric up tiny
	[ "$status" -eq 1 ]
	[[ "$output" == *"not of this script's making"* ]]
	run fabric down
	[ "$status" -eq 1 ]
	[ -e "$state/not-mine" ]
}

@test "an unknown profile is named, with those that there are" {
	run fabric up 9.9T
	[ "$status" -eq 1 ]
	[[ "$output" == *"no profile '9.9T'"*3.2T-4rails* ]]
	[ ! -e "$state" ]
}
