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
# Functions that no probe can see, as what gotrace says of its recordings has it; nothing of a run that kept none.
inlined() { # FOLDER
	mkdir -p "$scratch/info"
	if [ -e "$1/logs.tar.zst" ]; then
		tar -I zstd -C "$scratch" --wildcards -xf "$1/logs.tar.zst" 'info/*.inline.txt' 2>/dev/null || return 0
	else
		cp "$1"/info/*.inline.txt "$scratch/info" 2>/dev/null || return 0
	fi
	cat <<-'EOF'
		## Functions that exist only inlined

		The compiler inlined each call of these, so that no probe can see one. Of the functions that were selected.

		| program | probed | exist only inlined | of both, % |
		|---|--:|--:|--:|
	EOF
	for info in "$scratch"/info/*.inline.txt; do
		awk -v program="$(basename "$info" .inline.txt)" '
			$1 == "plan.probed" { probed = $2 }
			$1 == "plan.inlined" { inlined = $2 }
			END { if (probed) printf "| %s | %d | %d | %.0f |\n", program, probed, inlined, inlined / (probed + inlined) * 100 }' "$info"
	done
	echo
}
# Nothing of a run that has no estimates.
estimates() {
	awk -v what=lines -f "$here/estimates.awk" "$1/shares.csv" >"$scratch/lines"
	[ -s "$scratch/lines" ] || return 0
	awk -v what=covered -f "$here/estimates.awk" "$1/shares.csv" >"$scratch/covered"
	"$stats" compare better - program <"$scratch/lines" >"$scratch/errors"
	cat <<-'EOF'
		## Largest error of the five functions that have most, by estimate

		Points off the profile: by what reports show, by samples alone, by events alone, and as measured. Medians of rounds, with their
		intervals. Covered: rows whose stated error holds the profile's share, of all rows of all rounds. First: rounds in which the function
		with most is the profile's.

		| program, variant | reported | by samples | by events | as measured | covered | first |
		|---|--:|--:|--:|--:|--:|--:|
	EOF
	awk '
		FILENAME == ARGV[1] { rows[$1] = $3 " of " $2; first[$1] = $4 " of " $5; next }
		FNR == 1 { n = split($0, name, ","); for (i = 1; i <= n; i++) at[name[i]] = i; next }
		{
			split($0, v, ",")
			cell[v[1], v[at["variant"]]] = sprintf("%.1f", v[at["median"]]) (v[at["low"]] == "" ? "" : sprintf(" (%.1f to %.1f)", v[at["low"]], v[at["high"]]))
			if (!(v[1] in known)) { known[v[1]]; order[++programs] = v[1] }
		}
		END {
			for (i = 1; i <= programs; i++) {
				p = order[i]; title = p; sub(/:/, ", ", title)
				print "| " title " | " cell[p, "better"] " | " cell[p, "samples"] " | " cell[p, "events"] " | " cell[p, "measured"] " | " rows[p] " | " first[p] " |"
			}
		}' "$scratch/covered" "$scratch/errors"
	echo
}
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
	estimates "$1"
	inlined "$1"
	echo "## What still traps with inline stubs, by cost"
	echo
	echo "Hits of a site in one run times the measured cost of such a trap; the 25 first of all programs."
	echo
	echo "| program | site | hits | traps | cost ms | why |"
	echo "|---|---|--:|--:|--:|---|"
	tail -n +2 "$1/sites.csv" | sort -t, -k6,6gr -k1,3 | head -n 25 |
		awk -F, '{ gsub(/;/, ",", $7); printf "| %s | `%s` %s | %.0f | %d | %.1f | %s |\n", $1, $2, $3, $4, $5, $6, $7 }'
} >"$1/summary.md"
