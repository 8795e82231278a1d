#!/usr/bin/env bats
# busbar pairs, summarize and fit: what they read, what they find, what they refuse.

load busbar_helper

# matrix [NAME=VALUE ...]: csv of eight nodes at 25 GB/s; slow=NODE, from=NODE to=NODE slows one link, rails=N, share=F.
matrix() {
	local settings=()
	for setting in "$@"; do settings+=(-v "$setting"); done
	awk "${settings[@]}" 'BEGIN {
		srand(1)
		if (rails == "") rails = 1
		print "from,to,rail,gbs"
		for (k = 1; k <= rails; k++) for (i = 0; i < 8; i++) for (j = 0; j < 8; j++) if (i != j) {
			x = 25 * (1 + .01 * (rand() - .5))
			if (slow != "" && (i == slow || j == slow)) x *= share
			if (from != "" && i == from && j == to) x *= share
			if (rail == k) x *= share
			printf "node-%d,node-%d,ens%d,%.3f\n", i, j, k, x
		}
	}'
}

@test "a clean matrix passes" {
	matrix >"$BATS_TEST_TMPDIR/m.csv"
	run "$BUSBAR" pairs "$BATS_TEST_TMPDIR/m.csv"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "verdict: PASS"* ]]
}

@test "a slow node, a slow link and a slow rail are named" {
	matrix slow=3 share=.6 >"$BATS_TEST_TMPDIR/m.csv"
	run "$BUSBAR" pairs "$BATS_TEST_TMPDIR/m.csv"
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "verdict: FAIL, node-3 is slow, at 60 % of the level"* ]]
	matrix from=2 to=6 share=.5 >"$BATS_TEST_TMPDIR/m.csv"
	run "$BUSBAR" pairs "$BATS_TEST_TMPDIR/m.csv"
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "verdict: FAIL, node-2 -> node-6 is slow, at 50 % of the level"* ]]
	matrix rails=4 rail=2 share=.8 >"$BATS_TEST_TMPDIR/m.csv"
	run "$BUSBAR" pairs "$BATS_TEST_TMPDIR/m.csv"
	[ "$status" -eq 1 ]
	[[ "$output" == *"rail"*"ens2"*"every pair on this rail is slower"* ]]
}

@test "a list of pairs with remarks between them: one convicted, two that cannot be told apart" {
	cat >"$BATS_TEST_TMPDIR/list" <<-'END'
		# bandwidth per node pair (GB/s)
		alpha,beta     51.20
		gamma,delta    90.10
		eta,theta      50.80  # through the spine
		delta,alpha    51.00
		zeta,beta      89.50  # through the spine

		        GPU0    GPU1    NIC0
		GPU0     X      NV12    SYS
	END
	run "$BUSBAR" pairs "$BATS_TEST_TMPDIR/list"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "verdict: FAIL, alpha is slow, at 57 % of the level (1 convicted, 1 unresolved)" ]]
	[[ "$output" == *"unresolved  eta | theta"*"one of the two, or their link"* ]]
}

@test "a square matrix, and the same from standard input" {
	printf '      n0   n1   n2   n3\nn0    -    10.1 9.9  10.0\nn1    10.0 -    10.0 5.0\nn2    9.9  10.0 -    10.1\nn3    10.0 5.1  10.0 -\n' \
		>"$BATS_TEST_TMPDIR/square"
	run "$BUSBAR" pairs "$BATS_TEST_TMPDIR/square"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "verdict: FAIL, n1 <-> n3 is slow"* ]]
	run "$BUSBAR" pairs - <"$BATS_TEST_TMPDIR/square"
	[ "$status" -eq 1 ]
}

@test "one pair has nothing to be compared with" {
	echo "a,b 12.5" >"$BATS_TEST_TMPDIR/list"
	run "$BUSBAR" pairs "$BATS_TEST_TMPDIR/list"
	[ "$status" -eq 77 ]
}

@test "the heat map draws what --matrix writes" {
	command -v gnuplot >/dev/null || skip "no gnuplot"
	matrix slow=3 share=.6 >"$BATS_TEST_TMPDIR/m.csv"
	"$BUSBAR" pairs "$BATS_TEST_TMPDIR/m.csv" --matrix "$BATS_TEST_TMPDIR/shares.csv" || [ $? -eq 1 ]
	gnuplot -c "$BATS_TEST_DIRNAME/../../analysis/pairs.gp" "$BATS_TEST_TMPDIR/shares.csv" "$BATS_TEST_TMPDIR/map.svg"
	grep -q "node-3" "$BATS_TEST_TMPDIR/map.svg"
}

@test "pairs: broken lines are told and counted, other text is refused" {
	cd "$BATS_TEST_TMPDIR"
	matrix >m.csv
	sed -i '3s/,[0-9.]*$/,fast/; 9s/,[0-9.]*$/,-1/' m.csv
	run "$BUSBAR" pairs m.csv
	[ "$status" -eq 2 ]
	[[ "$output" == *"'m.csv' line 3 is left out: not a positive number: 'fast'"* ]]
	[[ "$output" == *"2 broken lines were left out"* ]]
	echo "hello world" >prose
	refused "'prose' holds no pair: a csv with from,to,gbs, lines of two names and a number, or a matrix are read" pairs prose
	: >nothing
	refused "'nothing' is empty" pairs nothing
	printf 'a,b\0c' >binary
	refused "'binary' is not text: it holds a 0 byte at 3" pairs binary
	echo "from,to,colour" >head
	refused "'head' has no column of bandwidth: busbw_gbs, gbs, mbs or p50_ns" pairs head
}

@test "summarize: statistics by key, exact on small groups" {
	cat >"$BATS_TEST_TMPDIR/raw.csv" <<-'END'
		run_id,collective,bytes,iteration,elapsed_ns,fastest_ns
		r,all_reduce,8,0,100,90
		r,all_reduce,8,1,300,90
		r,all_gather,8,0,50,40
		r,all_reduce,8,2,200,90
		"r",all_reduce,8,3,400,90
	END
	run "$BUSBAR" summarize "$BATS_TEST_TMPDIR/raw.csv" --format csv
	[ "$status" -eq 0 ]
	[ "$(tr -d '\r' <<<"${lines[1]}")" = "r,all_reduce,8,4,200,400,400,100,400,250,111.803398874989" ]
	[ "$(tr -d '\r' <<<"${lines[2]}")" = "r,all_gather,8,1,50,50,50,50,50,50,0" ]
	[ "$("$BUSBAR" summarize "$BATS_TEST_TMPDIR/raw.csv" --by bytes --format csv | column samples)" = 5 ]
	[ "$("$BUSBAR" summarize "$BATS_TEST_TMPDIR/raw.csv" "$BATS_TEST_TMPDIR/raw.csv" --by bytes --format csv | column samples)" = 10 ]
}

@test "summarize reads what the programs write" {
	"$BIN/broadcast_perf" -t 2 --backend null -c 0 -b 8 -e 64 -f 2 -n 5 --csv "$BATS_TEST_TMPDIR/run" >/dev/null
	[ "$("$BUSBAR" summarize "$BATS_TEST_TMPDIR/run" --by bytes,placement --format csv | column samples | sort -u)" = 5 ]
}

@test "summarize: broken rows are told and counted" {
	cd "$BATS_TEST_TMPDIR"
	printf 'key,elapsed_ns\na,1\na,x\na\na,5' >raw.csv
	run "$BUSBAR" summarize raw.csv
	[ "$status" -eq 2 ]
	[[ "$output" == *"line 3 is left out: its value is no number: 'a,x'"* ]]
	[[ "$output" == *"line 4 is left out: it has not the head's columns: 'a'"* ]]
	[[ "$output" == *"line 5 is left out: the file ends within it: 'a,5'"* ]]
	printf 'key,value\n' >other.csv
	refused "'other.csv' has no column 'elapsed_ns'" summarize other.csv
	refused "'other.csv' has 0 of the 1 columns 'kee'" summarize other.csv --value value --by kee
}

@test "fit: latency of a step, rate of a link" {
	made_up_run "$BATS_TEST_TMPDIR/run"
	run "$BUSBAR" fit "$BATS_TEST_TMPDIR/run" --format csv
	[ "$status" -eq 0 ]
	"$BUSBAR" fit "$BATS_TEST_TMPDIR/run" --format csv >"$BATS_TEST_TMPDIR/fit.csv"
	[ "$(column points <"$BATS_TEST_TMPDIR/fit.csv" | sort -u)" = 8 ]
	[ "$(column step_ns <"$BATS_TEST_TMPDIR/fit.csv" | awk '{ printf "%.0f\n", $1 }' | sort -u)" = 20000 ]
	[ "$(column link_gbs <"$BATS_TEST_TMPDIR/fit.csv" | awk '{ printf "%.3f\n", $1 }' | sort -u)" = 1.000 ]
}
