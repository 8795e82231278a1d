#!/usr/bin/env bats
# schema.bats - results/README.md is what the program says, and the files have the columns that it describes.

load helper

# columns FILE: the names in the first column of the table under "## FILE".
columns() {
	awk -v file="## $1" 'index($0, "## ") == 1 { here = index($0, file) == 1 } here && /^\| [a-z]/ && $2 != "column" { print $2 }' \
		"$BATS_TEST_DIRNAME/../../results/README.md"
}

@test "results/README.md is the one that busbar schema makes: run make schema" {
	diff -u "$BATS_TEST_DIRNAME/../../results/README.md" <("$BUILD/busbar" schema)
}

@test "summary.csv and raw.csv have the columns that it describes" {
	ranks 2 all_reduce --backend null -b 1K -e 1K -n 3 -c 0 --csv "$BATS_TEST_TMPDIR/csv"
	for file in summary.csv raw.csv; do
		[ "$(columns $file | wc -l)" -gt 10 ]
		[ "$(head -1 "$BATS_TEST_TMPDIR/csv/$file")" = "$(columns $file | paste -sd, -)" ]
	done
}
