#!/bin/sh
# summary.sh FOLDER: what the agent takes, from raw.csv, as Markdown.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
must_have_ended "$1"
cat <<'END'
# What the agent takes

Processor time is the agent's own, splitting, naming and writing included, over the time that passed; memory is what was resident, at its most and
at the end; the store grows by what is sampled.

END
awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{
		k = $1
		if (!(k in first)) { order[++n] = k; first[k] = $(at["agent_cpu_s"]); from[k] = $2; profiles[k] = $(at["profiles"]); bytes[k] = $(at["store_bytes"]) }
		seconds[k] = $2 - from[k]
		cpu[k] = $(at["agent_cpu_s"]) - first[k]
		rss = $(at["resident_bytes"]) / 1048576
		if (rss > most[k]) most[k] = rss
		last[k] = rss
		more[k] = $(at["profiles"]) - profiles[k]
		grew[k] = $(at["store_bytes"]) - bytes[k]
		lost[k] = $(at["lost"])
	}
	END {
		print "| interval | seconds | processor, % | memory, MiB, at most | at the end | profiles | KiB of a profile | samples lost |"
		print "|---|--:|--:|--:|--:|--:|--:|--:|"
		for (i = 1; i <= n; i++) {
			k = order[i]
			printf "| %s | %d | %.2f | %.0f | %.0f | %d | %.1f | %d |\n", k, seconds[k], seconds[k] ? 100 * cpu[k] / seconds[k] : 0, most[k], last[k], more[k], more[k] ? grew[k] / more[k] / 1024 : 0, lost[k]
		}
	}' "$1/raw.csv"
[ ! -e "$1/truth.csv" ] || awk -F, 'NR == 1 { print "\nProcessor time of the programs, by the scheduler of the kernel and as sampled:\n"
	print "| interval | ran, s | sampled, s | samples | off by, % |\n|---|--:|--:|--:|--:|"; next }
	{ printf "| %s | %.1f | %.1f | %d | %+.1f |\n", $1, $2, $3, $4, $2 ? 100 * ($3 / $2 - 1) : 0 }' "$1/truth.csv"
