#!/bin/sh
# fabric.sh - a small cluster of namespaces on this machine: nodes with a slow management interface (eth0) and one or
# more fast, rate-limited ones (ens1..ensK), each rail a bridge and a network of its own.
#
#   fabric.sh up PROFILE              builds it; the profiles are in the file of that name
#   fabric.sh down                    removes it, and ends what still runs in it
#   fabric.sh with PROFILE CMD...     up, CMD, down, whatever happens to CMD
#   fabric.sh run NODE CMD...         runs CMD in a node, in the same directory
#   fabric.sh mpirun ARG...           mpirun from node-0; one rank a node unless told otherwise
#   fabric.sh fault NODE IFACE WHAT   slow MBIT | toward NODE MBIT | off | on | unplug | plug | mtu BYTES | mend |
#                                     address CIDR | drop | reject | open (TCP, by firewall) | ports LOW HIGH | v6
#   fabric.sh iperf ring|pair [S] [IFACE]   what iperf3 gets: "FROM TO MBIT" a flow, all flows at once
#   fabric.sh counters                bytes so far: "NODE IFACE TX RX"
#   fabric.sh check                   can it be built here? 77 and the reason when not
#
# FABRIC names the bed (default "busbar"): several can stand side by side, each in namespaces of its own, none of
# which has a name that others see. A node is a process that sleeps; when it ends, its namespaces, interfaces and
# limits go with it, so nothing can be left behind but processes, and those are on record with their start time.
# FABRIC_OWNER is a process: when it ends, so does the bed, with all that runs in it.
#
# htb and not tbf: it sends a large (GSO) packet whole and pays later, where tbf cuts it up in software at two to three
# times the CPU. After an idle moment one such packet passes free, so bandwidths below 64 KiB a message are not the
# limiter's.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
bed=${FABRIC:-busbar}
state=/run/busbar-fabric/$bed
mtu=9000
queue_bytes=1048576

die() {
	echo "fabric.sh: $*" >&2
	exit 1
}

skip() {
	echo "fabric.sh: $*" >&2
	exit 77
}

# --- processes on record ---

started() { # PID: its start time, nothing when there is no such process
	sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20
}

alive() { # FILE: does the process that it records still run? Sets $pid.
	pid=0
	[ -s "$1" ] && read -r pid since <"$1" && [ "$(started "$pid")" = "$since" ]
}

pid_of() { # NODE: the process that holds it
	[ -d "$state" ] || die "no fabric '$bed' is up; fabric.sh up PROFILE"
	alive "$state/pid.$1" || die "fabric '$bed' has no node '$1'"
	echo "$pid"
}

hold() { # NAME SCRIPT: a process in namespaces of its own that runs SCRIPT and then sleeps
	# shellcheck disable=SC2016
	setsid unshare --net --uts --ipc --mount --propagation private -- sh -ec '
		echo "$$ $(sed "s/.*) //" /proc/$$/stat | cut -d " " -f 20)" >"$2/pid.$1"
		ip link set lo up
		eval "$3"
		: >"$2/ready.$1"
		[ "$4" -gt 0 ] || exec sleep infinity
		tail --pid="$4" -f /dev/null
		find /proc/[0-9]*/ns/net -lname "$(readlink /proc/$$/ns/net | tr "[]" "??")" 2>/dev/null |
			cut -d / -f 3 | grep -vx $$ | xargs -r kill -KILL
	' sh "$1" "$state" "$2" "${FABRIC_OWNER:-0}" </dev/null >/dev/null 2>"$state/log.$1" &
}

await() { # NAME...
	for name; do
		tries=0
		until [ -e "$state/ready.$name" ]; do
			tries=$((tries + 1))
			[ $tries -lt 500 ] || die "cannot make '$name': $(cat "$state/log.$name")"
			sleep 0.01
		done
	done
}

# --- building ---

# shellcheck disable=SC2016
node_script='
	hostname "$1"
	mount -t sysfs sysfs /sys
	mount -t tmpfs tmpfs /dev/shm
	mount --bind "$2/hosts" /etc/hosts
	sysctl -qw net.ipv4.tcp_congestion_control=reno net.ipv4.tcp_limit_output_bytes=131072 \
		net.ipv4.tcp_slow_start_after_idle=0 net.ipv4.tcp_no_metrics_save=1 \
		net.ipv4.conf.all.arp_ignore=1 net.ipv6.conf.default.accept_dad=0 net.ipv6.conf.all.accept_dad=0
'

in_net() { # NODE CMD...: in its network only, with this machine's files
	_pid=$(pid_of "$1")
	shift
	nsenter -t "$_pid" -n -- "$@"
}

limit() { # INTERFACE KBIT: tc lines that put a limit on what leaves it
	printf 'qdisc add dev %s root handle 1: htb default 1\n' "$1"
	printf 'class add dev %s parent 1: classid 1:1 htb rate %dkbit ceil %dkbit burst 4096 cburst 4096 quantum 65536\n' \
		"$1" "$2" "$2"
	printf 'qdisc add dev %s parent 1:1 bfifo limit %d\n' "$1" "$queue_bytes"
}

shape() { # NODE IFACE KBIT: both directions
	for at in "$1 $2" "switch ${1#node-}-$2"; do
		in_net "${at% *}" tc qdisc del dev "${at#* }" root
		limit "${at#* }" "$3" | in_net "${at% *}" tc -batch -
	done
}

rail_kbit() { # IFACE
	if [ "$1" = eth0 ]; then
		echo $((management * 1000))
	else
		echo $((rate * 1000 / rails))
	fi
}

address() { # NODE-NUMBER RAIL (0: management)
	if [ "$2" -eq 0 ]; then
		echo "172.16.0.$(($1 + 1))"
	else
		echo "10.65.$2.$(($1 + 1))"
	fi
}

interfaces() {
	echo eth0
	for k in $(seq "$rails"); do echo "ens$k"; done
}

numbers() {
	seq 0 $((nodes - 1))
}

hosts_file() {
	echo '127.0.0.1 localhost'
	for i in $(numbers); do
		echo "$(address "$i" 0) node-$i"
		for k in $(seq "$rails"); do echo "$(address "$i" "$k") node-$i-ens$k"; done
	done
}

bridges() { # ip lines for the switch
	for i in $(interfaces); do
		echo "link add br-$i type bridge stp_state 0 forward_delay 0 mcast_snooping 0"
		echo "link set br-$i mtu $([ "$i" = eth0 ] && echo 1500 || echo $mtu) up"
	done
}

cables() { # NODE-NUMBER: ip lines for the switch
	_pid=$(pid_of "node-$1")
	for i in $(interfaces); do
		m=$([ "$i" = eth0 ] && echo 1500 || echo $mtu)
		echo "link add $1-$i mtu $m type veth peer name $i netns $_pid mtu $m"
		echo "link set $1-$i master br-$i up"
	done
}

addresses() { # NODE-NUMBER: ip lines for the node
	k=0
	for i in $(interfaces); do
		echo "addr add $(address "$1" $k)/24 dev $i"
		echo "link set $i up"
		k=$((k + 1))
	done
}

limits() { # NODE-NUMBER PREFIX: tc lines for its interfaces, or for their ports on the switch
	for i in $(interfaces); do limit "$2$i" "$(rail_kbit "$i")"; done
}

read_profile() { # NAME: sets nodes, rails, rate, management, faults
	line=$(sed 's/#.*//' "$here/profiles" | grep -E "^$1[[:space:]]") ||
		die "no profile '$1'; there are $(sed 's/#.*//' "$here/profiles" | awk 'NF { printf "%s%s", s, $1; s = " " }')"
	# shellcheck disable=SC2086
	set -- $line
	nodes=${FABRIC_NODES:-$2} rails=$3 rate=$4 management=$5
	shift 5
	faults=$*
}

load() {
	[ -r "$state/config" ] || die "no fabric '$bed' is up; fabric.sh up PROFILE"
	# shellcheck disable=SC1091
	. "$state/config"
}

can_be_built() {
	[ "$(id -u)" -eq 0 ] || skip "needs root for network namespaces"
	for tool in ip tc unshare nsenter sysctl setsid; do
		command -v "$tool" >/dev/null || skip "needs '$tool' (apt-get install iproute2 util-linux procps)"
	done
	unshare --net -- sh -ec '
		ip link add test1 type veth peer name test2
		ip link add test0 type bridge
		tc qdisc add dev test1 root handle 1: htb default 1
	' 2>/dev/null || skip "this kernel or container has no network namespaces with veth, bridge and htb"
}

# A fabric of this name that is up is left alone, unless its owner is gone. One that was begun and never finished,
# or whose processes have ended, is swept away: its files say that it was made here.
claim() {
	mkdir -p "${state%/*}"
	if mkdir "$state" 2>/dev/null; then
		return
	fi
	[ -e "$state/made-by-fabric.sh" ] || die "'$state' is not of this script's making; remove it or choose another FABRIC"
	if alive "$state/maker"; then die "fabric '$bed' is being built by process $pid; choose another FABRIC"; fi
	if [ -e "$state/config" ] && { [ ! -e "$state/owner" ] || alive "$state/owner"; } && alive "$state/pid.switch"; then
		die "fabric '$bed' is up ($(cat "$state/profile")); fabric.sh down first, or choose another FABRIC"
	fi
	sweep
	mkdir "$state"
}

up() {
	can_be_built
	read_profile "$1"
	claim
	: >"$state/made-by-fabric.sh"
	echo "$$ $(started $$)" >"$state/maker"
	trap sweep EXIT
	trap 'exit 1' HUP INT TERM
	echo "$1" >"$state/profile"
	if [ -n "${FABRIC_OWNER:-}" ]; then echo "$FABRIC_OWNER $(started "$FABRIC_OWNER")" >"$state/owner"; fi
	hosts_file >"$state/hosts"
	for i in $(numbers); do echo "node-$i"; done >"$state/hostfile"
	hold switch ''
	for i in $(numbers); do hold "node-$i" "$node_script"; done
	# shellcheck disable=SC2046
	await switch $(cat "$state/hostfile")
	{
		bridges
		for i in $(numbers); do cables "$i"; done
	} | in_net switch ip -batch -
	for i in $(numbers); do limits "$i" "$i-"; done | in_net switch tc -batch -
	for i in $(numbers); do
		addresses "$i" | in_net "node-$i" ip -batch -
		limits "$i" '' | in_net "node-$i" tc -batch -
	done
	printf 'nodes=%d rails=%d rate=%d management=%d\n' "$nodes" "$rails" "$rate" "$management" >"$state/config"
	for f in $faults; do
		# shellcheck disable=SC2046
		fault $(echo "$f" | tr / ' ')
	done
	rm "$state/maker"
	trap - EXIT HUP INT TERM
}

# --- breaking things ---

fault() { # NODE IFACE WHAT [VALUE...]
	[ $# -ge 3 ] || die "usage: fabric.sh fault NODE IFACE WHAT [VALUE...]"
	if [ "$1" = all ]; then
		shift
		# shellcheck disable=SC2013
		for n in $(cat "$state/hostfile"); do fault "$n" "$@"; done
		return
	fi
	node=$1 dev=$2 what=$3
	port=${node#node-}-$dev
	shift 3
	case $what in
	slow) shape "$node" "$dev" "$(($1 * 1000))" ;;
	toward)
		in_net "$node" tc class add dev "$dev" parent 1: classid 1:2 htb rate "$2mbit" burst 4096 quantum 65536
		in_net "$node" tc qdisc add dev "$dev" parent 1:2 bfifo limit "$queue_bytes"
		in_net "$node" tc filter add dev "$dev" parent 1: protocol ip u32 \
			match ip dst "$(address "${1#node-}" "${dev#ens}")/32" flowid 1:2
		;;
	off) in_net "$node" ip link set "$dev" down ;;
	on) in_net "$node" ip link set "$dev" up ;;
	unplug) in_net switch ip link set "$port" down ;;
	plug) in_net switch ip link set "$port" up ;;
	mtu) in_net "$node" ip link set "$dev" mtu "$1" ;;
	address)
		in_net "$node" ip addr flush dev "$dev"
		in_net "$node" ip addr add "$1" dev "$dev"
		;;
	v6)
		in_net "$node" ip addr flush dev "$dev"
		in_net "$node" ip addr add "fd65:${dev#ens}::$((${node#node-} + 1))/64" dev "$dev" nodad
		;;
	drop) in_net "$node" iptables-legacy -I INPUT -i "$dev" -p tcp --syn -j DROP ;;
	reject) in_net "$node" iptables-legacy -I INPUT -i "$dev" -p tcp --syn -j REJECT --reject-with tcp-reset ;;
	open) in_net "$node" iptables-legacy -F INPUT ;;
	ports) run "$node" sysctl -qw "net.ipv4.ip_local_port_range=$1 $2" ;;
	mend)
		in_net switch ip link set "$port" up
		in_net "$node" ip link set "$dev" up mtu $mtu
		shape "$node" "$dev" "$(rail_kbit "$dev")"
		;;
	*) die "no fault '$what'; see the head of this file" ;;
	esac
}

# --- using it ---

run() { # NODE CMD...
	_pid=$(pid_of "$1")
	shift
	# entering a mount namespace leads to /, hence the cd
	# shellcheck disable=SC2016
	nsenter -t "$_pid" -n -u -i -m -- sh -c 'cd "$0" 2>/dev/null || cd /; exec "$@"' "$PWD" "$@"
}

# What stands in for ssh: options are passed over, the words are joined and given to a shell, the environment stays.
ssh_to() {
	while [ $# -gt 0 ]; do
		case $1 in
		-[bcDEeFIiJLlmOopQRSWw]) shift 2 ;;
		-*) shift ;;
		*) break ;;
		esac
	done
	node=$1
	shift
	run "$node" env -i HOME="${HOME:-/root}" FABRIC="$bed" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		sh -c "$*"
}

mpi() {
	rail_list=$(interfaces | grep -v eth0 | paste -sd ,)
	HYDRA_LAUNCHER=ssh HYDRA_LAUNCHER_EXEC=$here/ssh HYDRA_HOST_FILE=$state/hostfile FABRIC=$bed \
		UCX_TLS=${UCX_TLS-tcp,self} UCX_NET_DEVICES=${UCX_NET_DEVICES-$rail_list} UCX_WARN_UNUSED_ENV_VARS=n \
		run node-0 mpirun "$@"
}

flows() {
	case $1 in
	pair) echo "0 1" ;;
	ring) for i in $(numbers); do echo "$i $(((i + 1) % nodes))"; done ;;
	*) die "iperf ring or iperf pair" ;;
	esac
}

iperf() { # WHAT [SECONDS] [IFACE]
	secs=${2:-3} dev=${3:-ens1}
	out=$(mktemp -d)
	flows "${1:-ring}" >"$out/flows"
	while read -r from to; do
		run "node-$to" timeout $((secs + 10)) iperf3 -s -1 -p $((5300 + from)) >/dev/null 2>&1 &
	done <"$out/flows"
	sleep 0.5
	while read -r from to; do
		target=node-$to-$dev
		[ "$dev" != eth0 ] || target=node-$to
		run "node-$from" timeout $((secs + 8)) iperf3 -J -O 1 -t "$secs" -c "$target" -p $((5300 + from)) \
			>"$out/$from.$to" 2>&1 &
	done <"$out/flows"
	wait
	while read -r from to; do
		tr -d ' \t\n' <"$out/$from.$to" |
			sed -n 's/.*"sum_received":{[^}]*"bits_per_second":\([0-9.e+]*\).*/\1/p' |
			awk -v f="node-$from" -v t="node-$to" '{ printf "%s %s %.2f\n", f, t, $1 / 1e6 }'
	done <"$out/flows"
	rm -r "$out"
}

counters() {
	for i in $(numbers); do
		# shellcheck disable=SC2016
		run "node-$i" awk -v n="node-$i" 'NR > 2 { sub(/:/, " "); print n, $1, $10, $2 }' /proc/net/dev
	done
}

# --- taking it away ---

guests() { # processes in our namespaces, holders apart
	for f in "$state"/pid.*; do
		alive "$f" || continue
		find /proc/[0-9]*/ns/net -lname "$(readlink "/proc/$pid/ns/net" | tr '[]' '??')" 2>/dev/null |
			cut -d / -f 3 | grep -vx "$pid" || true
	done
}

sweep() {
	for signal in TERM KILL; do
		tries=0
		left=$(guests)
		# shellcheck disable=SC2086
		[ -z "$left" ] || kill -s $signal $left 2>/dev/null || true
		while [ -n "$(guests)" ] && [ $tries -lt 20 ]; do
			sleep 0.05
			tries=$((tries + 1))
		done
	done
	for f in "$state"/pid.*; do
		if alive "$f"; then kill "$pid" 2>/dev/null || true; fi
	done
	rm -rf "${state:?}"
}

down() {
	[ -d "$state" ] || return 0
	[ -e "$state/made-by-fabric.sh" ] || die "'$state' is not of this script's making"
	sweep
}

with() { # PROFILE CMD...
	FABRIC_OWNER=$$
	up "$1"
	shift
	trap down EXIT
	trap 'exit 130' INT
	trap 'exit 143' HUP TERM
	rc=0
	FABRIC=$bed "$@" || rc=$?
	exit "$rc"
}

[ $# -ge 1 ] || die "usage: see the head of this file"
command=$1
shift
case $command in
up) up "${1:?a profile}" ;;
down) down ;;
with) with "$@" ;;
check) can_be_built ;;
run) run "$@" ;;
ssh) ssh_to "$@" ;;
mpirun) load && mpi "$@" ;;
fault) load && fault "$@" ;;
iperf) load && iperf "$@" ;;
counters) load && counters ;;
*) die "no command '$command'; see the head of this file" ;;
esac
