#!/usr/bin/env bats
# Wrong input: one line on stderr that names the value, the reason and the fix; the exit code of the contract; nothing
# on stdout and nothing on disk.

load helper

# refused CODE SENTENCE OPTIONS...: exactly this line on stderr.
refused() {
	local code=$1 sentence=$2 program=all_reduce_perf$SUFFIX
	shift 2
	cd "$BATS_TEST_TMPDIR" || return 1
	local status=0
	"$BIN/$program" "$@" >out 2>err || status=$?
	echo "exit $status: $(cat err)"
	[ "$status" -eq "$code" ]
	[ ! -s out ]
	[ "$(cat err)" = "$program: $sentence" ]
	rm out err
	[ -z "$(ls -A "$BATS_TEST_TMPDIR")" ]
}

setup_file() {
	BIN=$(cd "${BUILD:-build}" && pwd)
	export BIN
}

@test "unknown options, with a suggestion where one is near" {
	refused 6 'unknown option "-q": --help lists all' -q
	refused 6 'unknown option "-B": did you mean "-b" (--minbytes)?' -B 8
	refused 6 'unknown option "--minbyte5": did you mean "--minbytes"?' --minbyte5 8
	refused 6 'unknown option "--turbo": --help lists all' --turbo
	refused 6 'option "--step" could be --stepbytes or --stepfactor: write more of it' --step 2
}

@test "an option without its value, and a value without its option" {
	refused 6 '-n (--iters) needs a value: N' -n
	refused 6 '--csv needs a value: DIR' --csv
	refused 6 '--csv "": must not be empty' --csv ""
	refused 6 '"64M" belongs to no option: each value follows its option, --help lists them' -b 8 64M
	refused 6 '"--list=1": --list takes no value' --list=1
}

@test "values that are no numbers, or out of range" {
	refused 6 '-n (--iters) "many": must be a whole number' -n many
	refused 6 '-n (--iters) "0": must be from 1 to 2147483647' -n 0
	refused 6 '-n (--iters) "-3": must be from 1 to 2147483647' -n -3
	refused 6 '-w (--warmup_iters) "1.5": must be a whole number' -w 1.5
	refused 6 '-t (--nthreads) "0": must be from 1 to 1024' -t 0
	refused 6 '-z (--blocking) "4": must be from 0 to 3' -z 4
	refused 6 '-a (--average) "4": must be from 0 to 3' -a 4
	refused 6 '-C (--report_cputime) "yes": must be 0 or 1' -C yes
	refused 6 '-f (--stepfactor) "two": must be a number' -f two
	refused 6 '-T (--timeout) "-1": must be from 0 to 1000000000' -T -1
	refused 6 '--precision "2": must be from 0 to below 1; write 2% or 0.02' --precision 2
	refused 6 '--budget "soon": must be a number' --budget soon
	refused 6 '-t "40" -g "40": more than 1024 ranks in a process, take more processes' -t 40 -g 40
}

@test "sizes end in 255" {
	refused 255 '-b (--minbytes) "8T": the unit must be K, M or G' -b 8T
	refused 255 '-e (--maxbytes) "big": not a number' -e big
	refused 255 '-i (--stepbytes) "-1": a size cannot be negative' -i -1
	refused 255 '-e (--maxbytes) "1e30": more than any memory holds' -e 1e30
	refused 255 '-b "64M": above -e "32M", lower one or raise the other' -b 64M
	refused 255 '-b "32M": above -e "1K", lower one or raise the other' -e 1K
	refused 255 '-D "1": needs symmetric buffers, add -R 2' -D 1
}

@test "names that do not exist" {
	refused 6 '-d (--datatype) "flot": not one of int8 uint8 int32 uint32 int64 uint64 half float double bfloat16 f8e4m3 f8e5m2 all; did you mean "float"?' -d flot
	refused 6 '-o (--op) "xor": not one of sum prod max min avg mulsum all' -o xor
	run "$BIN/all_reduce_perf$SUFFIX" --backend rign
	[ "$status" -eq 6 ]
	[[ "$output" == *'--backend "rign": not one of '*' null'* ]]
	run "$BIN/all_reduce_perf$SUFFIX" --transport scoket
	[ "$status" -eq 6 ]
	[[ "$output" == *'--transport "scoket": not one of '*'; did you mean "socket"?' ]]
	run "$BIN/all_reduce_perf$SUFFIX" --memory hots
	[ "$status" -eq 6 ]
	[[ "$output" == *'--memory "hots": not one of host'* ]]
}

@test "what this build or machine cannot do ends in 5, with the reason" {
	if "$BIN/all_reduce_perf$SUFFIX" --list | grep -q '^backend *nccl *yes'; then
		skip "CUDA is here"
	fi
	for option in '-G 1' '-R 1' '-R 2 -D 1' '-V 8' '-x 1' '-y 1'; do
		# shellcheck disable=SC2086 # two words
		run "$BIN/all_reduce_perf$SUFFIX" $option
		echo "$option: $output"
		[ "$status" -eq 5 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ "$output" == *'needs a CUDA backend'* ]]
	done
	run "$BIN/all_reduce_perf$SUFFIX" --backend nccl
	[ "$status" -eq 5 ]
	[ "${#lines[@]}" -eq 1 ]
	run "$BIN/all_reduce_perf$SUFFIX" --memory cuda
	[ "$status" -eq 5 ]
	[ "${#lines[@]}" -eq 1 ]
}

@test "files that cannot be read or written" {
	refused 6 '--plan "missing.plan": cannot be read: No such file or directory' --plan missing.plan
	refused 6 '--plan "/": cannot be read: Is a directory' --plan /
	for path in / /dev/zero; do
		NCCL_TESTS_ALLTOALLV_MATRIX_FILE=$path run timeout 20 "$BIN/alltoallv_perf$SUFFIX" -b 1K -e 1K
		[ "$status" -eq 6 ]
		[[ $output == *"traffic matrix '$path' is not a file; give one of numbers"* ]]
	done
	refused 6 '-J "out.xml": the file must end in .json' -J out.xml
	run "$BIN/all_reduce_perf$SUFFIX" -b 8 -e 8 -J /nonexistent/x.json
	[ "$status" -eq 6 ]
	[[ "${lines[0]}" == *'-J "/nonexistent/x.json": cannot be written: No such file or directory'* ]]
}

@test "variables of the environment" {
	NCCL_TESTS_MIN_BW=fast refused 6 'NCCL_TESTS_MIN_BW "fast": must be a number'
	NCCL_TESTS_DEVICE=gpu refused 6 'NCCL_TESTS_DEVICE "gpu": must be a whole number'
	NCCL_TESTS_ALLTOALLV_SPREAD=2 refused 6 'NCCL_TESTS_ALLTOALLV_SPREAD "2": must be from 0 to 1'
	NCCL_TESTS_SPLIT=XOR2 run "$BIN/all_reduce_perf$SUFFIX"
	[ "$status" -eq 6 ]
	[ "${#lines[@]}" -eq 1 ]
}

@test "a wrong line of a plan file names file and line" {
	local plan=$BATS_TEST_TMPDIR/p.plan
	printf '# two sizes\nall_reduce -b 8 -e 8\nall_gathr -b 8\n' >"$plan"
	run "$BIN/all_reduce_perf$SUFFIX" --plan "$plan"
	[ "$status" -eq 6 ]
	[ "$output" = "all_reduce_perf$SUFFIX: $plan:3: no collective \"all_gathr\": did you mean \"all_gather\"?" ]
	printf 'all_reduce -b 9T\n' >"$plan"
	run "$BIN/all_reduce_perf$SUFFIX" --plan "$plan"
	[ "$status" -eq 255 ]
	[ "$output" = "all_reduce_perf$SUFFIX: $plan:1: -b (--minbytes) \"9T\": the unit must be K, M or G" ]
	printf 'all_reduce -b 8 -e 8\nreduce -G 1\n' >"$plan"
	run "$BIN/all_reduce_perf$SUFFIX" --plan "$plan"
	[ "$status" -eq 5 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == "all_reduce_perf$SUFFIX: run 2 of the plan, reduce: -G (--cudagraph) needs a CUDA backend"* ]]
	printf '# nothing\n' >"$plan"
	run "$BIN/all_reduce_perf$SUFFIX" --plan "$plan"
	[ "$status" -eq 6 ]
	[[ "$output" == *'holds no run'* ]]
	printf 'all_reduce\0 -b 8 -e 8\n' >"$plan"
	run "$BIN/all_reduce_perf$SUFFIX" --plan "$plan"
	[ "$status" -eq 6 ]
	[[ "$output" == *"$plan:1: this is no text"* ]]
}

@test "a root that no group has" {
	run ranks 2 broadcast -b 8 -e 8 -r 2
	echo "$output"
	[ "$status" -eq 6 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == *'-r "2": there is no such rank, a group has ranks 0 to 1'* ]]
}

@test "nccl-tests' corrections: a line on stderr, and the run goes on" {
	for option in '-I 2' '-K 3' '-I 1 -K 20'; do
		# shellcheck disable=SC2086 # several words
		ranks 1 all_reduce -b 8 -e 8 $option >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
		[ "$(grep -c 'going on' "$BATS_TEST_TMPDIR/err")" -eq 1 ]
		grep -q '^# Out of bounds values : 0 OK' "$BATS_TEST_TMPDIR/out"
	done
}

@test "many processes: the sentence appears once" {
	needs_mpi
	run under_mpi 4 all_reduce -n 0
	[ "$status" -eq 6 ]
	[ "$(printf '%s\n' "$output" | grep -c 'must be from 1')" -eq 1 ]
}

@test "a full disk behind stdout" {
	for options in --help --list --dry-run '-b 8 -e 8'; do
		local status=0
		# shellcheck disable=SC2086 # several words
		"$BIN/all_reduce_perf$SUFFIX" $options >/dev/full 2>"$BATS_TEST_TMPDIR/err" || status=$?
		echo "$options: $status $(cat "$BATS_TEST_TMPDIR/err")"
		[ "$status" -eq 1 ]
		[ "$(grep -c 'cannot be written' "$BATS_TEST_TMPDIR/err")" -eq 1 ]
	done
}
