#!/bin/sh
# Makes what is derived from the raw rows of a run: summary.csv, summary.md.
#   experiments/mode-cost/derive.sh RESULTS/RUN-ID
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
begin_derive "$@"
awk -F, -v OFS=, '
	NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
	$col["discarded"] { next }
	function line(what, value) { printf "%s,%s,%s,%s,%.9f\n", $1, what, $col["variant"], $col["round"], value }
	{
		line("cpu", $col["target_cpu_ns"] / 1e9)
		line("wall", $col["target_wall_ns"] / 1e9)
		line("all", ($col["target_cpu_ns"] + $col["tool_cpu_ns"]) / 1e9)
		if ($col["variant"] ~ /^untraced/) next
		line("tool", $col["tool_cpu_ns"] / 1e9)
		line("events", $col["events"])
		line("kb", $col["trace_bytes"] / 1e3)
	}' "$1/raw.csv" >"$scratch/lines"
# shellcheck disable=SC2154 # begin_derive sets it
"$stats" compare untraced untraced-again program,what <"$scratch/lines" >"$1/summary.csv"
awk -f "$top/experiments/ratios.awk" -f "$here/tables.awk" "$1/summary.csv" "$1/raw.csv" >"$1/summary.md"
