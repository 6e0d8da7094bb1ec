#!/bin/bash
# summary.md of a result folder: summary.sh FOLDER
set -euo pipefail
cd "$1"
{
	echo "# Real programs, traced"
	echo
	echo "Medians of rounds after one discarded; wall is that of the program (\`end.target_wall_ns\`), end to end that of"
	echo "\`gotrace record\`, both also as multiples of the untraced wall. Processor time is the program's. Events by traps:"
	echo "*emulated*, *jump* (a stub's slow path, full rings among them), *step* (two traps)."
	echo
	echo "| program | probes | wall s | × | end to end × | CPU s | events | by stub | emulated | jump | step | lost | same output and status |"
	echo "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|"
	awk -F, '
	function median(list,   v, n, i, j, t) {
		n = split(list, v, " ")
		for (i = 2; i <= n; i++)
			for (j = i; j > 1 && v[j - 1] + 0 > v[j] + 0; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
		return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
	}
	NR > 1 && !$4 {
		k = $1 "," $2
		if (!(k in runs)) { order[++n] = k; same[k] = "yes" }
		runs[k]++
		for (c = 7; c <= 16; c++)
			rows[k, c] = rows[k, c] " " $c
		if ($6 != "yes") same[k] = "**no**"
	}
	END {
		for (i = 1; i <= n; i++) {
			k = order[i]
			split(k, part, ",")
			plain = median(rows[part[1] ",untraced", 8])
			printf "| %s | %s | %.2f | %.2f | %.2f | %.2f |", part[1], part[2], median(rows[k, 8]),
				median(rows[k, 8]) / plain, median(rows[k, 7]) / plain, median(rows[k, 9])
			for (c = 10; c <= 15; c++)
				printf " %s |", part[2] == "untraced" ? "" : sprintf("%d", median(rows[k, c]))
			printf " %s |\n", same[k]
		}
	}' rows.csv
	echo
	echo "## Shares of self time against Go's own profile of the untraced run"
	echo
	echo "Percent of the time in selected functions; the ten functions first in the profile. A profile has no waiting:"
	echo "the functions in which goroutines wait were traced as well in these runs, and left out."
	echo
	echo "| program | probes | mean difference, points | largest | of |"
	echo "|---|---|--:|--:|---|"
	awk -F, '
	NR > 1 {
		k = $1 "," $2
		if (++rank[k] == 1) order[++n] = k
		if (rank[k] > 10 || $4 == 0) next
		d = $5 - $4; a = d < 0 ? -d : d
		sum[k] += a; count[k]++
		if (a >= most[k]) { most[k] = a; which[k] = sprintf("`%s`: %.1f, profile %.1f", $3, $5, $4) }
	}
	END {
		for (i = 1; i <= n; i++) {
			k = order[i]
			split(k, part, ",")
			if (count[k])
				printf "| %s | %s | %.1f | %.1f | %s |\n", part[1], part[2], sum[k] / count[k], most[k], which[k]
		}
	}' shares.csv
	echo
	echo "Each of them, largest difference first, with inline stubs; springboard beside it:"
	echo
	echo "| program | function | profile | inline | difference | springboard | difference |"
	echo "|---|---|--:|--:|--:|--:|--:|"
	awk -F, '
	NR > 1 && $2 == "inline" && ++rank[$1] <= 10 && $4 > 0 { order[++n] = $1 "," $3; profile[$1, $3] = $4; inline[$1, $3] = $5 }
	NR > 1 && $2 == "springboard" { springboard[$1, $3] = $5 }
	END {
		for (i = 1; i <= n; i++) {
			split(order[i], p, ",")
			a = inline[p[1], p[2]] - profile[p[1], p[2]]
			beside = "- | -"
			if ((p[1], p[2]) in springboard) {
				b = springboard[p[1], p[2]]
				beside = sprintf("%.1f | %+.1f", b, b - profile[p[1], p[2]])
			}
			printf "%s\t%f\t| %s | `%s` | %.1f | %.1f | %+.1f | %s |\n", p[1], a < 0 ? -a : a, p[1], p[2],
				profile[p[1], p[2]], inline[p[1], p[2]], a, beside
		}
	}' shares.csv | sort -s -t "$(printf '\t')" -k1,1 -k2,2gr | cut -f 3
	echo
	echo "## What still traps under inline, by cost"
	echo
	echo "Hits of a site in one run times the measured cost of such a trap; all programs."
	echo
	echo "| program | site | hits | traps | cost ms | why |"
	echo "|---|---|--:|--:|--:|---|"
	tail -n +2 sites.csv | sort -t, -k6,6gr | head -n 25 |
		awk -F, '{ gsub(/;/, ",", $7); printf "| %s | `%s` %s | %d | %d | %.1f | %s |\n", $1, $2, $3, $4, $5, $6, $7 }'
} >summary.md
