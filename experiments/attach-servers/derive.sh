#!/bin/sh
# Makes what is derived from the raw rows of a run: summary.csv, summary.md.
#   experiments/attach-servers/derive.sh RESULTS/RUN-ID
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
begin_derive "$@"
awk -F, '
	function put(what, value) { printf "%s,%s,%s,%s,%.6g\n", $1, what, $col["variant"], $col["round"], value }
	NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; n = split("before attach during detach after", phase, " "); next }
	$col["discarded"] { next }
	{
		for (i = 1; i <= n; i++) {
			p = phase[i]
			if ($col[p "_s"] < 0.2) continue # too short for a rate
			put(p " requests a second", $col[p "_answered"] / $col[p "_s"])
			put(p " p50 us", $col[p "_p50_us"]); put(p " p99 us", $col[p "_p99_us"]); put(p " p999 us", $col[p "_p999_us"])
		}
		if ($col["during_answered"]) put("processor time a request us", 1000 * $col["during_cpu_ms"] / ($col["during_answered"] + $col["detach_answered"]))
	}' "$1/raw.csv" >"$scratch/lines"
# shellcheck disable=SC2154 # begin_derive sets it
"$stats" compare untraced untraced-again program,what <"$scratch/lines" >"$1/summary.csv"
awk -f "$top/experiments/ratios.awk" -f "$here/tables.awk" "$1/summary.csv" "$1/raw.csv" >"$1/summary.md"
