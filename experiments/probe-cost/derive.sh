#!/bin/sh
# Makes what is derived from the raw rows of a run: summary.csv, summary.md.
#   experiments/probe-cost/derive.sh RESULTS/RUN-ID
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
begin_derive "$@"
awk -v of="$scratch/" -f "$here/lines.awk" "$1/raw.csv" "$1/raw.csv"
# A call's time, in which A/A must find no difference; and what is added to a call, of which thesis is the base.
# shellcheck disable=SC2154 # begin_derive sets it
"$stats" compare plain plain-again function,threads,what <"$scratch/calls" >"$1/summary.csv"
"$stats" compare thesis thesis-again function,threads,what <"$scratch/added" | tail -n +2 >>"$1/summary.csv"
awk -f "$top/experiments/ratios.awk" -f "$here/tables.awk" "$1/summary.csv" "$1/raw.csv" >"$1/summary.md"
