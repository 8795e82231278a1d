#!/usr/bin/env bats
# What programs that read nccl-tests' stdout do with it, done again in awk: if one of these fails, somebody's
# dashboard goes blank.

load helper

# run_to FILE N COLLECTIVE OPTIONS: stdout into FILE.
run_to() {
	local out=$1
	shift
	ranks "$@" >"$out" 2>/dev/null
}

setup_file() {
	load helper
	cd "$BATS_TEST_DIRNAME/../.." || return 1
	run_to "$BATS_FILE_TMPDIR/all_reduce" 2 all_reduce -b 8 -e 64K -f 2 -n 3
	run_to "$BATS_FILE_TMPDIR/alltoall" 2 alltoall -b 8 -e 64K -f 2 -n 3
	run_to "$BATS_FILE_TMPDIR/unchecked" 2 all_reduce -b 8 -e 1K -f 2 -n 3 -c 0
	NCCL_TESTS_MIN_BW=1e6 run_to "$BATS_FILE_TMPDIR/slow" 2 all_reduce -b 8 -e 1K -f 2 -n 3 || [ $? -eq 7 ]
}

@test "rows: a digit first, exactly 13 words" {
	for file in all_reduce alltoall unchecked; do
		awk '{ sub(/^[ \t]+/, "") } /^[0-9]/ { rows++; if (NF != 13) bad++ } END { exit !(rows > 0 && !bad) }' \
			"$BATS_FILE_TMPDIR/$file"
	done
	[ "$(grep -c '^ *[0-9]' "$BATS_FILE_TMPDIR/all_reduce")" -eq 14 ]
}

@test "success needs both last lines; failure words appear nowhere" {
	for file in all_reduce alltoall unchecked; do
		grep -q '# Out of bounds values' "$BATS_FILE_TMPDIR/$file"
		grep -q '# Avg bus bandwidth' "$BATS_FILE_TMPDIR/$file"
		refute grep -q 'Test NCCL failure\|Test failure\|FAILED' "$BATS_FILE_TMPDIR/$file"
	done
}

@test "words 9 and 13 are whole numbers, or N/A taken as 0" {
	for file in all_reduce alltoall unchecked; do
		awk '/^#/ || NF != 13 { next }
			{ for (i = 9; i <= 13; i += 4) { sub(/^N\/A$/, "0", $i); if ($i !~ /^[0-9]+$/) bad++ } rows++ }
			END { exit !(rows > 0 && !bad) }' "$BATS_FILE_TMPDIR/$file"
	done
	awk 'NF == 13 && !/^#/ && $13 != "N/A" { bad++ } END { exit bad }' "$BATS_FILE_TMPDIR/alltoall"
	awk 'NF == 13 && !/^#/ && ($9 != "N/A" || $13 != "N/A") { bad++ } END { exit bad }' "$BATS_FILE_TMPDIR/unchecked"
}

# Columns are found in the header and counted from the end, between the last title and the first last line.
@test "header columns counted from the end" {
	awk '
		/out-of-place/ { start = NR }
		/Out of bounds values/ { stop = NR }
		{ line[NR] = $0 }
		END {
			for (i = start; i < stop && !header; i++)
				if (line[i] ~ /time/ && line[i] ~ /busbw/)
					header = i
			n = split(line[header], names, " ")
			for (j = 1; j <= n; j++)
				if (names[j] == "busbw")
					from_end = n - j
			for (i = header; i < stop; i++) {
				if (line[i] ~ /^#/)
					continue
				m = split(line[i], words, " ")
				if (words[m - from_end] + 0 != words[12] + 0 || words[m - from_end] !~ /^[0-9.e+]+$/)
					bad++
				rows++
			}
			exit !(start && stop && rows > 0 && !bad)
		}' "$BATS_FILE_TMPDIR/all_reduce"
}

@test "the first line with bandwidth has the average as its sixth word" {
	for file in all_reduce alltoall; do
		awk '/bandwidth/ { exit !($6 ~ /^[0-9.e+-]+$/) }' "$BATS_FILE_TMPDIR/$file"
	done
	awk '/bandwidth/ { exit !($6 ~ /^[0-9.e+-]+$/ && $7 == "FAILED") }' "$BATS_FILE_TMPDIR/slow"
}

@test "the average is the first number of its line, and that of the rows" {
	awk '
		NF == 13 && !/^#/ { sum += $8 + $12; n += 2 }
		/Avg bus bandwidth/ { match($0, /[0-9.]+(e[+-][0-9]+)?/); avg = substr($0, RSTART, RLENGTH) }
		END { diff = avg - sum / n; exit !(n && diff * diff < 1e-4) }' "$BATS_FILE_TMPDIR/all_reduce"
}

@test "extra comment lines hold no word that parsers look for" {
	# What is left after the contract's own lines is ours.
	grep '^#' "$BATS_FILE_TMPDIR/all_reduce" | grep -v -e '^# nccl-tests version' -e '^# Collective test' \
		-e '^# nThread' -e '^# Using devices' -e '^#  Rank' -e '^# *out-of-place' -e '^# *size' -e '^# *(B)' \
		-e '^# Out of bounds values' -e '^# Avg bus bandwidth' -e '^#$' >"$BATS_TEST_TMPDIR/ours"
	[ -s "$BATS_TEST_TMPDIR/ours" ]
	refute grep -q -e out-of-place -e 'Out of bounds values' -e bandwidth -e FAILED -e 'Test failure' -e 'Test NCCL failure' \
		"$BATS_TEST_TMPDIR/ours"
	refute awk '/time/ && /busbw/ { found = 1 } /Rank/ && /device/ && /NVIDIA/ { found = 1 } END { exit !found }' \
		"$BATS_TEST_TMPDIR/ours"
}

@test "device lines" {
	[ "$(grep -c '^#  Rank ' "$BATS_FILE_TMPDIR/all_reduce")" -eq 2 ]
	[ "$(grep -cE '^#  Rank +[0-9]+ Group +[0-9]+ Pid +[0-9]+ on +[^ ]+ device +[0-9]+ \[[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\] .+$' \
		"$BATS_FILE_TMPDIR/all_reduce")" -eq 2 ]
}

@test "the last line is empty, and a comment is before it" {
	[ -z "$(tail -n 1 "$BATS_FILE_TMPDIR/all_reduce")" ]
	[ "$(tail -n 2 "$BATS_FILE_TMPDIR/all_reduce" | head -n 1)" = "#" ]
}
