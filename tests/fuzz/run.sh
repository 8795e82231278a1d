#!/bin/sh
# run.sh [RUNS] [TARGET ...] - fuzzes the readers of the analysis with libFuzzer, AddressSanitizer and UBSan: RUNS executions each
# (default 1000000), from the corpus in tests/fuzz/corpus. A crash leaves its input in the build folder and a failing exit code.
set -eu

home=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$home/build}/fuzz
runs=${1:-1000000}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- csv rows raw history pairs
command -v clang >/dev/null || {
	echo "run.sh: clang is not installed, and only it has libFuzzer" >&2
	exit 77
}
mkdir -p "$build"
cd "$home"
sources=$(find analysis -name "*.c" ! -name busbar.c ! -name "cmd_*.c")
common="bench/collective/*.c bench/core/record.c bench/core/near.c bench/core/types.c bench/core/status.c bench/core/stats.c"
for target in "$@"; do
	# shellcheck disable=SC2086 # lists of files
	clang -std=c11 -D_GNU_SOURCE -O1 -g -I. -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -o "$build/$target" \
		"tests/fuzz/fuzz_$target.c" $sources $common -lcsv -ljansson -lgsl -lgslcblas -lm
	mkdir -p "$build/found-$target"
	"$build/$target" -runs="$runs" -max_len=8192 -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$build/crash-$target-" \
		-print_final_stats=1 "$build/found-$target" "tests/fuzz/corpus/$target" >"$build/$target.log" 2>&1 || {
		tail -40 "$build/$target.log"
		exit 1
	}
	echo "$target: $(grep -o 'stat::number_of_executed_units: *[0-9]*' "$build/$target.log" | grep -o '[0-9]*$') executions, no crash"
done
