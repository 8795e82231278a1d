#!/usr/bin/env bats
# busbar model: the worked example from the command line, in three formats, and what it refuses.

load busbar_helper

example() {
	"$BUSBAR" model --collective all_reduce --bytes 14e9 "$@"
}

@test "seven billion parameters over eight nodes: 24.5 GB, 980 ms, 490 ms" {
	run example --ranks 8 --link 25GB/s
	[ "$status" -eq 0 ]
	[[ "$output" == *"24.50 GB"* ]]
	[[ "$output" == *"980.0 ms"* ]]
	[[ "$output" == *"wire binds"* ]]
	run example --ranks 8 --link 400Gb/s
	[[ "$output" == *"490.0 ms"* ]]
	[ "$(example --ranks 8 --tier 1.6T --format csv | column time_ns)" = 980000000 ]
	[ "$(example --ranks 8 --tier 3.2T --format csv | column time_ns)" = 490000000 ]
}

@test "eight ranks a node: flat 27.56 GB, hierarchical 24.5 GB, both named" {
	run example --nodes 8 --gpus-per-node 8 --tier 1.6T
	[ "$status" -eq 0 ]
	[[ "$output" == *"flat (one ring over all ranks): each node sends 27.56 GB"* ]]
	[[ "$output" == *"hierarchical (inside each node, between nodes, inside again): each node sends 24.50 GB"* ]]
	[[ "$output" == *"1102 ms"* ]]
	[ "$(example --nodes 8 --gpus-per-node 8 --tier 3.2T --shape flat --format csv | column time_ns)" = 551250000 ]
}

@test "json holds the same numbers" {
	command -v jq >/dev/null || skip "no jq"
	example --ranks 8 --link 25GB/s --format json | jq -e '.rows[0] | .time_ns == 980000000 and .link_bytes == 24500000000
		and .bound == "wire" and .latency_ns == null'
}

@test "one rank moves nothing" {
	run example --ranks 1 --link 25GB/s
	[ "$status" -eq 0 ]
	[[ "$output" == *"nothing to move"* ]]
}

@test "small sizes are bound by latency" {
	[ "$("$BUSBAR" model --collective all_gather --bytes 64 --ranks 8 --link 25GB/s --alpha 5us --format csv | column bound)" = latency ]
}

@test "refused: rates without a unit, unknown names, places that do not fit" {
	refused "'25' is not a rate: write a number with its unit, 25GB/s or 400Gb/s" model --link 25
	refused "'14GB' is not a size: write bytes, 14e9, or a binary multiple, 64K or 2MiB" model --bytes 14GB
	refused "there is no collective 'all_reduc': did you mean all_reduce" model --collective all_reduc --bytes 8 --ranks 2 --link 1GB/s
	refused "9 ranks do not fill 2 nodes evenly: --ranks is --nodes times --gpus-per-node" \
		model --collective all_reduce --bytes 8 --ranks 9 --nodes 2 --link 1GB/s
	refused "there is no model of 'gather' as tree: use flat" \
		model --collective gather --bytes 8 --ranks 8 --link 1GB/s --shape tree
	refused "--link and --tier both give the rate: use one" \
		model --collective gather --bytes 8 --ranks 8 --link 1GB/s --tier 1.6T
	refused "model has no option '--lnk': did you mean --link" model --lnk 1GB/s
	refused "option '--link' needs a value: --link RATE" model --link
	refused "there is no command 'modle': did you mean model" modle
	refused "a command is missing: busbar --help lists them"
}

@test "help names every command and the exit codes" {
	run "$BUSBAR" --help
	[ "$status" -eq 0 ]
	for command in model verdict pairs summarize; do
		[[ "$output" == *"  $command "* ]]
	done
	[[ "$output" == *"77 nothing could be judged"* ]]
	run "$BUSBAR" model --help
	[ "$status" -eq 0 ]
	[[ "$output" == *"--gpus-per-node COUNT"* ]]
}

@test "a full disk is an error" {
	[ -e /dev/full ] || skip "no /dev/full"
	local status=0
	"$BUSBAR" --help >/dev/null
	example --ranks 8 --link 25GB/s >/dev/full 2>"$BATS_TEST_TMPDIR/err" || status=$?
	[ "$status" -eq 2 ]
	grep -q "could not be written in full" "$BATS_TEST_TMPDIR/err"
}
