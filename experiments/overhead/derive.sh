#!/bin/sh
# Makes what is derived from the raw rows of a run: summary.csv, tables.md, the plots.
#   experiments/overhead/derive.sh RESULTS/RUN-ID
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
begin_derive "$@"
selection=$(sed -n 's/^oto_packages: //p' "$out/environment.txt")
awk -v selection="$selection" -f "$here/summary.awk" "$out/raw.csv" >"$scratch/lines"
"$stats" compare plain plain-again program,tool,what <"$scratch/lines" >"$out/summary.csv"
awk -v selection="$selection" -f "$here/tables.awk" "$top/paper/thesis.csv" "$out/summary.csv" "$out/raw.csv" >"$out/tables.md"
gnuplot -e "dir='$out'" "$here/plot.gp"
