#!/usr/bin/env bats
# csv.bats - the rows of --csv: whole lines whatever happens, appended by whoever runs, never mixed with other columns.

load helper

csv() {
	echo "$BATS_TEST_TMPDIR/csv"
}

# whole FILE ROWS: the header and so many rows, all with as many fields as the header.
whole() {
	awk -F, -v rows="$2" '
		NR == 1 { fields = NF }
		NF != fields { print "line " NR " of " FILENAME " has " NF " fields, the header " fields; bad = 1 }
		END { if (NR - 1 != rows) { print FILENAME ": " NR - 1 " rows, expected " rows; bad = 1 } exit bad }' "$1"
	[ "$(tail -c 1 "$1" | od -An -c | tr -d ' ')" = '\n' ]
}

@test "a row a placement and size, a raw row an iteration" {
	ranks 2 all_reduce --backend null -b 1K -e 4K -f 2 -n 5 -c 0 --csv "$(csv)"
	whole "$(csv)/summary.csv" 6
	whole "$(csv)/raw.csv" 30
	[ -s "$(csv)/facts" ]
}

@test "the folder and those above it are made" {
	ranks 1 all_reduce --backend null -b 1K -e 1K -n 1 -c 0 --csv "$(csv)/a/b"
	whole "$(csv)/a/b/summary.csv" 2
}

@test "programs and plans add to one folder, also at the same time" {
	for program in all_gather broadcast scatter; do
		ranks 2 $program --backend null -b 1K -e 1K -N 20 -n 2 -c 0 --csv "$(csv)" >/dev/null &
	done
	wait
	whole "$(csv)/summary.csv" $((3 * 20 * 2))
	whole "$(csv)/raw.csv" $((3 * 20 * 2 * 2))
	[ "$(grep -c '^schema_version' "$(csv)/summary.csv")" -eq 1 ]
	[ "$(cut -d, -f2 "$(csv)/summary.csv" | sort -u | wc -l)" -eq 4 ] # three launches, one header
	[ "$(find "$(csv)" -type f | wc -l)" -le 5 ]
}

@test "a program that is killed leaves whole rows" {
	"$BUILD/all_reduce_perf$SUFFIX" --backend null -b 1K -e 1K -N 0 -n 2 -c 0 --csv "$(csv)" >/dev/null &
	pid=$!
	for _ in $(seq 100); do
		[ "$(wc -l <"$(csv)/summary.csv" 2>/dev/null || echo 0)" -gt 5 ] && break
		sleep 0.1
	done
	kill -KILL $pid
	wait $pid || true
	rows=$(($(wc -l <"$(csv)/summary.csv") - 1))
	[ "$rows" -ge 5 ]
	whole "$(csv)/summary.csv" $rows
}

@test "a disk that is full: the run ends, says so, and no row is cut" {
	run bash -c "trap '' XFSZ; ulimit -f 8; '$BUILD/all_reduce_perf$SUFFIX' --backend null -b 1K -e 1K -N 100 -n 4 -c 0 --csv '$(csv)'"
	echo "$output"
	[ "$status" -eq 1 ]
	[ "$(grep -c "cannot write to '.*csv'" <<<"$output")" -eq 1 ]
	rows=$(($(wc -l <"$(csv)/summary.csv") - 1))
	[ "$rows" -ge 5 ]
	whole "$(csv)/summary.csv" $rows
	whole "$(csv)/raw.csv" $(($(wc -l <"$(csv)/raw.csv") - 1))
}

@test "a file with other columns is refused and left alone" {
	mkdir "$(csv)"
	echo "schema_version,something" >"$(csv)/summary.csv"
	run ranks 1 all_reduce --backend null -b 1K -e 1K -n 1 -c 0 --csv "$(csv)"
	echo "$output"
	[ "$status" -eq 6 ]
	[[ $output == *"summary.csv' was written with other columns; give --csv another folder"* ]]
	[ "$(cat "$(csv)/summary.csv")" = "schema_version,something" ]
}

@test "an empty file gets its header, a row that was cut takes no other along" {
	mkdir "$(csv)"
	touch "$(csv)/summary.csv"
	ranks 1 all_reduce --backend null -b 1K -e 1K -n 1 -c 0 --csv "$(csv)"
	whole "$(csv)/summary.csv" 2
	printf '1,cut' >>"$(csv)/summary.csv"
	ranks 1 all_reduce --backend null -b 1K -e 1K -n 1 -c 0 --csv "$(csv)"
	grep -qx '1,cut' "$(csv)/summary.csv"
	sed -i '/^1,cut$/d' "$(csv)/summary.csv"
	whole "$(csv)/summary.csv" 4
}

@test "a folder that is refused gets no facts either" {
	mkdir "$(csv)"
	echo "schema_version,something" >"$(csv)/raw.csv"
	run ranks 1 all_reduce --backend null -b 1K -e 1K -n 1 -c 0 --csv "$(csv)"
	[ "$status" -eq 6 ]
	[ ! -e "$(csv)/facts" ] && [ ! -e "$(csv)/topology.xml" ]
}

@test "what cannot be a folder is an error" {
	touch "$(csv)"
	run ranks 1 all_reduce --backend null -b 1K -e 1K -n 1 -c 0 --csv "$(csv)"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"$(csv)"* ]]
}

@test "labels with commas and quotes are quoted" {
	ranks 1 all_reduce --backend null -b 1K -e 1K -n 1 -c 0 --cluster 'a,"b"' --csv "$(csv)"
	[ "$(grep -c ',"a,""b""",' "$(csv)/summary.csv")" -eq 2 ]
}

@test "each group has its rows" {
	needs_mpi
	NCCL_TESTS_SPLIT="MOD 2" under_mpi 3 all_gather --backend null -b 1K -e 1K -n 4 -c 0 --csv "$(csv)"
	whole "$(csv)/summary.csv" 4
	whole "$(csv)/raw.csv" 16
	[ "$(cut -d, -f19-20,22 "$(csv)/summary.csv" | sort -u | paste -sd' ')" = "0,2,1024 1,1,1024 group,ranks,bytes" ]
}

# value NAME: of the first row of summary.csv.
value() {
	awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at[name] }' "$(csv)/summary.csv"
}

@test "bytes through interfaces and CPU time stand in the row" {
	ranks 2 all_reduce --backend ring --transport socket -b 1M -e 1M -n 20 -c 0 --csv "$(csv)"
	bytes=$(($(value tx_loopback_bytes) + $(value tx_data_bytes) + $(value tx_management_bytes)))
	[ "$bytes" -ge $((2 * 1048576 * 20)) ] # two ranks, each sends 2(n-1)/n S an operation
	[ "$bytes" -lt $((2 * 1048576 * 20 * 3 / 2)) ]
	[ "$(value transport_seen)" = socket ]
	[ "$(value cpu_ns)" -gt 100000 ]
	[ "$(value model_bytes)" -eq 0 ] # nothing has to leave the node
	[[ $(value interfaces) == */*=* ]]
}

@test "--precision repeats until the median is known, --budget ends it" {
	ranks 2 all_reduce --backend ring -b 64K -e 64K -n 20 -c 0 --precision 10% --budget 20 --csv "$(csv)"
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ rows++; if ($at["ci_high_ns"] - $at["ci_low_ns"] > 2 * 0.10 * $at["p50_ns"] || $at["samples"] < 20) { print; bad = 1 } }
		END { exit bad || rows != 2 }' "$(csv)/summary.csv"
	rm -r "$(csv)"
	started=$(date +%s)
	ranks 2 all_reduce --backend ring -b 64K -e 64K -n 20 -c 0 --precision 0.0001% --budget 0.5 --csv "$(csv)"
	[ $(($(date +%s) - started)) -le 10 ]
	[ "$(value samples)" -gt 20 ]
	whole "$(csv)/raw.csv" $(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { sum += $at["samples"] } END { print sum }' "$(csv)/summary.csv")
}
