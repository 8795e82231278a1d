#!/usr/bin/env bats
# Whole outputs, byte for byte: only times, rates, process ids, hosts and CPUs are masked, at full width.

load helper
unset RANKS_BY # their headers say -t

@test "all_reduce" {
	ranks 2 all_reduce --backend ring -b 8 -e 128 -f 4 -n 2 | golden all_reduce
}

@test "all_reduce with every extra column and line" {
	ranks 2 all_reduce --backend ring -b 1K -e 2K -i 1K -n 3 -C 1 -S 1 -I 1 -K 1 -p 1 -z 3 -N 2 -u 1 -m 2 | golden all_reduce_extras
}

@test "alltoall: no check in place" {
	ranks 2 alltoall --backend ring -b 1K -e 1K -n 2 | golden alltoall
}

@test "unchecked" {
	ranks 2 reduce --backend ring -b 1K -e 1K -n 2 -c 0 -r -1 -o max -d int8 | golden reduce_unchecked
}

@test "sendrecv names an op, hypercube none" {
	ranks 2 sendrecv --backend ring -b 1K -e 1K -n 2 | golden sendrecv
	ranks 2 hypercube --backend ring -b 1K -e 1K -n 2 | golden hypercube
}
