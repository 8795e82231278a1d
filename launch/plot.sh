#!/bin/sh
# plot.sh FOLDER - busbw over size of a run, a panel a transport, as FOLDER/busbw.svg and .png.
set -eu

home=$(cd "$(dirname "$0")/.." && pwd)
folder=$1
command -v gnuplot >/dev/null || {
	echo "plot.sh: gnuplot is not installed (make deps)" >&2
	exit 1
}
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT

# Out-of-place rows as "transport collective bytes busbw": one file a transport and collective, named by both.
awk -F, -v out="$data" '
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	$column["placement"] == "out-of-place" && $column["bytes"] > 0 {
		transport = $column["transport_seen"] == "" ? $column["backend"] : $column["transport_seen"]
		file = out "/" transport "." $column["collective"]
		print $column["bytes"], $column["busbw_gbs"] > file
	}' "$folder/summary.csv"
for format in svg png; do
	gnuplot -e "gp='$home/analysis'; folder='$data'; output='$folder/busbw.$format'" "$home/analysis/busbw.gp"
done
