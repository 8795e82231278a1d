#!/usr/bin/env bats
# matrix.bats - every backend, collective, datatype, operation and placement gives the right result, with counts that no number
# of ranks divides, that are fewer than the ranks, and that are empty. Every row must be there, and checked.

load ../cli/helper

collectives="all_reduce all_gather reduce_scatter alltoall alltoallv broadcast reduce gather scatter sendrecv hypercube"

# plan TYPE OP SIZE...: a plan file with a line a collective and size; as little repetition as still shifts the data.
plan() {
	local types=$1 ops=$2 size collective
	shift 2
	for collective in $collectives; do
		for size; do
			echo "$collective -d $types -o $ops -b $size -e $size -n 2 -w 0 -c 1"
		done
	done
}

# expected RANKS TYPES OPS SIZES: the rows of such a plan. Hypercube is left out unless RANKS is a power of two.
expected() {
	local rows=0 collective
	for collective in $collectives; do
		case $collective in
		hypercube) [ $(($1 & ($1 - 1))) -eq 0 ] && rows=$((rows + $2)) ;;
		all_reduce | reduce_scatter | reduce | sendrecv) rows=$((rows + $2 * $3)) ;;
		*) rows=$((rows + $2)) ;;
		esac
	done
	echo $((rows * $4 * 2))
}

# all_right ROWS: so many rows, none wrong, all checked but the in-place ones that nobody can check.
all_right() {
	awk -F, -v rows="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ seen++ }
		$at["wrong_elems"] > 0 { print "wrong: " $0; bad = 1 }
		$at["checked"] != "done" && !($at["placement"] == "in-place" && $at["collective"] ~ /^(alltoallv?|sendrecv)$/) {
			print "unchecked: " $0
			bad = 1
		}
		END { if (seen != rows) { print seen + 0 " rows, expected " rows; bad = 1 } exit bad }' "$csv/summary.csv"
}

# run_matrix RANKS TYPES OPS SIZES COMMAND...: carries out the plan in $plan and looks at its rows.
run_matrix() {
	local rows
	rows=$(expected "$1" "$2" "$3" "$4")
	shift 4
	csv=$BATS_TEST_TMPDIR/$RANDOM
	run timeout 110 "$@" --plan "$BATS_TEST_TMPDIR/plan" --csv "$csv"
	echo "$output" | tail -5
	[ "$status" -eq 0 ]
	all_right "$rows"
}


@test "ring between threads: all types and operations, 3 ranks" {
	plan all all 0 29 4001 >"$BATS_TEST_TMPDIR/plan"
	run_matrix 3 12 6 3 "$BUILD/all_reduce_perf" -t 3 --backend ring
}

@test "ring between threads: 1, 2, 4, 7 ranks, buffers that are not aligned" {
	plan int8 max 29 4001 >"$BATS_TEST_TMPDIR/plan"
	for n in 1 2 4 7; do
		run_matrix $n 1 1 2 "$BUILD/all_reduce_perf" -t $n --backend ring -u 3
	done
}

@test "ring between threads: more than a chunk, 3 ranks" {
	plan double sum 3000001 >"$BATS_TEST_TMPDIR/plan"
	run_matrix 3 1 1 1 "$BUILD/all_reduce_perf" -t 3 --backend ring
}

@test "ring between processes: shared memory, all types and operations, 2 ranks" {
	needs_mpi
	plan all all 29 4001 >"$BATS_TEST_TMPDIR/plan"
	run_matrix 2 12 6 2 mpirun -n 2 "$BUILD/all_reduce_perf" --backend ring --transport shm
}

@test "ring between processes: shared memory and sockets, 1, 3, 4, 7 ranks" {
	needs_mpi
	plan bfloat16 prod 29 4001 >"$BATS_TEST_TMPDIR/plan"
	for transport in shm socket; do
		for n in 1 3 4 7; do
			run_matrix $n 1 1 2 mpirun -n $n "$BUILD/all_reduce_perf" --backend ring --transport $transport
		done
	done
}

@test "ring over sockets: all types and operations, 2 ranks" {
	needs_mpi
	plan all all 4001 >"$BATS_TEST_TMPDIR/plan"
	run_matrix 2 12 6 1 mpirun -n 2 "$BUILD/all_reduce_perf" --backend ring --transport socket
}

@test "ring over sockets: more than a chunk, 3 ranks" {
	needs_mpi
	plan float sum 3000001 >"$BATS_TEST_TMPDIR/plan"
	run_matrix 3 1 1 1 mpirun -n 3 "$BUILD/all_reduce_perf" --backend ring --transport socket
}

@test "ring over shared memory inside processes and between them: 2 processes of 2 threads" {
	needs_mpi
	plan uint64 min 29 4001 >"$BATS_TEST_TMPDIR/plan"
	run_matrix 4 1 1 2 mpirun -n 2 "$BUILD/all_reduce_perf" -t 2 --backend ring
}

@test "mpi: all types and operations, 2 ranks" {
	needs_mpi
	plan all all 29 4001 >"$BATS_TEST_TMPDIR/plan"
	run_matrix 2 12 6 2 mpirun -n 2 "$BUILD/all_reduce_perf" --backend mpi
}

@test "mpi: 1, 3, 4, 7 ranks" {
	needs_mpi
	plan half mulsum 29 4001 >"$BATS_TEST_TMPDIR/plan"
	for n in 1 3 4 7; do
		run_matrix $n 1 1 2 mpirun -n $n "$BUILD/all_reduce_perf" --backend mpi
	done
}

@test "every root" {
	needs_mpi
	for collective in broadcast reduce gather scatter; do
		echo "$collective -r -1 -b 1001 -e 1001 -n 2 -w 0"
	done >"$BATS_TEST_TMPDIR/plan"
	for backend in ring mpi; do
		csv=$BATS_TEST_TMPDIR/$backend
		timeout 60 mpirun -n 3 "$BUILD/all_reduce_perf" --backend $backend --plan "$BATS_TEST_TMPDIR/plan" --csv "$csv"
		all_right $((4 * 3 * 2))
	done
}

@test "groups of unequal size each work on their own" {
	needs_mpi
	plan float sum 4001 | grep -v hypercube >"$BATS_TEST_TMPDIR/plan"
	csv=$BATS_TEST_TMPDIR/csv
	NCCL_TESTS_SPLIT="MOD 2" timeout 60 mpirun -n 5 "$BUILD/all_reduce_perf" --backend ring --plan "$BATS_TEST_TMPDIR/plan" --csv "$csv"
	all_right $((10 * 2 * 2))
	[ "$(awk -F, 'NR > 1 { print $19, $20 }' "$csv/summary.csv" | sort -u | paste -sd' ')" = "0 3 1 2" ]
}
