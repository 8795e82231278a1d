#!/bin/sh
# config.sh - what can this build use? Compiles and links one small program per library and prints config.mk.
# It decides nothing else and writes nothing but standard output and a temporary folder of its own.
#
# In:  CC, WITH_<feature>=auto|yes|no, CUDA_HOME, NCCL_HOME, MPI_HOME
# Out: HAVE_X := 1, CPPFLAGS_X, LIBS_X for make; "# ..." lines for people (make config prints them)
set -eu

: "${CC:=gcc}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

die() {
	printf 'config: %s\n' "$*" >&2
	exit 1
}

# links CPPFLAGS LIBS HEADER CALL: does a program that includes HEADER and contains CALL compile and link?
links() {
	printf '#include <%s>\nint main(void)\n{\n\t(void)(%s);\n\treturn 0;\n}\n' "$3" "$4" >"$dir/probe.c"
	# shellcheck disable=SC2086 # compiler, flags and libraries are lists of words
	$CC $1 "$dir/probe.c" -o "$dir/probe" $2 >"$dir/log" 2>&1
}

found() { # FEATURE CPPFLAGS LIBS
	printf '# %-8s yes   %s\nHAVE_%s := 1\nCPPFLAGS_%s := %s\nLIBS_%s := %s\n' "$1" "$3" "$1" "$1" "$2" "$1" "$3"
}

# feature NAME CPPFLAGS LIBS HEADER CALL REMEDY: an optional library, as WITH_NAME asks
feature() {
	want=
	eval "want=\${WITH_$1:-auto}"
	case $want in
	no) printf '# %-8s no    switched off by WITH_%s=no\n' "$1" "$1" ;;
	auto | yes)
		if links "$2" "$3" "$4" "$5"; then
			found "$1" "$2" "$3"
		elif [ "$want" = yes ]; then
			die "WITH_$1=yes, but a program with <$4> and '$3' does not build: $(head -n 1 "$dir/log"); $6"
		else
			printf '# %-8s no    <%s> with %s does not build: %s\n' "$1" "$4" "$3" "$6"
		fi
		;;
	*) die "WITH_$1='$want' is none of auto, yes, no" ;;
	esac
}

# needed NAME CPPFLAGS LIBS HEADER CALL: a library without which nothing is built
needed() {
	links "$2" "$3" "$4" "$5" || die "<$4> with '$3' does not build: $(head -n 1 "$dir/log"); 'make deps' installs it"
	found "$1" "$2" "$3"
}

# The words of an MPI compiler wrapper that say where MPI is; its optimisation and warning flags are not wanted.
mpi_words() { # PATTERN...
	for word in $mpi_line; do
		for pattern; do
			# shellcheck disable=SC2254 # the pattern is meant as one
			case $word in $pattern) printf '%s ' "$word" ;; esac
		done
	done
}

command -v "${CC%% *}" >/dev/null || die "no C compiler '$CC': 'make deps' installs gcc, or name one with CC="

mpicc=${MPI_HOME:+$MPI_HOME/bin/}mpicc
mpi_line=$("$mpicc" -show 2>/dev/null || pkg-config --cflags --libs mpich 2>/dev/null || echo -lmpi)
feature MPI "$(mpi_words '-I*' | sed 's/-I/-isystem /g')" "$(mpi_words '-L*' '-l*' '-Wl,-rpath*')" mpi.h 'MPI_Init(0, 0)' \
	"'make deps' installs MPICH, or put mpicc in PATH or set MPI_HOME"
feature HWLOC '' -lhwloc hwloc.h 'hwloc_get_api_version()' "'make deps' installs hwloc"
feature PAPI '' -lpapi papi.h 'PAPI_is_initialized()' "'make deps' installs PAPI"
feature VERBS '' -libverbs infiniband/verbs.h 'ibv_get_device_list(0)' 'install libibverbs-dev or rdma-core-devel'

cuda=${CUDA_HOME:-/usr/local/cuda}
nccl=${NCCL_HOME:+-L$NCCL_HOME/lib -Wl,-rpath,$NCCL_HOME/lib }
feature CUDA "-isystem $cuda/include" "-L$cuda/lib64 -Wl,-rpath,$cuda/lib64 -lcudart" cuda_runtime.h 'cudaDeviceSynchronize()' \
	'set CUDA_HOME to where include/cuda_runtime.h is'
feature NCCL "-isystem $cuda/include${NCCL_HOME:+ -isystem $NCCL_HOME/include}" "${nccl}-lnccl" nccl.h 'ncclGetVersion(0)' \
	'set NCCL_HOME to where include/nccl.h is, and CUDA_HOME'

needed JANSSON '' -ljansson jansson.h 'json_object()'
needed CSV '' -lcsv csv.h 'csv_strerror(0)'
needed GSL '' '-lgsl -lgslcblas' gsl/gsl_cdf.h 'gsl_cdf_ugaussian_P(0)'
