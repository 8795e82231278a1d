# helper.bash - what the fabric tests share. BUILD is the folder with the programs (default: build).

# These tests measure: what else runs on the machine may disturb one, so a failed test gets two more tries.
BATS_TEST_RETRIES=2

BUILD=${BUILD:-build}

need_fabric() {
	local why tool
	why=$("$BATS_TEST_DIRNAME/fabric.sh" check 2>&1) || skip "$why"
	for tool in mpirun iperf3; do
		command -v "$tool" >/dev/null || skip "no $tool"
	done
}

fabric() {
	"$BATS_TEST_DIRNAME/fabric.sh" "$@"
}

# ranks N COLLECTIVE [OPTIONS]: one rank a node. Control traffic goes over eth0, so that what happens to ens1 is the
# transport's alone.
ranks() {
	local n=$1 program=$BUILD/$2_perf${NAME_SUFFIX:-}
	shift 2
	UCX_NET_DEVICES=${UCX_NET_DEVICES-eth0} timeout 60 "$BATS_TEST_DIRNAME/fabric.sh" mpirun -n "$n" "$program" "$@"
}

# within VALUE LOW HIGH
within() {
	awk -v v="$1" -v l="$2" -v h="$3" 'BEGIN { exit !(v != "" && v >= l && v <= h) }' || {
		echo "'$1' is not within $2 .. $3"
		return 1
	}
}

# column FILE NAME: the values of a csv column, one a line (no field of the file holds a comma)
column() {
	awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' "$1"
}

# refute COMMAND: fails when the command succeeds; a bare "!" would be ignored in the middle of a test.
refute() {
	! "$@"
}
