#!/bin/sh
# Makes what is derived from the raw rows of a run: summary.csv, summary.md.
#   experiments/where-time-goes/derive.sh RESULTS/RUN-ID
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
begin_derive "$@"
awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; n = split("lock query busy", question, " "); next }
	$col["discarded"] { next }
	function line(what, value) { printf "%s,%s,%s,%s,%.9f\n", $1, what, $col["variant"], $col["round"], value }
	{
		line("wall", $col["wall_s"])
		line("cpu", $col["cpu_s"])
		for (i = 1; i <= n; i++)
			if ($col["told_" question[i] "_s"] != "") line(question[i], $col["told_" question[i] "_s"] / $col[question[i] "_s"])
	}' "$1/raw.csv" >"$scratch/lines"
# shellcheck disable=SC2154 # begin_derive sets it
"$stats" compare untraced untraced-again program,what <"$scratch/lines" >"$1/summary.csv"
awk -f "$top/experiments/ratios.awk" -f "$here/tables.awk" "$1/summary.csv" "$1/raw.csv" >"$1/summary.md"
