#!/usr/bin/env bats
# count.bats - tests/run.sh: tests that crash, hang or do not tell the truth count as failures.

# script NAME LINES: an executable test.
script() {
	local name=$BATS_TEST_TMPDIR/$1
	shift
	printf '%s\n' '#!/bin/sh' "$@" >"$name"
	chmod +x "$name"
}

# counted CODE "LAST LINE" NAME...
counted() {
	local code=$1 last=$2
	shift 2
	run env TEST_LIMIT_S="${limit:-20}" STRICT="${strict:-0}" tests/run.sh "${@/#/$BATS_TEST_TMPDIR/}"
	echo "$output"
	[ "$status" -eq "$code" ]
	[ "${lines[-1]}" = "$last" ]
}

@test "what passes, fails and is skipped is counted over all tests" {
	script good 'echo 1..3; echo ok 1; echo "ok 2 # SKIP no net"; echo ok 3'
	script bad 'echo 1..2; echo ok 1; echo not ok 2; exit 1'
	counted 0 "2 passed, 0 failed, 1 skipped" good
	counted 1 "3 passed, 1 failed, 1 skipped" good bad
	[[ $output == *"no net"* ]]
}

@test "STRICT=1 makes a failure of a skip" {
	script good 'echo 1..1; echo "ok 1 # skip"'
	strict=1 counted 1 "0 passed, 1 failed, 0 skipped" good
}

@test "77 without a test is a skip, with a failed one it is not" {
	script none 'exit 77'
	counted 0 "0 passed, 0 failed, 1 skipped" none
	script half 'echo 1..2; echo ok 1; exit 77'
	counted 1 "1 passed, 1 failed, 0 skipped" half
}

@test "a crash is a failure, before, between and after the tests" {
	script before 'kill -SEGV $$'
	script between 'echo 1..2; echo ok 1; kill -SEGV $$'
	script after 'echo 1..1; echo ok 1; kill -SEGV $$'
	counted 1 "0 passed, 1 failed, 0 skipped" before
	counted 1 "1 passed, 1 failed, 0 skipped" between
	counted 1 "1 passed, 1 failed, 0 skipped" after
}

@test "a test that hangs is ended and a failure, also when it does not want to go" {
	script hang 'echo 1..2; echo ok 1; sleep 60'
	script stubborn 'trap "" TERM; echo 1..1; echo ok 1; while :; do sleep 1; done'
	limit=1 counted 1 "1 passed, 1 failed, 0 skipped" hang
	limit=1 counted 1 "1 passed, 1 failed, 0 skipped" stubborn
}

@test "a test that lies is a failure: fewer or more than announced, nothing announced, a failing code beside good news" {
	script fewer 'echo 1..3; echo ok 1'
	script more 'echo 1..1; echo ok 1; echo ok 2'
	script silent 'true'
	script unannounced 'echo ok 1'
	script code 'echo 1..1; echo ok 1; exit 3'
	counted 1 "1 passed, 1 failed, 0 skipped" fewer
	counted 1 "2 passed, 1 failed, 0 skipped" more
	counted 1 "0 passed, 1 failed, 0 skipped" silent
	counted 1 "1 passed, 1 failed, 0 skipped" unannounced
	counted 1 "1 passed, 1 failed, 0 skipped" code
}

@test "a failure with a code of 0 is a failure" {
	script lie 'echo 1..1; echo not ok 1; exit 0'
	counted 1 "0 passed, 1 failed, 0 skipped" lie
}

@test "a test that is not there, or is not a program, is a failure; no test at all too" {
	counted 1 "0 passed, 1 failed, 0 skipped" missing
	echo text >"$BATS_TEST_TMPDIR/text"
	counted 1 "0 passed, 1 failed, 0 skipped" text
	echo '@test "broken' >"$BATS_TEST_TMPDIR/broken.bats"
	counted 1 "0 passed, 1 failed, 0 skipped" broken.bats
	counted 1 "0 passed, 0 failed, 0 skipped"
}
