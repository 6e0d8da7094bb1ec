#!/bin/sh
# summary.sh FOLDER: rows.csv and counts.csv as Markdown.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
must_have_ended "$1"
out=$1
length=$(stored length)
echo "# Memory and file over time"
echo
[ -z "$(stored quick)" ] || printf '**A trial, not a result.**\n\n'
echo "Memory of gotrace (resident; its own, and all, rings included) and size of the file, after a tenth of $length and at the end."
echo
echo "| mode | seconds | own then, KiB | own at the end | most | all then, KiB | all at the end | file then, bytes | at the end | most |"
echo "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
awk -F, -v length_s="${length% s}" 'NR > 1 && $3 {
	if (!($1 in last)) order[++n] = $1
	if (!($1 in early) && $2 >= length_s / 10) { early[$1] = $4; early_all[$1] = $3; early_file[$1] = $5 }
	last[$1] = $2; own[$1] = $4; all[$1] = $3; file[$1] = $5
	if ($4 + 0 > most[$1]) most[$1] = $4
	if ($5 + 0 > most_file[$1]) most_file[$1] = $5
} END {
	n_known = split("summary recorder", known, " ") # two run at once: the order of their first rows is chance
	for (i = 1; i <= n_known; i++) {
		m = known[i]
		if (m in last) printf "| %s | %d | %d | %d | %d | %d | %d | %.0f | %.0f | %.0f |\n", m, last[m], early[m], own[m], most[m], \
			early_all[m], all[m], early_file[m], file[m], most_file[m]
	}
}' "$1/rows.csv"
echo
echo "Calls by the program's own count and in the trace; a recorder has those of its last 20 seconds only."
echo
echo "| mode | function | program | trace |"
echo "|---|---|--:|--:|"
awk -F, 'NR > 1 { printf "| %s | `%s` | %.0f | %s |\n", $1, $2, $3, $4 }' "$1/counts.csv" | LC_ALL=C sort
