#!/bin/sh
# loopback.sh - all_reduce on one host: our ring against the MPI library's own collective, over shared memory and
# over TCP. The same program, harness and timing on both sides, in turn; printed are medians over the rounds.
#
#   tests/perf/loopback.sh [BUILD]
#
# ROUNDS (7), RANKS ("2 4"), TRANSPORTS ("shm socket"), SIZES (bytes). The peer is the mpi backend with UCX_TLS set to
# PEER_SHM ("self,sm") or PEER_SOCKET ("self,tcp"). Over shared memory the bound stands beside it: the work on memory
# alone, nobody waiting for anybody (tests/perf/bound.c). At last, for CPU_RANKS (8) ranks, CPU seconds that all ranks
# together spend on each GB that they send. Every figure is a table's entry; nothing is judged.
set -eu

build=${1:-build}
program=$build/all_reduce_perf
bound=$build/tests/perf/bound
rounds=${ROUNDS:-7} ranks=${RANKS:-2 4} transports=${TRANSPORTS:-shm socket} cpu_ranks=${CPU_RANKS:-8}
sizes=${SIZES:-8 1024 65536 262144 1048576 4194304 16777216 67108864}
peer_shm=${PEER_SHM:-self,sm} peer_socket=${PEER_SOCKET:-self,tcp}

if [ ! -x "$program" ]; then
	echo "loopback.sh: '$program' is missing; run make first" >&2
	exit 2
fi
make -s BUILD="$build" "$bound"

data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT

count() {
	awk -v b="$1" 'BEGIN { print b <= 65536 ? 500 : b <= 1048576 ? 50 : b <= 8388608 ? 10 : 5 }'
}

# us of one operation: ranks, bytes, options of ours
time_of() {
	n=$1 b=$2
	shift 2
	mpirun -n "$n" "$program" -b "$b" -e "$b" -n "$(count "$b")" -w 2 -c 0 -a 3 "$@" |
		awk -v b="$b" '$1 == b && NF == 13 { print $6; found = 1 } END { exit !found }'
}

ring() {
	time_of "$2" "$3" --backend ring --transport "$1"
}

peer() {
	case $1 in
	shm) tls=$peer_shm ;;
	*) tls=$peer_socket ;;
	esac
	UCX_TLS=$tls time_of "$2" "$3" --backend mpi
}

measure() {
	mine='' theirs='' least=0
	if [ $(($4 % 2)) -eq 0 ]; then
		mine=$(ring "$1" "$2" "$3")
		theirs=$(peer "$1" "$2" "$3")
	else
		theirs=$(peer "$1" "$2" "$3")
		mine=$(ring "$1" "$2" "$3")
	fi
	if [ "$1" = shm ]; then
		least=$("$bound" "$2" "$3" "$(count "$3")")
	fi
	echo "$1 $2 $3 $mine $theirs $least" >>"$data/times"
}

medians='
function median(list, n,    i, j, t, v) {
	split(list, v, " ")
	for (i = 2; i <= n; i++) {
		t = v[i] + 0
		for (j = i - 1; j > 0 && v[j] + 0 > t; j--)
			v[j + 1] = v[j]
		v[j + 1] = t
	}
	return n % 2 ? v[(n + 1) / 2] + 0 : (v[n / 2] + v[n / 2 + 1]) / 2
}'

round=0
while [ "$round" -lt "$rounds" ]; do
	for transport in $transports; do
		for n in $ranks; do
			for bytes in $sizes; do
				measure "$transport" "$n" "$bytes" "$round"
			done
		done
	done
	round=$((round + 1))
done

awk "$medians"'
{
	key = $1 " " $2 " " $3
	if (!(key in seen))
		order[++keys] = key
	seen[key]++
	mine[key] = mine[key] " " $4
	theirs[key] = theirs[key] " " $5
	least[key] = least[key] " " $6
}
END {
	printf "%-9s %5s %10s %12s %12s %8s %10s %12s %8s\n", "transport", "ranks", "bytes", "ring us", "mpi us",
		"mpi/ring", "ring GB/s", "bound us", "of it"
	for (i = 1; i <= keys; i++) {
		key = order[i]
		split(key, part, " ")
		m = median(mine[key], seen[key])
		t = median(theirs[key], seen[key])
		l = median(least[key], seen[key])
		printf "%-9s %5d %10d %12.2f %12.2f %8.2f %10.2f", part[1], part[2], part[3], m, t, t / m,
			part[3] * 2 * (part[2] - 1) / part[2] / m / 1e3
		if (l > 0)
			printf " %12.2f %7.0f%%", l, 100 * l / m
		printf "\n"
	}
	printf "# busbw in GB/s; medians of %d interleaved runs\n", seen[order[1]]
}' "$data/times"

# CPU seconds a GB: from the rows, all ranks, the whole timed loop.
cpu_of() {
	rm -rf "$data/rows"
	mpirun -n "$cpu_ranks" "$program" -b 16M -e 16M -n 5 -w 1 -c 0 --csv "$data/rows" "$@" >/dev/null
	awk -F, -v n="$cpu_ranks" '
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	NR == 2 { print $column["cpu_ns"] / ($column["bytes"] * 2 * (n - 1) * $column["iters"]) }' "$data"/rows/summary.csv
}

if [ "$cpu_ranks" -gt 1 ]; then
	round=0
	while [ "$round" -lt "$rounds" ]; do
		for transport in $transports; do
			[ "$transport" = shm ] && tls=$peer_shm || tls=$peer_socket
			mine=$(cpu_of --backend ring --transport "$transport")
			theirs=$(UCX_TLS=$tls cpu_of --backend mpi)
			echo "$transport $mine $theirs" >>"$data/cpu"
		done
		round=$((round + 1))
	done
	awk -v n="$cpu_ranks" "$medians"'
	{ seen[$1]++; mine[$1] = mine[$1] " " $2; theirs[$1] = theirs[$1] " " $3 }
	END {
		for (t in seen)
			printf "%-9s %5d ranks, 16 MiB: %.3f CPU seconds a GB sent, mpi %.3f\n", t, n, median(mine[t], seen[t]),
				median(theirs[t], seen[t])
	}' "$data/cpu"
fi
