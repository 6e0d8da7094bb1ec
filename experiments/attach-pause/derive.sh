#!/bin/sh
# Makes what is derived from the raw rows of a run: summary.csv, summary.md.
#   experiments/attach-pause/derive.sh RESULTS/RUN-ID
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
begin_derive "$@"
awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; n = split("sites pause_ns put_back_pause_ns requests_per_s events", what, " "); next }
	$col["discarded"] { next }
	{
		for (i = 1; i <= n; i++)
			if ($col[what[i]] != "" && (what[i] == "requests_per_s" || $col["probe"] != "none"))
				printf "%s,%s,%s,%s,%s\n", $1, what[i], $col["variant"], $col["round"], $col[what[i]]
	}' "$1/raw.csv" >"$scratch/lines"
# shellcheck disable=SC2154 # begin_derive sets it
"$stats" compare untraced untraced-again program,what <"$scratch/lines" >"$1/summary.csv"
awk -f "$top/experiments/ratios.awk" -f "$here/tables.awk" "$1/summary.csv" "$1/raw.csv" >"$1/summary.md"
