# busbar_helper.bash - what the tests of busbar share. BUILD is the folder with the programs (default: build).

setup_file() {
	BIN=$(cd "${BUILD:-build}" && pwd)
	BUSBAR=$BIN/busbar
	BUSBAR_PLOTS=$(cd "$BATS_TEST_DIRNAME/../../analysis" && pwd)
	export BIN BUSBAR BUSBAR_PLOTS
}

# refused SENTENCE ARGUMENTS...: exit 2, this line on stderr, nothing on stdout.
refused() {
	local sentence=$1 status=0
	shift
	"$BUSBAR" "$@" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
	echo "exit $status: $(cat "$BATS_TEST_TMPDIR/err")"
	[ "$status" -eq 2 ]
	[ ! -s "$BATS_TEST_TMPDIR/out" ]
	[ "$(cat "$BATS_TEST_TMPDIR/err")" = "busbar: $sentence" ]
}

# column NAME: that column of the csv on standard input, one value a row.
column() {
	awk -F, -v name="$1" '{ sub(/\r$/, "") } NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }'
}

# summary_head: the columns of summary.csv, as the benchmark programs write them.
summary_head() {
	local folder=$BATS_FILE_TMPDIR/head
	[ -d "$folder" ] || "$BIN/all_reduce_perf" -t 2 --backend null -b 8 -e 8 -n 1 -c 0 --csv "$folder" >/dev/null
	head -n 1 "$folder/summary.csv"
}

# made_up_run FOLDER [NAME=VALUE ...]: a run of sendrecv, all_reduce, all_gather, reduce_scatter and alltoall by four ranks that
# follow the ring model (alpha 20 us, 1 GB/s a link) but for what is given: slow=COLLECTIVE factor=F, noise=SHARE, seed=N, time=TEXT,
# nodes=N, and any column of the rows, for all of them (seen=shm) or from `only=COLLECTIVE`.
made_up_run() {
	local folder=$1
	shift
	mkdir -p "$folder"
	local settings=()
	for setting in "$@"; do settings+=(-v "$setting"); done
	summary_head | awk -F, "${settings[@]}" '
		function noisy() { return 1 + noise * (rand() + rand() + rand() - 1.5) * 2 }
		function row(collective, bytes, placement, steps, share, i, ns, hit) {
			ns = (steps * 20000 + share * bytes) * noisy()
			hit = only == "" || only == collective
			if (slow == collective) ns *= factor
			split("", v)
			v["schema_version"] = 1; v["run_id"] = "0123456789abcdef"; v["time"] = time; v["host_set"] = "here"
			v["collective"] = collective; v["backend"] = "ring"
			v["transport_asked"] = "socket"; v["transport_seen"] = seen != "" && hit ? seen : "socket"
			v["channels"] = 1; v["memory"] = "host"; v["dtype"] = "float"; v["redop"] = "sum"; v["root"] = -1
			v["placement"] = placement; v["group"] = 0; v["ranks"] = ranks; v["nodes"] = nodes; v["bytes"] = bytes
			v["count_elems"] = bytes / 4; v["iters"] = 20; v["agg_iters"] = 1; v["cycle"] = 0; v["samples"] = 20
			v["min_ns"] = ns * .95; v["p50_ns"] = ns; v["p95_ns"] = ns * 1.1; v["p99_ns"] = ns * 1.2; v["max_ns"] = ns * 1.2
			v["sample_mean_ns"] = ns; v["stdev_ns"] = ns * .02; v["ci_low_ns"] = ns * .99; v["ci_high_ns"] = ns * 1.01
			v["mean_ns"] = ns; v["algbw_gbs"] = bytes / ns; v["busbw_gbs"] = bytes / ns * share
			v["checked"] = checked == "" ? "done" : checked; v["wrong_elems"] = hit ? wrong + 0 : 0
			if (wrong && hit) { v["wrong_rank"] = 2; v["wrong_index"] = 77 }
			v["model_bytes"] = model; v["tx_data_bytes"] = data; v["tx_management_bytes"] = management; v["interfaces"] = interfaces
			for (i = 1; i <= NF; i++) printf "%s%s", v[name[i]], i < NF ? "," : "\n"
		}
		BEGIN { if (ranks == "") ranks = 4; if (nodes == "") nodes = 1; if (time == "") time = "2026-01-01T00:00:00Z"; srand(seed) }
		NR == 1 {
			print
			for (i = 1; i <= NF; i++) name[i] = $i
			for (bytes = 1024; bytes <= 16777216; bytes *= 4)
				for (p = 0; p < 2; p++) {
					place = p ? "in-place" : "out-of-place"
					row("sendrecv", bytes, place, 1, 1)
					row("all_reduce", bytes, place, 6, 1.5)
					row("all_gather", bytes, place, 3, .75)
					row("reduce_scatter", bytes, place, 3, .75)
					row("alltoall", bytes, place, 3, .75)
				}
		}' >"$folder/summary.csv"
}
