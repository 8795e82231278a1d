#!/bin/sh
# deps.sh - installs what the suite is built, run and tested with, where the packages' names are known; else names them.
# Does nothing when everything is there.
set -eu

debian='gcc make pkg-config mpich libmpich-dev libhwloc-dev libpapi-dev libjansson-dev libcsv-dev libgsl-dev
libcmocka-dev gnuplot-nox fonts-dejavu-core bats jq iproute2 iptables iperf3 procps
clang-format clang-tidy cppcheck shellcheck'
fedora='gcc make pkgconf mpich-devel hwloc-devel papi-devel jansson-devel libcsv-devel gsl-devel libcmocka-devel gnuplot bats jq
iproute iptables iperf3 procps-ng clang-tools-extra cppcheck ShellCheck'
other='mpich hwloc papi jansson libcsv gsl cmocka gnuplot bats jq'

if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
	missing=
	for package in $debian; do
		[ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null | cut -c1-2)" = ii ] || missing="$missing $package"
	done
	[ -n "$missing" ] || exit 0
	as_root=
	if [ "$(id -u)" -ne 0 ]; then
		command -v sudo >/dev/null || {
			echo "deps: become root, or install sudo, to install:$missing" >&2
			exit 1
		}
		as_root=sudo
	fi
	echo "deps: installing$missing"
	# shellcheck disable=SC2086 # lists of words
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update
	# shellcheck disable=SC2086
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends $missing >/dev/null
	exit 0
fi

{
	echo "deps: no apt-get here; install these and run make again:"
	if command -v dnf >/dev/null; then
		echo "  dnf install" "$fedora" | tr '\n' ' '
	elif command -v brew >/dev/null; then
		echo "  brew install $other"
	else
		echo "  spack install $other"
	fi
	echo
} >&2
exit 1
