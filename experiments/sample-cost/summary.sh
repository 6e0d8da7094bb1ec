#!/bin/bash
# summary.sh FOLDER: rows.csv as Markdown.
set -eu
functions=$(cat "$(dirname "$0")/../median.awk")
cd "$1"
echo "# What sampling takes"
echo
sed 's/^/- /' environment.txt
echo
echo "Per cent that the target took more than untraced in the same round: median, and the interval in which the true median is in"
echo "95 of 100 experiments. Processor time of the target alone, and of target and tool together; seconds of the tool are medians."
echo
echo "| program | | Hz | target's processor time, % | target's wall time, % | target and tool, % | tool, s | report, s | samples |"
echo "|---|---|--:|--:|--:|--:|--:|--:|--:|"
awk -F, "$functions"'
function sorted(key, what,   i) { # into s; how many
	for (i = 1; i <= n[key]; i++) s[i] = value[key, what, i]
	sort(s, n[key])
	return n[key]
}
function more(key, what,   m) { m = sorted(key, what); return sprintf("%+.1f (%s)", median(s, m), interval(s, m, "%+.1f")) }
function middle(key, what,   m) { m = sorted(key, what); return median(s, m) }
NR > 1 {
	cpu[$1, $2, $3, $4] = $6 + $7; wall[$1, $2, $3, $4] = $5; tool[$1, $2, $3, $4] = $8
	after[$1, $2, $3, $4] = $9; samples[$1, $2, $3, $4] = $10
	key = $2 FS $3 FS $4
	if (!(key in seen)) { seen[key]; order[++keys] = key }
	if ($1 > rounds) rounds = $1
}
END {
	for (i = 1; i <= keys; i++) {
		key = order[i]
		split(key, p, FS)
		if (p[2] == "untraced") continue
		for (r = 1; r <= rounds; r++) {
			if (!((r, p[1], p[2], p[3]) in cpu) || !((r, p[1], "untraced", 0) in cpu)) continue
			k = ++n[key]
			base = cpu[r, p[1], "untraced", 0]
			value[key, "cpu", k] = 100 * (cpu[r, p[1], p[2], p[3]] / base - 1)
			value[key, "wall", k] = 100 * (wall[r, p[1], p[2], p[3]] / wall[r, p[1], "untraced", 0] - 1)
			value[key, "all", k] = 100 * ((cpu[r, p[1], p[2], p[3]] + tool[r, p[1], p[2], p[3]]) / base - 1)
			value[key, "tool", k] = tool[r, p[1], p[2], p[3]] / 1e9
			value[key, "after", k] = after[r, p[1], p[2], p[3]] / 1e9
			value[key, "samples", k] = samples[r, p[1], p[2], p[3]]
		}
		# in the order of program, rate, tool
		printf "%s %04d %s\t| %s | %s | %s | %s | %s | %s | %.3f | %.3f | %d |\n", p[1], p[3], p[2], p[1], p[2] == "untraced_again" ? "untraced again (A/A)" : p[2], p[3] ? p[3] : "",
			more(key, "cpu"), more(key, "wall"), more(key, "all"), middle(key, "tool"), middle(key, "after"), middle(key, "samples")
	}
}' rows.csv | sort | cut -f 2
echo
echo "gotrace against perf in the same round: processor time of target and tool together, per cent; below 0 gotrace takes less."
echo
echo "| program | Hz | gotrace - perf, % |"
echo "|---|--:|--:|"
awk -F, 'NR > 1 && $4 { all[$2 " " $4, $1, $3] = $6 + $7 + $8; key[$2 " " $4]; if ($1 > rounds) rounds = $1 }
END {
	for (k in key) for (r = 1; r <= rounds; r++)
		if (((k, r, "gotrace") in all) && ((k, r, "perf") in all))
			print k, 100 * (all[k, r, "gotrace"] / all[k, r, "perf"] - 1)
}' rows.csv | sort -k1,1 -k2,2n -k3,3g | awk "$functions"'
function put() {
	if (m) printf "| %s | %s | %+.1f (%s) |\n", program, hz, median(s, m), interval(s, m, "%+.1f")
	m = 0
}
$1 " " $2 != last { put(); last = $1 " " $2; program = $1; hz = $2 }
{ s[++m] = $3 }
END { put() }'
