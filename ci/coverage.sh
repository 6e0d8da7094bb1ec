#!/bin/sh
# Builds with gcc's coverage data in a folder of its own, runs the unit tests, and prints which share
# of the lines they execute: by layer, and by file of core/plan. Status 1 when it is too little where
# a mistake harms the traced program.
#
#   ci/coverage.sh             $O: the folder of builds; needs gcov, which comes with gcc, and no root
#   ci/coverage.sh --print     what the last run found
set -u
cd "$(dirname "$0")/.." || exit 1
O=${O:-build}/coverage
[ "${1:-}" = --print ] || {
	command -v gcov >/dev/null || { echo "coverage.sh: no gcov; run: ci/deps.sh build" >&2; exit 1; }
	find "$O" -name '*.gcda' -delete 2>/dev/null # else runs add up
	CFLAGS="-g -O0 --coverage -Wno-format-truncation" LDFLAGS=--coverage make --no-print-directory O="$O" CC=gcc unit || exit 1
}

# Of a file that no test has begun there are no data, and gcov says 0.
find "$O/obj/core" -name '*.gcno' ! -name '*_test.gcno' ! -name '*_fixture.gcno' ! -name '*_fuzz.gcno' | LC_ALL=C sort |
	while read -r notes; do
		gcov -n -o "${notes%/*}" "$notes" 2>/dev/null
	done |
	LC_ALL=C awk '
BEGIN {
	least["core/plan"] = 92
	least["core/plan/select.c"] = 90
}
/^File / { file = substr($2, 2, length($2) - 2) }
/^Lines executed:/ && file ~ /^core\/.*\.c$/ && !(file in lines) {
	sub(/^Lines executed:/, "")
	lines[file] = $3
	run[file] = int($3 * $1 / 100 + 0.5)
	split(file, part, "/")
	layer = part[1] "/" part[2]
	lines[layer] += lines[file]
	run[layer] += run[file]
	if (layer == "core/plan") names[++n] = file
	if (!(layer in seen)) { seen[layer]; layers[++m] = layer }
}
function row(name) {
	pct = 100 * run[name] / lines[name]
	short = name in least && pct < least[name]
	failed += short
	printf "%6.1f %%  %5d of %5d  %s%s\n", pct, run[name], lines[name], name, short ? "  (less than " least[name] " %)" : ""
}
END {
	if (!n) { print "coverage.sh: there are no data; run: make coverage"; exit 1 }
	for (i = 1; i <= m; i++) row(layers[i])
	print ""
	for (i = 1; i <= n; i++) row(names[i])
	for (name in least)
		if (!(name in lines)) { print "coverage.sh: there are no data of " name; failed++ }
	exit failed > 0
}'
