# helper.bash - what the command line tests share. BUILD is the folder with the programs (default: build).

BUILD=${BUILD:-build}
SUFFIX=${NAME_SUFFIX:-}

setup() {
	unset NCCL_TESTS_DEVICE NCCL_TESTS_SPLIT NCCL_TESTS_SPLIT_MASK NCCL_TESTS_MIN_BW NCCL_SOCKET_IFNAME
}

# ranks N COLLECTIVE [OPTIONS]: N ranks as threads of one process; with RANKS_BY=mpi as processes under mpirun.
ranks() {
	local n=$1 program=$BUILD/$2_perf$SUFFIX
	shift 2
	if [ "${RANKS_BY:-}" = mpi ]; then
		timeout 60 mpirun -n "$n" "$program" "$@"
	else
		timeout 60 "$program" -t "$n" "$@"
	fi
}

# under_mpi N COLLECTIVE [OPTIONS]; skips the test in a build without MPI.
under_mpi() {
	RANKS_BY=mpi ranks "$@"
}

needs_mpi() {
	command -v mpirun >/dev/null || skip "no mpirun"
	if "$BUILD/all_reduce_perf$SUFFIX" --list | grep -q '^bootstrap *mpi .*built without'; then
		skip "built without MPI"
	fi
}

# refute COMMAND: fails when the command succeeds; a bare "!" would be ignored in the middle of a test.
refute() {
	! "$@"
}

# mask: what differs from run to run becomes letters; widths stay, so a column that moves shows.
mask() {
	awk -v suffix="$SUFFIX" '
	/^# Collective test/ { sub(suffix "$", "") }
	/^#  Rank/ {
		sub(/Pid +[0-9]+ on +[^ ]+ device/, "Pid PID on HOST device")
		sub(/\[[0-9a-f:]+\] .*/, "[DEVICE] NAME")
	}
	/^# busbar/ { sub(/run: [0-9a-f]+/, "run: ID"); sub(/^# busbar [^ ]+/, "# busbar VERSION") }
	/^# Avg bus bandwidth/ { sub(/: [0-9.e+-]+ /, ": NUMBER ") }
	/i_min/ { extra = 36 } # -I: four more columns a placement
	/^ *[0-9]/ {
		at = 53
		for (placement = 0; placement < 2; placement++) {
			if (substr($0, at, 25) ~ /^  [ 0-9.e+-]+  [ 0-9.e+-]+  [ 0-9.e+-]+$/)
				$0 = substr($0, 1, at - 1) "  timetim  algbwa  busbwb" substr($0, at + 25)
			at += substr($0, at + 25, 7) == "    N/A" ? 32 : 33
			if (extra && substr($0, at, extra) ~ /^(  [ 0-9.e+-]+)+$/)
				$0 = substr($0, 1, at - 1) "  iminimi  imaximi  ip99ip9  icvicvi" substr($0, at + extra)
			at += extra
		}
	}
	/[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9] [0-9][0-9]:[0-9][0-9]:[0-9][0-9]$/ {
		$0 = substr($0, 1, length($0) - 19) "YYYY-MM-DD HH:MM:SS"
	}
	{ print }'
}

# golden NAME: standard input, masked, must be tests/golden/NAME.txt byte for byte.
golden() {
	diff -u "$BATS_TEST_DIRNAME/../golden/$1.txt" <(mask)
}
