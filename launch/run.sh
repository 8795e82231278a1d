#!/bin/sh
# run.sh - the front door: carries out a plan and leaves a run behind that can be judged.
#
#   launch/run.sh [-n RANKS] [-o FOLDER] [-H HOSTS] PLAN [OPTION...]
#
# Under Slurm (SLURM_JOB_ID) the ranks are started by srun, else by mpirun, else as threads of one process. Further options go to the
# benchmark, over those of each line of the plan's command line. The folder gets plan, facts, log, raw.csv, summary.csv, verdict and
# plots; every finished row is on disk, whatever happens next. Exit code: the benchmark's, else the verdict's.
set -u

home=$(cd "$(dirname "$0")/.." && pwd) || exit 2
build=${BUILD:-$home/build}
case $build in /*) ;; *) build=$home/$build ;; esac

stop() {
	printf 'run.sh: %s\n' "$1" >&2
	exit 2
}

usage() {
	sed -n 's/^# \{0,1\}//; 2,9p' "$0"
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
mkdir -p "$folder" || stop "cannot make folder '$folder'"
[ ! -e "$folder/summary.csv" ] || stop "'$folder' holds a run already; give -o another folder"
cp "$plan" "$folder/plan" || stop "cannot write to '$folder'"

# launch PROGRAM OPTIONS...: through whatever starts ranks here.
launch() {
	if [ -n "${SLURM_JOB_ID:-}" ]; then
		srun ${ranks:+-n "$ranks"} --mpi="${SLURM_MPI_TYPE:-pmi2}" "$@"
	elif [ -n "$hosts" ]; then
		mpirun -n "${ranks:-1}" -hosts "$hosts" "$@"
	elif [ "${ranks:-1}" -gt 1 ] && command -v mpirun >/dev/null && ! "$program" --list | grep -q '^bootstrap *mpi *no *built without'; then
		mpirun -n "$ranks" "$@"
	else
		"$@" -t "${ranks:-1}"
	fi
}

cases=$(grep -cvE '^[[:space:]]*(#|$)' "$plan")
started=$(date +%s)
launch "$program" --plan "$folder/plan" --csv "$folder" "$@" >"$folder/log" 2>"$folder/errors" </dev/null &
pid=$!
trap 'kill "$pid" 2>/dev/null; wait "$pid"; echo "run.sh: stopped; what was finished is in $folder" >&2; exit 130' INT TERM

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
trap - INT TERM
[ ! -t 2 ] || printf '\r\033[K' >&2
[ -s "$folder/errors" ] && cat "$folder/errors" >&2
[ -s "$folder/errors" ] || rm -f "$folder/errors"
"$home/launch/facts.sh" >>"$folder/facts"

if [ ! -s "$folder/summary.csv" ]; then
	echo "run.sh: nothing was measured (exit code $code); see $folder/log" >&2
	exit "$code"
fi
"$build/busbar" verdict "$folder" >"$folder/verdict"
verdict=$?
cat "$folder/verdict"
"$home/launch/plot.sh" "$folder" || echo "run.sh: no plot; see above" >&2
printf '\nrun      %s\n' "$folder"
for file in summary.csv raw.csv verdict log busbw.svg; do
	[ -e "$folder/$file" ] && printf '         %s\n' "$file"
done
printf 'next     %s verdict --help   or the same plan on more hosts: launch/run.sh -n RANKS -H HOST,HOST %s\n' "busbar" "$plan"
[ "$code" -ne 0 ] && exit "$code"
exit "$verdict"
