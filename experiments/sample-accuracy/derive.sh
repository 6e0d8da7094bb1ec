#!/bin/sh
# Makes what is derived from the raw rows of a run: summary.csv, summary.md.
#   experiments/sample-accuracy/derive.sh RESULTS/RUN-ID
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
begin_derive "$@"
export LC_ALL=C
awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
	$col["discarded"] { next }
	function line(quantity, hits, of) {
		if (of > 0) printf "%s,%s,%s,%s,%s,%.6f\n", $1, $2, quantity, $col["variant"], $col["round"], hits / of
	}
	$col["quantity"] != "" { line($col["quantity"], $col["hits"], $col["of"]); line("root", $col["root_hits"], $col["root_of"]) }
	' "$1/raw.csv" >"$scratch/lines"
# Medians and their intervals; nothing is the base of another.
# shellcheck disable=SC2154 # begin_derive sets it
"$stats" compare none none program,build,quantity <"$scratch/lines" >"$1/summary.csv"
# Of tools, those with most self time, by name.
top_ten() { awk -F, -v t="$1" 'NR > 1 && $2 > 0 && $3 == t { n[$5] += $6 } END { for (f in n) print n[f] "\t" f }' "$functions" | sort -k1,1gr -k2 | head -n 10 | cut -f 2 | sort; }
samples() { awk -F, -v t="$1" 'NR > 1 && $2 > 0 && $3 == t { n += $6 } END { printf "%d", n }' "$functions"; }
common() {
	top_ten "$1" >"$scratch/one"
	top_ten "$2" >"$scratch/other"
	comm -12 "$scratch/one" "$scratch/other" | wc -l
}
functions=$1/functions.csv
{
	awk -f "$top/experiments/ratios.awk" -f "$here/tables.awk" "$1/summary.csv" "$1/raw.csv"
	if [ "$(wc -l <"$functions")" -gt 1 ]; then
		echo
		echo "## gofumpt"
		echo
		echo "Self time of its functions: the twelve that perf says most of, in per cent, and the difference in standard deviations of both"
		echo "numbers of samples together."
		echo
		echo "| function | perf | gotrace | Go's own | gotrace - perf, deviations | gotrace - Go's, deviations |"
		echo "|---|--:|--:|--:|--:|--:|"
		awk -F, -f "$here/functions.awk" "$functions" | sort -t "$(printf '\t')" -k1,1gr -k2 | head -n 12 | cut -f 2
		echo
		echo "Samples: perf $(samples perf), gotrace $(samples gotrace), Go's own $(samples go). Of the ten with most, gotrace and perf have"
		echo "$(common gotrace perf) in common, gotrace and Go's own $(common gotrace go), perf and Go's own $(common perf go)."
	fi
} >"$1/summary.md"
