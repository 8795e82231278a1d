#!/usr/bin/env bats
# socket.bats - the socket transport between hosts: it fills the link, stays on the data interfaces, and says what is
# wrong when it cannot.

load helper

setup_file() {
	need_fabric
	export FABRIC=socket-$$
	fabric up tiny-2rails
}

teardown_file() {
	[ -z "${FABRIC:-}" ] || fabric down
}

setup() {
	unset NCCL_SOCKET_IFNAME
	csv=$BATS_TEST_TMPDIR/run
}

teardown() {
	for rail in ens1 ens2; do
		for node in 0 1; do
			fabric fault node-$node $rail mend
			fabric fault node-$node $rail address "10.65.${rail#ens}.$((node + 1))/24"
			fabric fault node-$node $rail open
		done
	done
	fabric fault node-1 ens1 ports 32768 60999
}

# busbw of the largest size, Mbit/s
mbit() {
	column "$1/summary.csv" busbw_gbs | tail -n 1 | awk '{ print $1 * 8000 }'
}

@test "a rail of 200 Mbit/s reads as what iperf3 gets on it" {
	run fabric iperf ring 2
	iperf=$(awk '{ s += $3 } END { print s / NR }' <<<"$output")
	for collective in sendrecv all_reduce alltoall; do
		ranks 2 $collective -b 8M -e 8M -n 5 -w 1 --ifname ens1 --csv "$csv-$collective"
		within "$(mbit "$csv-$collective")" "$(awk "BEGIN { print $iperf * 0.98 }")" 201
	done
}

@test "two rails carry half each, and together twice as much" {
	ranks 2 all_reduce -b 8M -e 8M -n 5 -w 1 -c 0 --csv "$csv"
	within "$(mbit "$csv")" 370 402
	a=$(column "$csv/summary.csv" interfaces | sed -n '1s/.*node-0\/ens1=\([0-9]*\).*/\1/p')
	b=$(column "$csv/summary.csv" interfaces | sed -n '1s/.*node-0\/ens2=\([0-9]*\).*/\1/p')
	within "$(awk "BEGIN { print $a / ($a + $b) }")" 0.45 0.55
}

@test "a slow rail carries less and does not hold the other up" {
	fabric fault node-1 ens2 slow 50
	ranks 2 sendrecv -b 8M -e 8M -n 5 -w 1 -c 0 --csv "$csv"
	within "$(mbit "$csv")" 230 252
}

@test "the counters agree with the model: never below, within 3% above" {
	ranks 2 all_reduce -b 8M -e 8M -n 3 -w 1 -c 0 --csv "$csv"
	paste -d ' ' <(column "$csv/summary.csv" tx_data_bytes) <(column "$csv/summary.csv" model_bytes) >"$BATS_TEST_TMPDIR/bytes"
	cat "$BATS_TEST_TMPDIR/bytes"
	[ -s "$BATS_TEST_TMPDIR/bytes" ]
	while read -r counted model; do
		within "$(awk "BEGIN { print $counted / $model }")" 1 1.03
	done <"$BATS_TEST_TMPDIR/bytes"
}

@test "data interfaces come before eth0, and a note says which would have been first" {
	run ranks 2 all_reduce -b 1M -e 1M -n 2 --csv "$csv"
	[ "$status" -eq 0 ]
	[[ "$output" == *"data goes over ens1 (10.65.1.1/24), ens2 (10.65.2.1/24), not over eth0 (172.16.0.1/24"* ]]
	[ "$(grep -c 'data goes over' <<<"$output")" -eq 1 ]
	run "$BUILD/busbar" verdict "$csv" --link 50MB/s
	[ "$status" -eq 0 ]
}

@test "a misroute to eth0 is found and named, for the ring and for MPI" {
	NCCL_SOCKET_IFNAME=eth0 ranks 2 all_reduce -b 1M -e 1M -n 2 --csv "$csv"
	run "$BUILD/busbar" verdict "$csv" --link 50MB/s
	[ "$status" -eq 1 ]
	[[ "$output" == *misroute*eth0* ]]
	UCX_NET_DEVICES=eth0 ranks 2 all_reduce --backend mpi -b 1M -e 1M -n 2 --csv "$csv-mpi"
	run "$BUILD/busbar" verdict "$csv-mpi" --link 50MB/s
	[ "$status" -eq 1 ]
	[[ "$output" == *misroute*eth0* ]]
}

@test "a name that matches nothing: the value, what there is, exit code 6" {
	run ranks 2 all_reduce -b 1M -e 1M -n 2 --ifname ens9
	[ "$status" -eq 6 ]
	[[ "$output" == *"'ens9'"*"matches nothing on host 'node-0'"*"ens1 (10.65.1.1/24)"*"eth0 (172.16.0.1/24, management)"* ]]
}

@test "an interface that is down on one node: that node and interface are named" {
	fabric fault node-1 ens1 off
	run ranks 2 all_reduce -b 1M -e 1M -n 2 --ifname ens1
	[ "$status" -eq 1 ]
	[[ "$output" == *"interface 'ens1' of host 'node-1' is down"* ]]
}

@test "one of two rails down on one node: the other carries all" {
	fabric fault node-1 ens1 off
	ranks 2 all_reduce -b 4M -e 4M -n 3 -w 1 -c 0 --csv "$csv"
	within "$(mbit "$csv")" 180 201
}

@test "disjoint networks: both are named, at once" {
	fabric fault node-1 ens1 address 10.66.1.2/24
	fabric fault node-1 ens2 address 10.66.2.2/24
	SECONDS=0
	run ranks 2 all_reduce -b 1M -e 1M -n 2
	[ "$status" -eq 1 ]
	[[ "$output" == *"10.65.1.1/24"*"10.66.1.2/24"*"not on one network"* ]]
	[ $SECONDS -le 14 ]
}

@test "disjoint networks are not joined through eth0, even where a route leads there" {
	fabric fault node-1 ens1 address 10.66.1.2/24
	fabric run node-0 ip route add 10.66.1.0/24 via 172.16.0.2
	run ranks 2 all_reduce -b 1M -e 1M -n 2 --ifname ens1
	fabric run node-0 ip route del 10.66.1.0/24
	[ "$status" -eq 1 ]
	[[ "$output" == *"not on one network"* ]]
}

@test "a firewall that drops: the address, and the firewall as a cause" {
	fabric fault node-1 ens1 drop
	run ranks 2 all_reduce -b 1M -e 1M -n 2 --ifname ens1
	[ "$status" -eq 1 ]
	[[ "$output" == *"rank 1 on 'node-1', 'ens1' (10.65.1.2/24"*"a firewall that drops packets"* ]]
}

@test "a firewall that rejects" {
	fabric fault node-1 ens1 reject
	run ranks 2 all_reduce -b 1M -e 1M -n 2 --ifname ens1
	[ "$status" -eq 1 ]
	[[ "$output" == *"rank 1 on 'node-1'"*"a firewall there rejects the port"* ]]
}

@test "all ports taken: says so" {
	fabric fault node-1 ens1 ports 45000 45000
	fabric run node-1 timeout 20 iperf3 -s -B 127.0.0.1 -p 45000 >/dev/null 2>&1 3>&- &
	sleep 0.5
	run fabric run node-1 timeout 20 "$BUILD/all_reduce_perf${NAME_SUFFIX:-}" -t 2 --transport socket -b 1M -e 1M
	pkill -f '^iperf3 -s -B 127.0.0.1 -p 45000'
	[ "$status" -eq 1 ]
	[[ "$output" == *"host 'node-1' cannot listen on 'lo'"*"ip_local_port_range"* ]]
}

@test "IPv6 alone will do" {
	fabric fault node-0 ens1 v6
	fabric fault node-1 ens1 v6
	ranks 2 all_reduce -b 4M -e 4M -n 3 -w 1 -c 0 --ifname ens1 --csv "$csv"
	within "$(mbit "$csv")" 180 201
}

@test "a link that is lost and comes back before the deadline: the run goes on, and the data are right" {
	{
		sleep 2
		fabric fault node-1 ens1 unplug
		sleep 2
		fabric fault node-1 ens1 plug
	} 3>&- &
	run ranks 2 all_reduce -b 16M -e 16M -n 4 -w 1 -T 20 --ifname ens1 --csv "$csv"
	wait
	[ "$status" -eq 0 ]
	[ "$(column "$csv/summary.csv" wrong_elems | sort -u)" = 0 ]
	# it did wait: without the loss no operation takes so long
	{
		column "$csv/summary.csv" max_ns
		column "$csv/summary.csv" first_op_ns
	} | awk '{ if ($1 > m) m = $1 } END { exit !(m > 2e9) }'
}

@test "a link that stays lost: both ends are named before the deadline" {
	{
		sleep 2
		fabric fault node-1 ens1 unplug
	} 3>&- &
	SECONDS=0
	run ranks 2 all_reduce -b 16M -e 16M -n 20 -w 1 -T 8 --ifname ens1
	wait
	[ "$status" -eq 1 ]
	[[ "$output" == *"the link from 'node-"*"'ens1', with rank "*" is lost"* ]]
	[ $SECONDS -le 20 ]
}
