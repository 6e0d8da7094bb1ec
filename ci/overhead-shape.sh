#!/bin/bash
# Is a trial of experiments/overhead (QUICK=1) whole? How fast anything was is no matter.
#
#   ci/overhead-shape.sh FOLDER PROGRAM...     FOLDER: what its run.sh left, when it ran these programs
#
# What is derived of its rows is derived here again, with the plots, into a copy ($O/libgotrace.a is there).
# shellcheck disable=SC2317 # tests are called by name
set -u
[ $# -ge 2 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
top=$(cd "$(dirname "$0")/.." && pwd)
folder=$(realpath "$1")
programs=("${@:2}")
variants='thesis thesis-links emulated springboard nop inline'
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck source=totals.sh
. "$top/ci/totals.sh"
fail() { echo "$*"; exit 1; }

marked() {
	local line
	for line in 'quick: a trial, not a result' 'forced: .' 'load_at_end: .'; do
		grep -q "^$line" "$folder/environment.txt" || fail "environment.txt does not say $line"
	done
}
# A row for each program, tool, variant and round, with a duration, and with events and sites of what was traced.
rows() {
	awk -F, -v programs="${programs[*]}" -v variants="plain plain-again $variants" '
		NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
		{
			key = $col["program"] " " $col["tool"] " " $col["variant"] " " $col["round"]
			if ($col["target_s"] <= 0 || $col["end_to_end_s"] == "") bad("no duration: " key)
			if ($col["variant"] !~ /^plain/ && ($col["events"] + $col["lost_events"] < 1 || $col["sites"] < 1)) bad("nothing traced: " key)
			if ($col["discarded"] != ($col["round"] == 0)) bad("round 0 alone is discarded: " key)
			if (seen[key]++) bad("twice: " key)
			rows++
		}
		function bad(why) { print why; wrong++ }
		END {
			n = split(programs, p, " "); m = split(variants, v, " ")
			for (i = 1; i <= n; i++) for (j = 1; j <= m; j++) for (t = 0; t < 2; t++) for (r = 0; r < 2; r++) {
				key = p[i] " " (t ? "time" : "hyperfine") " " v[j] " " r
				if (!(key in seen)) bad("no row: " key)
			}
			if (rows != n * m * 4) bad(rows " rows, not " n * m * 4)
			exit wrong > 0
		}' "$folder/raw.csv"
}
derived() {
	local file
	mkdir "$work/again"
	cp "$folder"/{raw.csv,environment.txt,hyperfine.jsonl} "$work/again/" || fail "a file is missing"
	"$top/experiments/overhead/derive.sh" "$work/again" || fail "it cannot be derived"
	for file in summary.csv tables.md; do
		diff "$folder/$file" "$work/again/$file" || fail "$file is another one here"
	done
	for file in overhead.png overhead.svg; do [ -s "$work/again/$file" ] || fail "no $file"; done
	grep -q '</svg>' "$work/again/overhead.svg" || fail "the plot breaks off"
}
# has_rows HEADING CELLS PROGRAM VARIANT...: the table below that heading has a line for each variant, in which that many
# cells begin with a number. Without a program its lines begin with the variant.
has_rows() {
	local heading=$1 cells=$2 begin=${3:+| $3 } variant
	shift 3
	for variant; do
		awk -v heading="## $heading" -v begin="$begin| $variant |" -v cells="$cells" '
			/^## / { inside = index($0, heading) == 1 }
			inside && index($0, begin) == 1 {
				n = split(substr($0, length(begin)), cell, "|")
				for (i = 1; i <= n; i++) numbers += cell[i] ~ /^ [0-9]/
				found++
			}
			END { exit !(found == 1 && numbers >= cells) }' "$folder/tables.md" || fail "$heading: no line of ${begin#| }$variant with $cells numbers"
	done
}
tables() {
	local program
	grep -q 'a trial, not a result' "$folder/tables.md" || fail "tables.md does not say that it is of a trial"
	for program in "${programs[@]}"; do
		# shellcheck disable=SC2086 # a list of words
		has_rows "Table 7.2 by /usr/bin/time" 2 "$program" plain plain-again $variants
		# shellcheck disable=SC2086
		[[ "$program" != oto* ]] || has_rows "Table 7.3 by /usr/bin/time" 1 "$program" plain plain-again $variants
		# shellcheck disable=SC2086
		[ "$program" != ants ] || has_rows "ants, by /usr/bin/time" 9 '' $variants
		# shellcheck disable=SC2086
		has_rows Events 2 "$program" $variants
	done
}
try "overhead: it says that it is a trial, forced and ended" marked
try "overhead: rows of each program in each variant, by both tools" rows
try "overhead: tables and plots are derived again, the same" derived
try "overhead: tables have all lines" tables
totals
