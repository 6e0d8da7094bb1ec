#!/bin/sh
# Makes what is derived from the raw rows of a run of run.sh, gaps.sh or goroutines.sh: summary.csv, summary.md.
#   experiments/sample-cost/derive.sh RESULTS/RUN-ID
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
begin_derive "$@"
# What is looked for is small: an interval that is wider says nothing.
case $(head -n 1 "$1/raw.csv") in
program,*) kind='run' group=program WIDEST=1.1 ;;
threads,*) kind='gaps' group=threads WIDEST=1.02 ;;
goroutines,*) kind='goroutines' group=goroutines WIDEST=1.02 ;;
*) echo "derive.sh: $1/raw.csv has columns that are not known" >&2; exit 1 ;;
esac
export WIDEST
# shellcheck disable=SC2154 # begin_derive sets it
awk -v kind="$kind" -f "$here/lines.awk" "$1/raw.csv" >"$scratch/lines"
grep -v ',against_perf_' "$scratch/lines" >"$scratch/all"
"$stats" compare untraced untraced-again "$group,what" <"$scratch/all" >"$1/summary.csv"
if grep ',against_perf_' "$scratch/lines" >"$scratch/pairs"; then
	"$stats" compare perf none "$group,what" <"$scratch/pairs" | tail -n +2 >>"$1/summary.csv"
fi
awk -v kind="$kind" -f "$top/experiments/ratios.awk" -f "$here/tables.awk" "$1/summary.csv" "$1/raw.csv" >"$1/summary.md"
