#!/bin/sh
# summary.sh FOLDER: rows.csv as Markdown.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
must_have_ended "$1"
out=$1
echo "# Memory of gotrace and size of its trace over time"
echo
[ -z "$(stored quick)" ] || printf '**A trial, not a result.**\n\n'
echo "*First*: after a minute, or a tenth of the time where that is less. Asked by $(stored seconds_each | sed 's/.*, //')."
echo
echo "| mode | seconds | M events | memory at first, MB | most after that | at the end | trace at first, KB | at the end |"
echo "|---|--:|--:|--:|--:|--:|--:|--:|"
awk -F, -v seconds="$(stored seconds_each | sed 's/,.*//')" '
BEGIN { from = seconds / 10 < 60 ? seconds / 10 : 60 }
NR > 1 {
	if (!($1 in n)) order[++modes] = $1
	n[$1]++
	if ($2 <= from + 0 || !first[$1]) { first[$1] = $3; size[$1] = $5 }
	if ($2 > from && $3 + 0 > most[$1]) most[$1] = $3
	last[$1] = $3; end[$1] = $5; events[$1] = $6; took[$1] = $2
}
END {
	for (i = 1; i <= modes; i++) {
		m = order[i]
		printf "| %s | %d | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n",
			m, took[m], events[m] / 1e6, first[m] / 1e3, most[m] / 1e3, last[m] / 1e3, size[m] / 1e3, end[m] / 1e3
	}
}' "$1/rows.csv"
