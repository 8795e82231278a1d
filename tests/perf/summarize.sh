#!/bin/sh
# summarize.sh [ROWS] [ROUNDS] - busbar summarize and regress against the same grouping in sqlite3, load included, by turns; both sides
# and the ratio of medians are printed. ROWS of raw samples (default 10000000, about 0.9 GB), ROUNDS each (default 3).
set -eu

rows=${1:-10000000}
rounds=${2:-3}
busbar=$(cd "${BUILD:-build}" && pwd)/busbar
command -v sqlite3 >/dev/null || {
	echo "summarize.sh: sqlite3 is not installed" >&2
	exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

key=schema_version,run_id,collective,backend,transport_asked,dtype,redop,root,placement,group,ranks,bytes,cycle
echo "making $rows raw rows"
awk -v rows="$rows" -v key="$key" 'BEGIN {
	srand(1)
	print key ",iteration,elapsed_ns,fastest_ns,flags"
	split("all_reduce all_gather reduce_scatter alltoall", collective); split("shm socket", transport); split("out-of-place in-place", place)
	groups = 4 * 2 * 2 * 24; each = int(rows / groups)
	for (c = 1; c <= 4; c++) for (t = 1; t <= 2; t++) for (p = 1; p <= 2; p++) for (s = 3; s < 27; s++) {
		k = "1,0123456789abcdef," collective[c] ",ring," transport[t] ",float,sum,-1," place[p] ",0,4," 2 ^ s ",0"
		for (i = 0; i < each; i++) {
			ns = int((20000 + 2 ^ s) * (0.9 + 0.2 * rand()))
			print k "," i "," ns "," int(ns * .95) ","
		}
	}
}' >"$folder/raw.csv"
wc -c <"$folder/raw.csv" | awk '{ printf "%.2f GB\n", $1 / 1e9 }'

cat >"$folder/raw.sql" <<-END
	pragma journal_mode = off;
	pragma synchronous = off;
	pragma temp_store = memory;
	.mode csv
	.import $folder/raw.csv raw
	select $(echo "$key" | sed 's/group/"group"/'), count(*), min(elapsed_ns + 0), max(elapsed_ns + 0), avg(elapsed_ns) from raw
		group by $(echo "$key" | sed 's/group/"group"/');
END

# A history of as many rows, the columns that a judgement needs; a hundredth of the raw rows' count in runs of 384 configurations.
echo "making $((rows / 10)) history rows"
awk -v rows="$((rows / 10))" 'BEGIN {
	srand(2)
	print "run,environment,time,host_set,cluster,tier,collective,backend,transport_asked,transport_seen,algorithm,protocol,channels,memory," \
		"dtype,redop,root,placement,group,ranks,nodes,bytes,agg_iters,samples,p50_ns,sample_mean_ns,stdev_ns,ci_low_ns,ci_high_ns,mean_ns"
	split("all_reduce all_gather reduce_scatter alltoall", collective); split("shm socket", transport); split("out-of-place in-place", place)
	for (r = 0; r < rows / 384; r++)
		for (c = 1; c <= 4; c++) for (t = 1; t <= 2; t++) for (p = 1; p <= 2; p++) for (s = 3; s < 27; s++) {
			ns = (20000 + 2 ^ s) * (0.995 + 0.01 * rand())
			printf "run%d,kernel=6.1,2026-01-01T00:00:00Z,a,,,%s,ring,%s,%s,,,1,host,float,sum,-1,%s,0,4,1,%d,1,20,%d,%d,%d,%d,%d,%d\n", \
				r, collective[c], transport[t], transport[t], place[p], 2 ^ s, ns, ns, ns / 50, ns * .99, ns * 1.01, ns
		}
}' >"$folder/history.csv"
cat >"$folder/history.sql" <<-END
	pragma journal_mode = off;
	pragma synchronous = off;
	pragma temp_store = memory;
	.mode csv
	.import $folder/history.csv history
	select collective, transport_seen, placement, bytes, count(*), min(mean_ns + 0), max(mean_ns + 0), avg(mean_ns) from history
		group by cluster, tier, collective, backend, transport_asked, transport_seen, algorithm, protocol, channels, memory, dtype,
		redop, root, placement, "group", ranks, nodes, bytes, agg_iters;
END

# seconds FILE COMMAND...: appends the wall time and the peak memory of the command.
seconds() {
	file=$1
	shift
	/usr/bin/time -f '%e %M' -a -o "$file" "$@" >/dev/null 2>>"$folder/errors" || true
}

median() {
	sort -n "$1" | awk -v column="$2" '{ v[NR] = $column } END { print v[int((NR + 1) / 2)] }'
}

for round in $(seq "$rounds"); do
	for what in raw history; do
		command=summarize
		[ $what = raw ] || command=regress
		seconds "$folder/busbar.$what" "$busbar" $command "$folder/$what.csv" --format csv
		rm -f "$folder/database"
		seconds "$folder/sqlite.$what" sh -c "sqlite3 '$folder/database' <'$folder/$what.sql'"
	done
	echo "round $round of $rounds done"
done
for what in raw history; do
	a=$(median "$folder/busbar.$what" 1)
	b=$(median "$folder/sqlite.$what" 1)
	echo "$what: busbar $a s, $(median "$folder/busbar.$what" 2) KiB; sqlite3 $b s: $(echo "$a $b" | awk '{ printf "%.1f", $2 / $1 }') times"
done
