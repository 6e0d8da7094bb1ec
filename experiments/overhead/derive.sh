#!/bin/sh
# Makes what is derived from the raw rows of a run: summary.csv, tables.md, the plots.
#   experiments/overhead/derive.sh RESULTS/RUN-ID
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
if [ $# != 1 ] || [ ! -f "$1/raw.csv" ]; then
	echo "usage: derive.sh FOLDER-WITH-raw.csv" >&2
	exit 2
fi
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
if ! grep -q '^load_at_end: ' "$1/environment.txt"; then
	echo "derive.sh: $1 is of a run that has not ended; RESUME=$1 goes on with it" >&2
	exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build_stats "$work"
awk -f "$here/summary.awk" "$1/raw.csv" >"$work/lines"
"$stats" compare plain plain-again program,tool,what <"$work/lines" >"$1/summary.csv"
awk -f "$here/tables.awk" "$here/published.csv" "$1/summary.csv" "$1/raw.csv" >"$1/tables.md"
tool='hyperfine'
grep -q ',hyperfine,' "$1/summary.csv" || tool='time'
gnuplot -e "dir='$1'; tool='$tool'" "$here/plot.gp"
