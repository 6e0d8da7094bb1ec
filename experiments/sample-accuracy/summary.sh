#!/bin/bash
# summary.sh FOLDER: rows.csv and functions.csv as Markdown.
set -eu
cd "$1"
echo "# Shares by samples"
echo
sed 's/^/- /' environment.txt
echo
echo "Share over all rounds, range of the rounds, and how far it is from the truth in standard deviations of such a number"
echo "of samples (chance alone stays below 5). -: no sample of these functions, which have no names then."
echo
echo "| program | build | tool | quantity | samples | truth | share | rounds | off, deviations |"
echo "|---|---|---|---|--:|--:|--:|---|--:|"
awk -F, 'NR > 1 {
	key = $2 FS $3 FS $4 FS $6
	if (!(key in of)) order[++n] = key
	hits[key] += $7; of[key] += $8; truth[key] += $9 * $8; plain[key] = $9
	s = $8 ? $7 / $8 : -1
	if (s >= 0 && (!(key in least) || s < least[key])) least[key] = s
	if (s >= 0 && (!(key in most) || s > most[key])) most[key] = s
}
END {
	for (i = 1; i <= n; i++) {
		key = order[i]
		split(key, p, FS)
		if (!of[key]) { printf "| %s | %s | %s | %s | 0 | %.3f | - | - | - |\n", p[1], p[2], p[3], p[4], plain[key]; continue }
		t = truth[key] / of[key]
		s = hits[key] / of[key]
		off = t < 1 ? sprintf("%.1f", (s > t ? s - t : t - s) / sqrt(t * (1 - t) / of[key])) : ""
		printf "| %s | %s | %s | %s | %d | %.3f | %.3f | %.3f to %.3f | %s |\n", p[1], p[2], p[3], p[4], of[key], t, s, least[key], most[key], off
	}
}' rows.csv
echo
echo "Self time of gofumpt's functions: the twelve that perf says most of, in per cent, and the difference in standard"
echo "deviations of both numbers of samples together."
echo
echo "| function | perf | gotrace | Go's own | gotrace - perf, deviations | gotrace - Go's, deviations |"
echo "|---|--:|--:|--:|--:|--:|"
awk -F, 'NR > 1 { n[$3, $5] += $6; all[$3] += $6; name[$5] }
function off(a, b, f,   p, d) {
	p = (n[a, f] + n[b, f]) / (all[a] + all[b])
	d = n[a, f] / all[a] - n[b, f] / all[b]
	return p > 0 && p < 1 ? d / sqrt(p * (1 - p) * (1 / all[a] + 1 / all[b])) : 0
}
function pct(t, f) { return 100 * n[t, f] / all[t] }
END {
	for (f in name)
		printf "%.6f\t| %s | %.2f | %.2f | %.2f | %.1f | %.1f |\n", pct("perf", f), f, pct("perf", f), pct("gotrace", f), pct("go", f),
			off("gotrace", "perf", f), off("gotrace", "go", f)
}' functions.csv | sort -gr | head -12 | cut -f 2
echo
top_ten() { awk -F, -v t="$1" 'NR > 1 && $3 == t { n[$5] += $6 } END { for (f in n) print n[f] "\t" f }' functions.csv | sort -gr | head -10 | cut -f 2 | sort; }
samples() { awk -F, -v t="$1" 'NR > 1 && $3 == t { n += $6 } END { print n + 0 }' functions.csv; }
common() { comm -12 <(top_ten "$1") <(top_ten "$2") | wc -l; }
echo "Samples: perf $(samples perf), gotrace $(samples gotrace), Go's own $(samples go). Of the ten with most, gotrace and perf have"
echo "$(common gotrace perf) in common, gotrace and Go's own $(common gotrace go), perf and Go's own $(common perf go)."
