#!/bin/sh
# run.sh - the front door: carries out a plan and leaves a run behind that can be judged.
#
#   launch/run.sh [-n RANKS] [-o FOLDER] [-H HOSTS] PLAN [OPTION...]
#
# Under Slurm (SLURM_JOB_ID) the ranks are started by srun, else by mpirun, else as threads of one process. Further options go to the
# benchmark, over those of each line of the plan's command line. The folder gets plan, facts, log, raw.csv, summary.csv, verdict and
# plots; every finished row is on disk, whatever happens next. Exit code: the benchmark's, else the verdict's; 128 + the signal
# when stopped.
set -u

home=$(cd "$(dirname "$0")/.." && pwd) || exit 2
build=${BUILD:-$home/build}
case $build in /*) ;; *) build=$home/$build ;; esac

stop() {
	printf 'run.sh: %s\n' "$1" >&2
	exit 2
}

usage() {
	sed -n 's/^# \{0,1\}//; 2,10p' "$0"
	exit "$1"
}

ranks='' folder='' hosts=''
while getopts n:o:H:h option; do
	case $option in
	n) ranks=$OPTARG ;;
	o) folder=$OPTARG ;;
	H) hosts=$OPTARG ;;
	h) usage 0 ;;
	*) usage 2 >&2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] || usage 2 >&2
plan=$1
shift
[ -f "$plan" ] || stop "there is no plan '$plan'; plans that come with the suite are in launch/plans"
case ${ranks:-1} in *[!0-9]* | 0) stop "'$ranks' is no number of ranks; give -n a number of 1 or more" ;; esac
program=$build/all_reduce_perf${NAME_SUFFIX:-}
[ -x "$program" ] || stop "'$program' is not built; run make first"

name=$(basename "$plan" .plan)
folder=${folder:-$home/results/runs/$(date -u +%Y%m%dT%H%M%SZ)_$(uname -n | cut -d. -f1)_$name}
[ -e "$folder" ] && ours=no || ours=yes
mkdir -p "$folder" || stop "cannot make folder '$folder'"
[ ! -e "$folder/summary.csv" ] || stop "'$folder' holds a run already; give -o another folder"
cp "$plan" "$folder/plan" || stop "cannot write to '$folder'"

# The command becomes one through whatever starts ranks here. It is started without a shell between, so that a signal reaches it.
set -- "$program" --plan "$folder/plan" --csv "$folder" "$@"
if [ -n "${SLURM_JOB_ID:-}" ]; then
	set -- srun ${ranks:+-n "$ranks"} --mpi="${SLURM_MPI_TYPE:-pmi2}" "$@"
elif [ -n "$hosts" ]; then
	set -- mpirun -n "${ranks:-1}" -hosts "$hosts" "$@"
elif [ "${ranks:-1}" -gt 1 ] && command -v mpirun >/dev/null && ! "$program" --list | grep -q '^bootstrap *mpi *no *built without'; then
	set -- mpirun -n "$ranks" "$@"
else
	set -- "$@" -t "${ranks:-1}"
fi

# interrupted NUMBER: of the signal.
# shellcheck disable=SC2317 # traps call it
interrupted() {
	trap '' HUP INT TERM
	kill "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	[ -s "$folder/errors" ] || rm -f "$folder/errors"
	echo "run.sh: stopped; what was finished is in $folder" >&2
	exit $((128 + $1))
}

cases=$(grep -cvE '^[[:space:]]*(#|$)' "$plan")
started=$(date +%s)
"$@" >"$folder/log" 2>"$folder/errors" </dev/null &
pid=$!
trap 'interrupted 1' HUP
trap 'interrupted 2' INT
trap 'interrupted 15' TERM

# A progress line on a terminal, nothing in a pipe.
while kill -0 "$pid" 2>/dev/null; do
	if [ -t 2 ]; then
		done_cases=$(grep -c '^# Collective test concluded' "$folder/log")
		now=$(sed -n 's/^# Collective test starting: \([a-z_]*\)_perf.*/\1/p' "$folder/log" | tail -n 1)
		spent=$(($(date +%s) - started))
		left=''
		[ "$done_cases" -gt 0 ] && left=", about $(((cases - done_cases) * spent / done_cases)) s left"
		printf '\r\033[K[%d/%d] %s  %d s%s' "$done_cases" "$cases" "${now:-starting}" "$spent" "$left" >&2
	fi
	sleep 0.2
done
wait "$pid"
code=$?
trap - HUP INT TERM
[ ! -t 2 ] || printf '\r\033[K' >&2
[ -s "$folder/errors" ] && cat "$folder/errors" >&2
[ -s "$folder/errors" ] || rm -f "$folder/errors"

if [ "$(wc -l 2>/dev/null <"$folder/summary.csv" || echo 0)" -lt 2 ]; then
	case $code in
	5 | 6 | 255) # the command was wrong, and has been told so: no folder is left of that
		[ "$ours" = no ] || rm -r "$folder"
		echo "run.sh: nothing was measured (exit code $code)" >&2
		;;
	*) echo "run.sh: nothing was measured (exit code $code); see $folder/log" >&2 ;;
	esac
	[ "$code" -ne 0 ] || code=1
	exit "$code"
fi
"$home/launch/facts.sh" >>"$folder/facts"
"$build/busbar" verdict "$folder" >"$folder/verdict"
verdict=$?
cat "$folder/verdict"
"$home/launch/plot.sh" "$folder" || echo "run.sh: no plot; see above" >&2
printf '\nrun      %s\n' "$folder"
for file in summary.csv raw.csv verdict log busbw.svg busbw.png; do
	[ -e "$folder/$file" ] && printf '         %s\n' "$file"
done
printf 'next     %s verdict --help\n         or the same plan on more hosts: launch/run.sh -n RANKS -H HOST,HOST %s\n' "$build/busbar" "$plan"
[ "$code" -ne 0 ] && exit "$code"
exit "$verdict"
