# functions.csv -> lines of a table behind the share by perf, by which they are to be sorted.
NR > 1 && $2 > 0 { n[$3, $5] += $6; all[$3] += $6; name[$5] }
function off(a, b, f,   p, d) {
	if (!all[a] || !all[b]) return "–"
	p = (n[a, f] + n[b, f]) / (all[a] + all[b])
	d = n[a, f] / all[a] - n[b, f] / all[b]
	return p > 0 && p < 1 ? sprintf("%.1f", d / sqrt(p * (1 - p) * (1 / all[a] + 1 / all[b]))) : "0.0"
}
function pct(t, f) { return all[t] ? sprintf("%.2f", 100 * n[t, f] / all[t]) : "–" }
END {
	for (f in name)
		printf "%.6f\t| %s | %s | %s | %s | %s | %s |\n", all["perf"] ? 100 * n["perf", f] / all["perf"] : 0, f, pct("perf", f),
			pct("gotrace", f), pct("go", f), off("gotrace", "perf", f), off("gotrace", "go", f)
}
