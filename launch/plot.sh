#!/bin/sh
# plot.sh FOLDER [RUN...] - busbw over size of runs (FOLDER itself when none is named), a panel a tier and transport, as FOLDER/busbw.svg
# and .png.
set -eu

home=$(cd "$(dirname "$0")/.." && pwd)
folder=$1
shift
[ $# -gt 0 ] || set -- "$folder"
command -v gnuplot >/dev/null || {
	echo "plot.sh: gnuplot is not installed (make deps)" >&2
	exit 1
}
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT

# Out-of-place rows as "bytes busbw": one file a panel and collective, named by both. A comma of the tier would end the name of a
# field: labels hold none.
for run in "$@"; do
	awk -F, -v out="$data" '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		$column["placement"] == "out-of-place" && $column["bytes"] > 0 {
			panel = $column["transport_seen"] == "" ? $column["backend"] : $column["transport_seen"]
			if ($column["tier"] != "")
				panel = $column["tier"] "~" panel
			gsub(/[. \/]/, "_", panel)
			file = out "/" panel "." $column["collective"]
			print $column["bytes"], $column["busbw_gbs"] > file
		}' "$run/summary.csv"
done
for format in svg png; do
	gnuplot -e "gp='$home/analysis'; folder='$data'; output='$folder/busbw.$format'" "$home/analysis/busbw.gp"
done
