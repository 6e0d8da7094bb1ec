#!/bin/sh
# Prints the tables of a run, as Markdown, from its cells.csv and absent.csv.
#   experiments/correctness/summary.sh RESULTS/RUN-ID
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ $# != 1 ] || [ ! -f "$1/cells.csv" ]; then
	echo "usage: summary.sh FOLDER-WITH-cells.csv" >&2
	exit 2
fi
if ! grep -q '^load_at_end: ' "$1/environment.txt"; then
	echo "summary.sh: $1 is of a run that has not ended; RESUME=$1 goes on with it" >&2
	exit 1
fi
awk -f "$here/summary.awk" "$1/cells.csv"
[ ! -s "$1/absent.csv" ] || awk -F, '
	NR == 1 { printf "\n## Tools that are not run\n\n| tool | tried | what it said |\n|---|---|---|\n"; next }
	{ gsub(/"/, ""); printf "| %s | %s | %s |\n", $1, $2, substr($0, length($1 "," $2 ",") + 1) }' "$1/absent.csv"
