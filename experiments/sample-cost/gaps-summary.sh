#!/bin/bash
# gaps-summary.sh FOLDER: rows.csv of gaps.sh as Markdown.
set -eu
functions=$(cat "$(dirname "$0")/../median.awk")
cd "$1"
echo "# What sampling takes from a thread that runs"
echo
sed 's/^/- /' environment.txt
echo
echo "Per cent of its time that the thread was interrupted more than untraced in the same round: median, and the interval in which the true"
echo "median is in 95 of 100 experiments. Gaps of more than 200 us are none of these interrupts and left out."
echo
echo "| | Hz | more time in gaps, % | more gaps a second |"
echo "|---|--:|--:|--:|"
awk -F, '
NR > 1 { share[$1, $2, $3] = 100 * $5 / ($4 - $7); rate[$1, $2, $3] = $6 / ($4 / 1e9); seen[$2 " " $3]; if ($1 > rounds) rounds = $1 }
END {
	for (k in seen) {
		split(k, p, " ")
		if (p[1] == "untraced") continue
		for (r = 1; r <= rounds; r++)
			if (((r, p[1], p[2]) in share) && ((r, "untraced", 0) in share))
				printf "%s %s %.6f %.3f\n", p[1], p[2], share[r, p[1], p[2]] - share[r, "untraced", 0], rate[r, p[1], p[2]] - rate[r, "untraced", 0]
	}
}' rows.csv | sort -k2,2n -k1,1 | awk "$functions"'
function put() {
	if (!m) return
	sort(share, m)
	sort(rate, m)
	printf "| %s | %s | %+.2f (%s) | %+.0f |\n", name == "untraced_again" ? "untraced again (A/A)" : name, hz ? hz : "", median(share, m),
		interval(share, m, "%+.2f"), median(rate, m)
	m = 0
}
$1 " " $2 != last { put(); last = $1 " " $2; name = $1; hz = $2 }
{ share[++m] = $3; rate[m] = $4 }
END { put() }'
