#!/bin/sh
# Makes what is derived from the raw rows of a run: summary.csv, summary.md.
#   experiments/real-programs/derive.sh RESULTS/RUN-ID
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
begin_derive "$@"
export LC_ALL=C
awk -F, -v OFS=, '
	NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; n = split("target_s end_to_end_s target_cpu_s events inline emulated jump step trace_bytes", what, " "); next }
	!$col["discarded"] {
		for (i = 1; i <= n; i++)
			if (i <= 3 || $col["variant"] !~ /^untraced/) print $1, what[i], $col["variant"], $col["round"], $col[what[i]]
	}' "$1/raw.csv" >"$scratch/lines"
# shellcheck disable=SC2154 # begin_derive sets it
"$stats" compare untraced untraced-again program,what <"$scratch/lines" >"$1/summary.csv"
awk "$(cat "$top/experiments/median.awk" "$here/shares-median.awk")" "$1/shares.csv" |
	sort -t, -k1,1 -k2,2 -k5,5gr -k3,3 >"$scratch/shares"
{
	awk -f "$top/experiments/ratios.awk" -f "$here/tables.awk" "$1/summary.csv" "$1/raw.csv"
	echo
	echo "## Shares of self time against Go's own profile of the untraced program"
	echo
	echo "Of the ten functions with most self time: how far their shares of the time in probed functions are from the profile's, in"
	echo "points, as measured and without what the probes took, and the same of the five with most that are sure. Medians of rounds."
	echo
	echo "| program | variant | mean points off, top ten, measured | corrected | most of top five, measured | corrected | rank correlation, measured | corrected | unsure of ten |"
	echo "|---|---|--:|--:|--:|--:|--:|--:|--:|"
	awk -F, -f "$here/shares-summary.awk" "$scratch/shares"
	echo
	echo "The five with most:"
	echo
	echo "| program | variant | function | profile, % | measured, % | corrected, % | |"
	echo "|---|---|---|--:|--:|--:|---|"
	awk -F, '++n[$1, $2] <= 5 { printf "| %s | %s | `%s` | %.1f | %.1f | %.1f | %s |\n", $1, $2, $3, $4, $5, $6, $7 ? "unsure" : "" }' "$scratch/shares"
	echo
	echo "## What still traps with inline stubs, by cost"
	echo
	echo "Hits of a site in one run times the measured cost of such a trap; the 25 first of all programs."
	echo
	echo "| program | site | hits | traps | cost ms | why |"
	echo "|---|---|--:|--:|--:|---|"
	tail -n +2 "$1/sites.csv" | sort -t, -k6,6gr -k1,3 | head -n 25 |
		awk -F, '{ gsub(/;/, ",", $7); printf "| %s | `%s` %s | %.0f | %d | %.1f | %s |\n", $1, $2, $3, $4, $5, $6, $7 }'
} >"$1/summary.md"
