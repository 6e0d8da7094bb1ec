#!/bin/bash
# The summary of a result folder of where-time-goes, from its rows.
set -euo pipefail
echo "# Where time goes"
echo
sed 's/^/- /' "$1/environment.txt"
cat <<'END'

Seconds that a tool tells over those that the server measured in the same run: median and range of the rounds.
-: the tool tells nothing of it. lock: waiting for a mutex in main.locked; query: a sleep in main.query; busy:
computing in main.busy. wall and cpu: of the server, over the untraced run of the same round.

| tool | lock | query | busy | wall | cpu |
|---|--:|--:|--:|--:|--:|
END
awk -F, '
function median(list, n,   v, i, j, t) {
	split(list, v, " ")
	for (i = 2; i <= n; i++) for (j = i; j > 1 && v[j] + 0 < v[j - 1] + 0; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
	least = v[1]; most = v[n]
	return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}
NR == 1 { next }
{
	if (!($2 in seen)) { seen[$2] = ++tools; name[tools] = $2 }
	if ($2 == "untraced") { wall[$1] = $6; cpu[$1] = $7 }
	if ($5 != "") { told[$2, $3] = told[$2, $3] " " $5 / $4; n[$2, $3]++ }
	if ($3 == "lock") { walls[$2] = walls[$2] " " $6 / wall[$1]; cpus[$2] = cpus[$2] " " $7 / cpu[$1]; runs[$2]++ }
}
END {
	split("lock query busy", q, " ")
	for (t = 1; t <= tools; t++) {
		line = "| " name[t] " |"
		for (i = 1; i <= 3; i++) {
			k = n[name[t], q[i]]
			if (!k) { line = line " - |"; continue }
			m = median(told[name[t], q[i]], k)
			line = line sprintf(" %.3f (%.3f to %.3f) |", m, least, most)
		}
		print line sprintf(" %.2f | %.2f |", median(walls[name[t]], runs[name[t]]), median(cpus[name[t]], runs[name[t]]))
	}
}' "$1/rows.csv"
