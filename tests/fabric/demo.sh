#!/bin/sh
# demo.sh [FOLDER] - what the suite is for, on eight hosts that this machine makes itself: four collectives on a slow and on a fast
# network, the two compared, and traffic that silently landed on the management interface. Leaves runs, verdicts and a plot in FOLDER.
# Needs root (network namespaces); three to four minutes.
set -u

home=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
build=${BUILD:-build}
case $build in /*) ;; *) build=$home/$build ;; esac
folder=${1:-$home/results/runs/$(date -u +%Y%m%dT%H%M%SZ)_fabric_demo}
fabric=$home/tests/fabric/fabric.sh
export FABRIC="demo-$$"
"$fabric" check || exit $?
mkdir -p "$folder" || exit 2
trap '"$fabric" down >/dev/null 2>&1' EXIT
trap 'exit 130' INT TERM

say() { printf '\n== %s\n' "$1"; }

# measure NAME PROFILE OPTIONS...: the plan on a bed; the table goes to NAME/log.
measure() {
	name=$1 profile=$2
	shift 2
	mkdir -p "$folder/$name"
	"$fabric" with "$profile" "$fabric" mpirun -n 8 "$build/all_reduce_perf" --csv "$folder/$name" "$@" \
		>"$folder/$name/log" 2>"$folder/$name/errors" </dev/null ||
		{ tail -n 3 "$folder/$name/errors" >&2; return 1; }
}

judge() {
	"$build/busbar" verdict "$folder/$1" | tee "$folder/$1/verdict"
}

say "eight hosts, 200 Mb/s each (1.6 Tb/s at 1:1000)"
measure 1.6T 1.6T --plan "$home/tests/fabric/demo.plan" --tier 1.6T || exit 1
judge 1.6T
say "the same with 400 Mb/s each (3.2 Tb/s at 1:1000)"
measure 3.2T 3.2T --plan "$home/tests/fabric/demo.plan" --tier 3.2T || exit 1
judge 3.2T
say "what the faster network gives, beside what it should give"
"$build/busbar" tiers "$folder/1.6T" "$folder/3.2T" --step-bytes 14e6 | tee "$folder/tiers"
say "MPI's own all_reduce, told by UCX_NET_DEVICES to use eth0: it works, and says nothing"
UCX_NET_DEVICES=eth0 measure misroute 3.2T --backend mpi -b 256K -e 256K -n 4 -w 1 || exit 1
grep -E '^ +[0-9]' "$folder/misroute/log"
judge misroute
misrouted=$?
"$home/launch/plot.sh" "$folder" "$folder/1.6T" "$folder/3.2T" && printf '\nplot     %s\n' "$folder/busbw.svg"
printf 'runs     %s\n' "$folder"
[ "$misrouted" -ne 0 ]
