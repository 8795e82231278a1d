#!/usr/bin/env bats
# busbar report, step and predict: one page that needs nothing else, and the arithmetic of a training step.

load busbar_helper

teardown() {
	rm -rf "$BATS_TEST_TMPDIR"/busbar.*
}

page_stands_alone() {
	grep -q '^</html>$' "$1"
	! grep -E '(src|href)="?(https?:)?//' "$1"
	! grep -iE '<(script|link|iframe|img)' "$1"
}

@test "a run becomes one page with verdict, curves, latency, samples and facts" {
	made_up_run "$BATS_TEST_TMPDIR/run" noise=0.02
	echo "kernel <6.1> & more" >"$BATS_TEST_TMPDIR/run/facts"
	TMPDIR=$BATS_TEST_TMPDIR run "$BUSBAR" report "$BATS_TEST_TMPDIR/run"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "$BATS_TEST_TMPDIR/run/report.html" ]
	page_stands_alone "$BATS_TEST_TMPDIR/run/report.html"
	grep -q "<b>verdict</b> PASS" "$BATS_TEST_TMPDIR/run/report.html"
	grep -q "kernel &lt;6.1&gt; &amp; more" "$BATS_TEST_TMPDIR/run/report.html"
	command -v gnuplot >/dev/null || skip "no gnuplot"
	[ "$(grep -c '<figure><svg' "$BATS_TEST_TMPDIR/run/report.html")" -ge 6 ]
	# Names of parts are unique over all drawings.
	[ -z "$(grep -o "id=['\"][^'\"]*" "$BATS_TEST_TMPDIR/run/report.html" | sort | uniq -d)" ]
	# Nothing is left behind.
	[ -z "$(find "$BATS_TEST_TMPDIR" -maxdepth 1 -name 'busbar.*')" ]
}

@test "a failing run is a failing page; networks, pairs and history stand in it" {
	made_up_run "$BATS_TEST_TMPDIR/run" slow=alltoall factor=4
	made_up_run "$BATS_TEST_TMPDIR/other"
	for i in 1 2 3 4 5; do
		made_up_run "$BATS_TEST_TMPDIR/h$i" seed=$i noise=.01
		"$BUSBAR" history add "$BATS_TEST_TMPDIR/h$i" --history "$BATS_TEST_TMPDIR/h.csv" >/dev/null
	done
	printf 'a,b 10\nb,c 10.1\na,c 9.9\n' >"$BATS_TEST_TMPDIR/pairs"
	run "$BUSBAR" report "$BATS_TEST_TMPDIR/run" --against "$BATS_TEST_TMPDIR/other" --pairs "$BATS_TEST_TMPDIR/pairs" \
		--history "$BATS_TEST_TMPDIR/h.csv" --out "$BATS_TEST_TMPDIR/page.html"
	echo "$output"
	[ "$status" -eq 1 ]
	for section in Verdict Bandwidth Latency "Two networks" Pairs History; do
		grep -q "<h2>$section</h2>" "$BATS_TEST_TMPDIR/page.html"
	done
	page_stands_alone "$BATS_TEST_TMPDIR/page.html"
}

@test "a history alone becomes a page" {
	for i in 1 2 3 4 5; do
		made_up_run "$BATS_TEST_TMPDIR/h$i" seed=$i noise=.01
		"$BUSBAR" history add "$BATS_TEST_TMPDIR/h$i" --history "$BATS_TEST_TMPDIR/h.csv" >/dev/null
	done
	run "$BUSBAR" report "$BATS_TEST_TMPDIR/h.csv" --out "$BATS_TEST_TMPDIR/h.html"
	[ "$status" -eq 0 ]
	grep -q "PASS, none of 80 configurations" "$BATS_TEST_TMPDIR/h.html"
}

@test "nothing is left when the page cannot be made" {
	cd "$BATS_TEST_TMPDIR"
	mkdir empty
	refused "cannot open 'empty/summary.csv': No such file or directory" report empty
	[ -z "$(ls -A empty)" ]
	made_up_run run
	refused "cannot write '/nowhere/page.html': No such file or directory" report run --out /nowhere/page.html
}

@test "step: the worked example" {
	run "$BUSBAR" step --params 7e9 --nodes 8 --tier 3.2T --step-time 5s
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "communication: 490.0 ms a step, each node sends 24.50 GB" ]]
	[[ "${lines[1]}" == "exposed: 9.8 % of 5000 ms"* ]]
	"$BUSBAR" step --params 70e9 --parallel zero2 --nodes 8 --gpus-per-node 8 --tier 3.2T --format csv >"$BATS_TEST_TMPDIR/csv"
	[ "$(awk -F, '$2 == "optimizer" { print $5, $7 }' "$BATS_TEST_TMPDIR/csv")" = "840000000000 13125000000" ]
	[ "$(awk -F, '$2 == "parameters and optimizer" { print $5 }' "$BATS_TEST_TMPDIR/csv")" = 980000000000 ]
	refused "tp reduces activations: it needs --layers, --hidden and --tokens" step --params 7e9 --parallel tp
	refused "'ddpp' is no way to train in parallel: ddp, zero1, zero2, zero3 and tp are" step --params 7e9 --parallel ddpp
}

@test "predict: checked on the largest run, then beyond" {
	# Four ranks and eight that follow the same links.
	made_up_run "$BATS_TEST_TMPDIR/four"
	summary_head >/dev/null
	awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; print; next } $c["collective"] == "all_gather" {
		$c["ranks"] = 8; ns = 7 * 20000 + .875 * $c["bytes"]
		$c["p50_ns"] = $c["mean_ns"] = ns; print }' "$BATS_TEST_TMPDIR/four/summary.csv" >"$BATS_TEST_TMPDIR/eight.csv"
	run "$BUSBAR" predict "$BATS_TEST_TMPDIR/four" "$BATS_TEST_TMPDIR/eight.csv" --nodes 64,1250 --collective all_gather
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "check: PASS, 2 of 2 curves of the largest run (8 ranks)"* ]]
	[ "$("$BUSBAR" predict "$BATS_TEST_TMPDIR/four" --nodes 1250 --collective all_gather --format csv | column ranks | sort -u)" = 1250 ]
	refused "'8,x' is not a list of node counts: --nodes 16,64,1250" predict "$BATS_TEST_TMPDIR/four" --nodes 8,x
}
