#!/bin/sh
# Makes what is derived from the raw rows of a run: summary.csv, tables.md, the plots.
#   experiments/overhead/derive.sh RESULTS/RUN-ID
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ $# != 1 ] || [ ! -f "$1/raw.csv" ]; then
	echo "usage: derive.sh FOLDER-WITH-raw.csv" >&2
	exit 2
fi
awk -f "$here/summary.awk" "$1/raw.csv" >"$1/summary.csv"
awk -f "$here/tables.awk" "$here/published.csv" "$1/summary.csv" >"$1/tables.md"
gnuplot -e "dir='$1'; tool='hyperfine'" "$here/plot.gp"
