#!/bin/sh
# fabric.sh - the socket ring on eight rate-limited hosts, beside what iperf3 gets on the same links in the same minute:
# busbw of four collectives on both tiers, bytes on the counters against the model, and the ratio of the tiers.
#
#   tests/perf/fabric.sh [BUILD]
#
# ROUNDS (3), SIZES (bytes; "16777216 33554432"), TIERS ("1.6T 3.2T"), COLLECTIVES. Needs root. In each round of each tier
# iperf3 runs on all links of the ring at once, then the collectives; printed are medians over the rounds. Nothing is
# judged.
set -eu

build=${1:-build}
rounds=${ROUNDS:-3} sizes=${SIZES:-16777216 33554432} tiers=${TIERS:-1.6T 3.2T}
collectives=${COLLECTIVES:-all_reduce reduce_scatter all_gather alltoall}
bed=$(dirname "$0")/../fabric/fabric.sh
export FABRIC="perf-$$"

"$bed" check
data=$(mktemp -d)
trap '"$bed" down; rm -rf "$data"' EXIT
trap 'exit 130' INT TERM

# What stands in a named column of a summary, one line a row.
column() {
	awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' "$1"
}

limit() {
	"$bed" iperf ring 3 | awk '{ s += $3 } END { print s / NR }'
}

measure() { # TIER ROUND
	mbit=$(limit)
	for bytes in $sizes; do
		for collective in $collectives; do
			run=$data/$1-$2-$collective-$bytes
			UCX_NET_DEVICES=eth0 "$bed" mpirun -n 8 "$build/${collective}_perf" -b "$bytes" -e "$bytes" -n 5 -w 1 -c 0 \
				--csv "$run" >/dev/null 2>&1
			for name in busbw_gbs tx_data_bytes model_bytes mean_ns; do
				column "$run/summary.csv" $name | head -n 1
			done | paste -s -d ' ' - | sed "s/^/$1 $collective $bytes $mbit /" >>"$data/rows"
		done
	done
}

for tier in $tiers; do
	"$bed" up "$tier"
	round=0
	while [ "$round" -lt "$rounds" ]; do
		measure "$tier" "$round"
		round=$((round + 1))
	done
	"$bed" down
done

awk '
function median(list, n,    i, j, t, v) {
	split(list, v, " ")
	for (i = 2; i <= n; i++) {
		t = v[i] + 0
		for (j = i - 1; j > 0 && v[j] + 0 > t; j--)
			v[j + 1] = v[j]
		v[j + 1] = t
	}
	return n % 2 ? v[(n + 1) / 2] + 0 : (v[n / 2] + v[n / 2 + 1]) / 2
}
{
	key = $1 " " $2 " " $3
	if (!(key in seen))
		order[++keys] = key
	seen[key]++
	iperf[key] = iperf[key] " " $4
	busbw[key] = busbw[key] " " $5 * 8000
	wire[key] = wire[key] " " $6 / $7
	ns[key] = ns[key] " " $8
}
END {
	printf "%-5s %-15s %9s %13s %13s %8s %12s %6s\n", "tier", "collective", "bytes", "busbw Mb/s", "iperf3 Mb/s", "of it",
		"wire/model", "ratio"
	for (i = 1; i <= keys; i++) {
		key = order[i]
		split(key, part, " ")
		b = median(busbw[key], seen[key])
		limit = median(iperf[key], seen[key])
		printf "%-5s %-15s %9d %13.1f %13.1f %7.1f%% %12.4f", part[1], part[2], part[3], b, limit, 100 * b / limit,
			median(wire[key], seen[key])
		first = order[1]
		sub(/ .*/, "", first)
		other = first " " part[2] " " part[3]
		if (part[1] != first && other in seen)
			printf " %6.3f", median(ns[other], seen[other]) / median(ns[key], seen[key])
		printf "\n"
	}
	printf "# medians of %d rounds; ratio: time on the first tier over time on this one\n", seen[order[1]]
}' "$data/rows"
