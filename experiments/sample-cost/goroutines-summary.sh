#!/bin/bash
# goroutines-summary.sh FOLDER: rows.csv of goroutines.sh as Markdown.
set -eu
functions=$(cat "$(dirname "$0")/../median.awk")
cd "$1"
echo "# What looking at goroutines that wait costs"
echo
sed 's/^/- /' environment.txt
echo
echo "Per cent of one processor: what gotrace uses itself once it has begun, and what the program uses more than untraced in the same"
echo "round. Median, and the interval in which the true median is in 95 of 100 experiments. To begin it took the time of the last column."
echo
echo "| goroutines | gotrace, % | the program, % more | snapshots a second | part of them looked at, % | to begin, s |"
echo "|--:|--:|--:|--:|--:|--:|"
awk -F, '
NR > 1 && $3 == "untraced" { own[$1, $2] = $5 / $4 }
NR > 1 && $3 == "wall" { tool[$1, $2] = $6 / $4; with[$1, $2] = $5 / $4; begun[$1, $2] = $7 / 1e9; rate[$1, $2] = $8 / 14; part[$1, $2] = $10 ? $9 / $10 : 0 }
END {
	for (k in tool) {
		split(k, p, SUBSEP)
		printf "%d %.6f %.6f %.3f %.3f %.3f\n", p[2], 100 * tool[k], 100 * (with[k] - own[k]), rate[k], 100 * part[k], begun[k]
	}
}' rows.csv | sort -n | awk "$functions"'
function put() {
	if (!m) return
	sort(tool, m)
	sort(more, m)
	sort(rate, m)
	sort(part, m)
	sort(begun, m)
	printf "| %d | %.2f (%s) | %+.2f (%s) | %.1f | %.1f | %.2f |\n", last, median(tool, m), interval(tool, m, "%.2f"), median(more, m),
		interval(more, m, "%+.2f"), median(rate, m), median(part, m), median(begun, m)
	m = 0
}
$1 != last { put(); last = $1 }
{ tool[++m] = $2; more[m] = $3; rate[m] = $4; part[m] = $5; begun[m] = $6 }
END { put() }'
