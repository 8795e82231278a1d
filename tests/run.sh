#!/bin/sh
# run.sh - runs tests and counts them: tests/run.sh TEST...
# A TEST is a bats file, or a program or script that prints TAP (cmocka does when asked to). What counts is each test that was
# announced: ok, not ok, ok # skip. A test program that crashes, runs out of time, announces nothing, or reports another number than it
# announced is one failure more. STRICT=1 makes failures of skips. The last line is "N passed, N failed, N skipped"; exit 0 when none
# failed and there were some.
set -u

limit_s=${TEST_LIMIT_S:-900}
passed=0 failed=0 skipped=0
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT

# Prints "passed failed skipped announced" of a TAP stream.
count() {
	awk '
		/^1\.\.[0-9]+/ { split($1, part, /\.\./); announced += part[2]; seen = 1 }
		/^(not )?ok.*# *[Ss][Kk][Ii][Pp]/ { skipped++; next } # cmocka writes "not ok N # SKIP"
		/^not ok/ { failed++; next }
		/^ok/ { passed++ }
		END { print passed + 0, failed + 0, skipped + 0, (seen ? announced : -1) }' "$log"
}

run_one() {
	case $1 in
	*.bats) timeout -k 5 "$limit_s" bats -F tap "$1" ;;
	*) CMOCKA_MESSAGE_OUTPUT=TAP timeout -k 5 "$limit_s" "$1" ;;
	esac >"$log" 2>&1 </dev/null
}

for test in "$@"; do
	[ ! -t 1 ] || printf '%-52s ...\r' "$test"
	run_one "$test"
	code=$?
	read -r good bad left announced <<EOF
$(count)
EOF
	done=$((good + bad + left))
	if [ "$code" -eq 77 ] && [ "$announced" -le 0 ]; then
		left=1
	elif [ "$announced" -le 0 ] || [ "$done" -ne "$announced" ] || { [ "$code" -ne 0 ] && [ "$bad" -eq 0 ]; }; then
		echo "$test: ended with code $code (124: out of time) after $done of $announced tests"
		bad=$((bad + 1))
	fi
	passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + left))
	printf '%-52s %4d passed %3d failed %3d skipped\n' "$test" "$good" "$bad" "$left"
	[ "$bad" -eq 0 ] || sed 's/^/    /' "$log"
	[ "$left" -eq 0 ] || grep -i 'skip' "$log" | sed 's/^/    /'
done

if [ "${STRICT:-0}" = 1 ]; then
	failed=$((failed + skipped)) skipped=0
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
