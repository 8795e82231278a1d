#!/bin/sh
# osu.sh - does the mpi backend read what OSU's benchmark reads? Both call MPI_Allreduce of the same MPI on the same
# sizes, one process a size, in turn; printed are the medians over the rounds and their ratio.
#
#   OSU=PATH/osu_allreduce tests/perf/osu.sh [BUILD]
#
# OSU's program is not ours and not in this tree. From its source (OSU Micro-Benchmarks 5 or later):
#   mpicc -O2 -Impi/collective mpi/collective/osu_allreduce.c mpi/collective/osu_coll.c -lm -o osu_allreduce
#
# What makes the readings the same: --sync lines ranks up before each operation, outside its time, as OSU's
# MPI_Barrier does; -b and -e are equal, so operations do not walk through the buffers; -a 1 is the mean over ranks
# of each rank's mean; float and sum; warm-up operations do not count; both take page-aligned buffers and run bound
# to cores. Many short runs, not few long ones: the median then leaves out those that something disturbed.
# ROUNDS (11), RANKS (2), SIZES, TOLERANCE in percent (5). Exit code: 1 when a size is off by more.
set -eu

build=${1:-build}
program=$build/all_reduce_perf
rounds=${ROUNDS:-11} ranks=${RANKS:-2} tolerance=${TOLERANCE:-5}
sizes=${SIZES:-$(awk 'BEGIN { for (b = 8; b <= 67108864; b *= 2) printf "%d ", b }')}

if [ ! -x "${OSU:-}" ]; then
	echo "osu.sh: OSU='${OSU:-}' is not a program; set OSU to an osu_allreduce built with this MPI's mpicc" >&2
	exit 2
fi
if [ ! -x "$program" ]; then
	echo "osu.sh: '$program' is missing; run make first" >&2
	exit 2
fi

data=$(mktemp)
trap 'rm -f "$data"' EXIT

# Enough operations for a mean, few enough for half a minute a round.
count() {
	awk -v b="$1" 'BEGIN { print b <= 65536 ? 1000 : b <= 1048576 ? 100 : b <= 8388608 ? 20 : 6 }'
}

osu() {
	mpirun -n "$ranks" -bind-to core "$OSU" -m "$1:$1" -i "$2" -x "$3" |
		awk -v b="$1" '$1 == b && NF == 2 { print $2; found = 1 } END { exit !found }'
}

ours() {
	mpirun -n "$ranks" -bind-to core "$program" --backend mpi --sync -d float -o sum -b "$1" -e "$1" -n "$2" -w "$3" -c 0 -a 1 |
		awk -v b="$1" '$1 == b && NF == 13 { print $6; found = 1 } END { exit !found }'
}

round=0
while [ "$round" -lt "$rounds" ]; do
	for bytes in $sizes; do
		n=$(count "$bytes")
		w=$((n / 5 + 2))
		if [ $((round % 2)) -eq 0 ]; then
			theirs=$(osu "$bytes" "$n" "$w")
			mine=$(ours "$bytes" "$n" "$w")
		else
			mine=$(ours "$bytes" "$n" "$w")
			theirs=$(osu "$bytes" "$n" "$w")
		fi
		echo "$bytes $mine $theirs" >>"$data"
	done
	round=$((round + 1))
done

awk -v tolerance="$tolerance" '
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
	if (!($1 in seen))
		order[++sizes] = $1
	seen[$1]++
	mine[$1] = mine[$1] " " $2
	osu[$1] = osu[$1] " " $3
}
END {
	printf "%10s %12s %12s %8s\n", "bytes", "ours us", "OSU us", "ratio"
	for (i = 1; i <= sizes; i++) {
		b = order[i]
		m = median(mine[b], seen[b])
		o = median(osu[b], seen[b])
		off = (m / o - 1) * 100
		wide = (off > tolerance || off < -tolerance)
		bad += wide
		printf "%10d %12.2f %12.2f %8.3f%s\n", b, m, o, m / o, wide ? " *" : ""
	}
	printf "%d of %d sizes within %g percent, medians of %d interleaved runs\n", sizes - bad, sizes, tolerance, seen[order[1]]
	exit (bad > 0)
}' "$data"
