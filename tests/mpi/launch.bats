#!/usr/bin/env bats
# launch.bats - how processes come together and end: refused when each believes to be alone, one code for all.

# shellcheck disable=SC2154 # bats sets stderr
bats_require_minimum_version 1.5.0

setup() {
	program=${BUILD:-build}/all_reduce_perf
	unset NCCL_TESTS_SPLIT NCCL_TESTS_SPLIT_MASK
}

@test "processes of another library's launcher that believe to be alone are refused, by one of them" {
	export OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=0
	run --separate-stderr "$program" -b 8 -e 8
	[ "$status" -eq 6 ]
	[[ $stderr == *"Open MPI's mpirun started 4 processes (OMPI_COMM_WORLD_SIZE), but each believes to be the only one; "* ]]
	OMPI_COMM_WORLD_RANK=3 run --separate-stderr "$program" -b 8 -e 8
	[ "$status" -eq 6 ]
	[ -z "$stderr" ]
}

@test "tasks of srun without MPI's plugin are refused" {
	SLURM_STEP_NUM_TASKS=8 SLURM_PROCID=0 run --separate-stderr "$program" -b 8 -e 8
	[ "$status" -eq 6 ]
	[[ $stderr == *"srun started 8 processes (SLURM_STEP_NUM_TASKS), "*"--mpi=pmi2"* ]]
}

@test "one process inside an allocation is not refused" {
	SLURM_NTASKS=8 SLURM_PROCID=0 run "$program" -t 2 -b 8 -e 8 -n 1
	[ "$status" -eq 0 ]
	SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0 run "$program" -t 2 -b 8 -e 8 -n 1
	[ "$status" -eq 0 ]
}

@test "a wrong split is said once, whatever the number of processes" {
	command -v mpirun >/dev/null || skip "no mpirun here"
	NCCL_TESTS_SPLIT="MOD 0" run --separate-stderr timeout 60 mpirun -n 3 "$program" -b 8 -e 8
	echo "$stderr"
	[ "$status" -eq 6 ]
	[ "$(grep -c '^all_reduce_perf: ' <<<"$stderr")" -eq 1 ]
}

@test "every process ends with the code of the run" {
	command -v mpirun >/dev/null || skip "no mpirun here"
	NCCL_TESTS_MIN_BW=1e9 run timeout 60 mpirun -n 3 "$program" -b 8 -e 8 -n 1
	[ "$status" -eq 7 ]
	run timeout 60 mpirun -n 3 "$program" -b 8 -e 8 -n 1
	[ "$status" -eq 0 ]
}
