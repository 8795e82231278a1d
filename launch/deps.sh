#!/bin/sh
# deps.sh - installs what the project needs and this machine lacks. It asks the machine, not its package manager: a compiler
# from a module or a library under /usr/local counts. Nothing missing: nothing done, in a fraction of a second.
#
# usage: launch/deps.sh SET...      run (build and measure), test, lint
# apt-get installs, through sudo when not root; elsewhere the names for dnf, brew and spack are printed and it stops.
set -eu

# set  what is looked for     apt                dnf                   brew         spack
table='
run    cmd:gcc               gcc                gcc                   gcc          gcc
run    inc:stdlib.h          libc6-dev          glibc-devel           gcc          gcc
run    cmd:pkg-config        pkg-config         pkgconf-pkg-config    pkgconf      pkgconf
run    cmd:mpirun            mpich              mpich                 mpich        mpich
run    mpi:mpi.h             libmpich-dev       mpich-devel           mpich        mpich
run    inc:hwloc.h           libhwloc-dev       hwloc-devel           hwloc        hwloc
run    inc:papi.h            libpapi-dev        papi-devel            papi         papi
run    inc:jansson.h         libjansson-dev     jansson-devel         jansson      jansson
run    inc:csv.h             libcsv-dev         libcsv-devel          libcsv       libcsv
run    inc:gsl/gsl_cdf.h     libgsl-dev         gsl-devel             gsl          gsl
run    cmd:gnuplot           gnuplot-nox        gnuplot               gnuplot      gnuplot
run    font:dejavu           fonts-dejavu-core  dejavu-sans-fonts     -            -
test   inc:cmocka.h          libcmocka-dev      libcmocka-devel       cmocka       cmocka
test   cmd:bats              bats               bats                  bats-core    bats
test   cmd:ip                iproute2           iproute               -            iproute2
test   cmd:jq                jq                 jq                    jq           jq
test   cmd:ps                procps             procps-ng             -            procps
test   cmd:iptables          iptables           iptables              -            iptables
test   cmd:iperf3            iperf3             iperf3                iperf3       iperf3
lint   cmd:clang-tidy        clang-tidy         clang-tools-extra     llvm         llvm
lint   cmd:clang-format      clang-format       clang-tools-extra     clang-format llvm
lint   cmd:cppcheck          cppcheck           cppcheck              cppcheck     cppcheck
lint   cmd:shellcheck        shellcheck         ShellCheck            shellcheck   shellcheck
'

is_here() { # KIND:NAME
	case $1 in
	cmd:*) command -v "${1#cmd:}" >/dev/null ;;
	inc:*)
		printf '#include <%s>\n' stdarg.h stddef.h stdint.h stdio.h setjmp.h "${1#inc:}" |
			"${CC:-gcc}" -fsyntax-only -x c - 2>/dev/null
		;;
	mpi:*) [ "${WITH_MPI:-auto}" = no ] || command -v "${MPI_HOME:+$MPI_HOME/bin/}mpicc" >/dev/null ;;
	font:*) [ -d "/usr/share/fonts/truetype/${1#font:}" ] || ! command -v apt-get >/dev/null ;; # else a plot's taste
	esac
}

# missing COLUMN SET...: the names in one column of the table (1 apt, 2 dnf, 3 brew, 4 spack) for what is not here
missing() {
	column=$1
	shift
	sets=" $* "
	printf '%s' "$table" | while read -r set what names; do
		case $sets in *" $set "*) ;; *) continue ;; esac
		is_here "$what" && continue
		printf '%s\n' "$names" | awk -v column="$column" '$column != "-" { print $column }'
	done | sort -u | tr '\n' ' '
}

[ $# -gt 0 ] || {
	echo 'usage: launch/deps.sh run|test|lint...' >&2
	exit 2
}
packages=$(missing 1 "$@")
[ -n "$packages" ] || exit 0

if ! command -v apt-get >/dev/null; then
	cat >&2 <<-END
		deps: something is missing, and there is no apt-get here to install it. The packages, then run make again:
		  dnf install $(missing 2 "$@")
		  brew install $(missing 3 "$@")
		  spack install $(missing 4 "$@")
	END
	exit 1
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null || {
		echo "deps: not root and no sudo: as root run 'apt-get install ${packages% }', then make again" >&2
		exit 1
	}
	as_root=sudo
fi
echo "deps: installing ${packages% }"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
quietly() {
	"$@" >"$log" 2>&1 || {
		tail -n 20 "$log" >&2
		echo "deps: '$*' failed; the reason is above" >&2
		exit 1
	}
}
# shellcheck disable=SC2086 # a list of package names
install_all() {
	quietly $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 update
	quietly $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qy -o DPkg::Lock::Timeout=300 \
		install --no-install-recommends $packages
}
install_all
left=$(missing 1 "$@")
[ -z "$left" ] || {
	echo "deps: installed, but still not usable: ${left% }" >&2
	exit 1
}
