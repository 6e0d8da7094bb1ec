#!/bin/bash
# Adds a Go version to the layout table, from the DWARF of a program built with it:
#
#   ci/go-layout.sh [--check] VERSION      1.28.0
#
# Patches core/binary/golayout.c, ready to be looked at and committed: a row that
# is there is replaced when it differs, the next version's is added behind the
# last. --check changes nothing and fails when it would. $O: the build folder
# (build) whose libgotrace.a reads the DWARF.
set -euo pipefail
check=
if [ "${1:-}" = --check ]; then check=1; shift; fi
if [ $# != 1 ] || ! [[ $1 =~ ^1\.[0-9]+(\.[0-9]+|rc[0-9]+)?$ ]]; then
	sed -n '2,10s/^# \{0,1\}//p' "$0" >&2
	exit 2
fi
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top"
lib=${O:-build}/libgotrace.a table=core/binary/golayout.c
[ -e "$lib" ] || { echo "go-layout.sh: $lib is missing; run make first" >&2; exit 1; }
# shellcheck source=toolchain.sh
. ci/toolchain.sh
use_go "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck disable=SC2046 # a list of words
${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -Icore -I. ci/go-layout.c "$lib" \
	$(pkg-config --libs libelf libdw capstone zlib libzstd) -lm -pthread -o "$work/print"
(cd fixtures/programs && GOFLAGS=-buildvcs=false go build -o "$work/normal" ./plain &&
	GOFLAGS=-buildvcs=false go build -buildmode=pie -o "$work/pie" ./plain)
"$work/print" "$work/normal" >"$work/row"
"$work/print" "$work/pie" >"$work/row.pie"
cmp -s "$work/row" "$work/row.pie" || { echo "go-layout.sh: with and without -buildmode=pie differ" >&2; exit 1; }

minor=${1#1.} minor=${minor%%[!0-9]*}
last=$(sed -n 's|.*}, /\* 1\.\([0-9]*\) \*/$|\1|p' "$table" | tail -n 1)
if [ "$minor" -gt $((last + 1)) ]; then
	echo "go-layout.sh: rows are in order and the last is 1.$last: add 1.$((last + 1)) first" >&2
	exit 1
fi
awk -v row_file="$work/row" -v minor="$minor" -v last="$last" '
BEGIN { while ((getline line < row_file) > 0) row = row line "\n" }
/^\t\{ COMMON/ { held = ""; holding = 1 }
holding { held = held $0 "\n" }
holding && match($0, /\/\* 1\.[0-9]+ \*\/$/) {
	n = substr($0, RSTART + 5) + 0
	holding = 0
	printf "%s", n == minor ? row : held
	if (n == last && minor == last + 1) printf "%s", row
	next
}
!holding { print }' "$table" >"$work/table"
if cmp -s "$table" "$work/table"; then
	echo "go-layout.sh: the row of 1.$minor is what go$1 says"
elif [ -n "$check" ]; then
	diff -u "$table" "$work/table" || true
	echo "go-layout.sh: the row of 1.$minor is not what go$1 says; run: ci/go-layout.sh $1" >&2
	exit 1
else
	cat "$work/table" >"$table"
	git --no-pager diff -- "$table"
	echo "go-layout.sh: look at it, name go$1 in the comment above the table, run make unit, then:"
	echo "  git commit -m 'binary: the layout of Go 1.$minor' -- $table"
fi
