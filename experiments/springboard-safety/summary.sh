#!/bin/bash
# summary.sh DIR...: rows.csv, measures.csv and environment.txt of one or more runs as Markdown.
set -eu
[ $# -gt 0 ] || { sed -n '2s/^# //p' "$0" >&2; exit 2; }
for d in "$@"; do cat "$d/environment.txt"; done | awk '
	$1 == "seconds" { s += $2 } $1 == "kernel" { kernel = $0 } $1 == "git_commit" { commit[$2] }
	END {
		printf "%.2f hours on %s, commits", s / 3600, kernel
		for (c in commit) printf " %s", c
		print "\n"
	}'
for d in "$@"; do tail -n +2 "$d/rows.csv"; done | awk -F, '
{
	name = $0
	sub(/^[^"]*"/, "", name)
	sub(/".*/, "", name)
	rest = $0
	sub(/^[^"]*"[^"]*",/, "", rest)
	split(rest, r, ",")
	key = name " | " $4
	if (!(key in runs)) order[++n] = key
	runs[key]++
	if (r[1] == "failed") failed[key]++
	if (r[1] == "skipped") skipped[key]++
	events[key] += r[3]; lost[key] += r[4]
	if (!((key, $3) in seen)) { seen[key, $3]; versions[key]++ }
	total++; total_failed += r[1] == "failed"; total_events += r[3]
}
END {
	print "| test | probed by | Go versions | runs | failed | skipped | events | lost |"
	print "|---|---|---|---|---|---|---|---|"
	for (i = 1; i <= n; i++)
		printf "| %s | %d | %d | %d | %d | %d | %d |\n", order[i], versions[order[i]], runs[order[i]],
			failed[order[i]], skipped[order[i]], events[order[i]], lost[order[i]]
	printf "\n%d runs, %d failed, %.0f events.\n\n", total, total_failed, total_events
}'
# profile_external_pct, in the earliest runs, looked for the wrong name and measured nothing.
# Medians over all runs and versions; of the longest ones the greatest; shares of runs as a mean.
for d in "$@"; do tail -n +2 "$d/measures.csv" | grep -v ,profile_external_pct,; done | sort -t, -k4,4 -k3,3 -k5,5g | awk -F, '
function finish() {
	if (!n) return
	if (what == "quit_lost")
		cell[what, how] = sprintf("%d of %d", sum, n)
	else
		cell[what, how] = sprintf("%.6g (%.6g to %.6g)", n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2, v[1], v[n])
	if (!(what in seen)) { seen[what]; order[++m] = what }
	n = sum = 0
}
($3 " " $4) != last { finish(); last = $3 " " $4; how = $3; what = $4 }
{ v[++n] = $5; sum += $5 }
END {
	finish()
	print "| measured, median (least to greatest) | untraced | emulated | jump | nop |"
	print "|---|---|---|---|---|"
	for (i = 1; i <= m; i++)
		printf "| %s | %s | %s | %s | %s |\n", order[i], cell[order[i], "untraced"], cell[order[i], "emulated"],
			cell[order[i], "jump"], cell[order[i], "nop"]
}'
