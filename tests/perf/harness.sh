#!/bin/sh
# harness.sh - what the harness adds to an operation: the null backend moves nothing, so what it takes is ours.
#
#   tests/perf/harness.sh [BUILD]
#
# In turn, ROUNDS (9) times over: with 1 and 2 ranks, without and with a sample kept of each operation. Printed are the
# medians of nanoseconds an operation and rank. LIMIT_NS (200) is what must hold; exit code 1 when one does not.
set -eu

build=${1:-build}
program=$build/all_reduce_perf
rounds=${ROUNDS:-9} limit_ns=${LIMIT_NS:-200} operations=20000

if [ ! -x "$program" ]; then
	echo "harness.sh: '$program' is missing; run make first" >&2
	exit 2
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Several places of the buffers, so that finding the place of an operation is part of it; JSON has all digits.
measure() {
	ranks=$1
	shift
	"$program" --backend null -t "$ranks" -b 4K -e 1M -i 4M -n "$operations" -c 0 -a 3 -J "$folder/out.json" "$@" >/dev/null
	sed -n 's/.*"time": *\([0-9.]*\).*/\1/p' "$folder/out.json" | head -1
	rm -rf "$folder/out.json" "$folder/csv"
}

round=0
while [ "$round" -lt "$rounds" ]; do
	for ranks in 1 2; do
		echo "$ranks mean $(measure "$ranks")"
		echo "$ranks samples $(measure "$ranks" --csv "$folder/csv")"
	done
	round=$((round + 1))
done | sort -k1,1n -k2,2 -k3,3g | awk -v limit="$limit_ns" '
	function finish() {
		if (!count)
			return
		ns = value[int((count + 1) / 2)] * 1000
		printf "%5d  %-8s %8.1f %8.1f %8.1f   %s\n", ranks, kind, ns, value[1] * 1000, value[count] * 1000, ns <= limit ? "ok" : "ABOVE " limit
		bad = bad || ns > limit
		count = 0
	}
	NR == 1 { print "ranks  kept       median      min      max   ns an operation and rank" }
	$1 != ranks || $2 != kind { finish(); ranks = $1; kind = $2 }
	{ value[++count] = $3 }
	END { finish(); exit bad }'
