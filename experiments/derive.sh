#!/bin/sh
# Makes all that is derived from rows again: summaries, tables, plots.
#
#   experiments/derive.sh [FOLDER...]    results/EXPERIMENT/RUN-ID; without one all but those in results/historic.txt
#   experiments/derive.sh --delete [FOLDER...]    deletes what is derived first
#
# RESULTS=DIR: results. What makes it is experiments/EXPERIMENT/derive.sh FOLDER or, of runs whose ID ends in -KIND,
# KIND-summary.sh FOLDER, else summary.sh FOLDER; the last two print summary.md.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
results=$(realpath -m "${RESULTS:-$top/results}") delete= failed=0
[ "${1:-}" != --delete ] || { delete=yes; shift; }

fresh() {
	for file in "$results"/*/*/environment.txt; do
		folder=${file%/environment.txt}
		grep -qxF "${folder#"$results"/}" "$results/historic.txt" 2>/dev/null || echo "$folder"
	done
}
# What prints or makes it, and nothing where there is no such program.
maker() { # FOLDER
	run=${1##*/} experiment=${1%/*}
	experiment=$top/experiments/${experiment##*/}
	for name in "derive.sh" "${run##*-}-summary.sh" "summary.sh"; do
		if [ -x "$experiment/$name" ]; then
			echo "$experiment/$name"
			return
		fi
	done
}
derive() { # FOLDER
	program=$(maker "$1")
	[ -n "$program" ] || { echo "derive: nothing derives $1" >&2; return 1; }
	[ -z "$delete" ] || rm -f "$1"/summary.md "$1"/summary.csv "$1"/tables.md "$1"/*.png "$1"/*.svg
	case $program in
	*/derive.sh) "$program" "$1" ;;
	*) "$program" "$1" >"$1/summary.md.new" && mv "$1/summary.md.new" "$1/summary.md" ;;
	esac
}

# Else the first that needs it makes it, and has what the compiler says among its own lines.
library=$(realpath -m "${O:-$top/build}")/libgotrace.a
[ -e "$library" ] || make -s -C "$top" O="${library%/*}" "$library" >&2 || exit 1

# shellcheck disable=SC2046 # run IDs have no blanks
[ $# -gt 0 ] || set -- $(fresh)
for folder; do
	derive "$(realpath -m "$folder")" || failed=$((failed + 1))
done
echo "derived $(($# - failed)) of $# folders"
[ "$failed" = 0 ]
