#!/bin/bash
# summary.sh DIR...: rows.csv, measures.csv and environment.txt of one or more runs as Markdown.
set -eu
[ $# -gt 0 ] || { sed -n '2s/^# //p' "$0" >&2; exit 2; }
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
for d in "$@"; do must_have_ended "$d"; done
for d in "$@"; do cat "$d/environment.txt"; done | sed 's/^\([a-z_]*\): /\1 /' | awk '
	$1 == "seconds" { s += $2 }
	$1 == "kernel" { kernel = $0 }
	$1 == "quick" { trial = "**A trial, not a result.**\n\n" }
	$1 ~ /^(git_)?commit$/ && !($2 in seen) { seen[$2]; commits = commits " " $2 }
	END { printf "%s%.2f hours on %s, commits%s\n\n", trial, s / 3600, kernel, commits }'
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
# Medians over all runs and versions; shares of runs as a mean.
for d in "$@"; do tail -n +2 "$d/measures.csv" | grep -v ,profile_external_pct, || true; done |
	LC_ALL=C sort -t, -k4,4 -k3,3 -k5,5g | awk -F, "$(cat "$top/experiments/median.awk")"'
function finish() {
	if (!n) return
	if (what == "quit_lost")
		cell[what, how] = sprintf("%d of %d", sum, n)
	else
		cell[what, how] = sprintf("%.6g (%.6g to %.6g)", median(v, n), v[1], v[n])
	if (!(what in seen)) { seen[what]; order[++m] = what }
	n = sum = 0
}
($3 " " $4) != last { finish(); last = $3 " " $4; how = $3; what = $4 }
{ v[++n] = $5; sum += $5 }
END {
	finish()
	n_hows = split("untraced emulated jump nop inline drop", hows, " ")
	head = "| measured, median (least to greatest) |"; below = "|---|"
	for (h = 1; h <= n_hows; h++) { head = head " " hows[h] " |"; below = below "---|" }
	print head "\n" below
	for (i = 1; i <= m; i++) {
		line = "| " order[i] " |"
		for (h = 1; h <= n_hows; h++) line = line " " cell[order[i], hows[h]] " |"
		print line
	}
}'
