#!/bin/sh
# Makes all that is derived from rows again: summaries, tables, plots.
#
#   experiments/derive.sh [FOLDER...]    results/EXPERIMENT/RUN-ID; without one all but those that paper/runs calls
#                                        "not derived"
#   experiments/derive.sh --delete [FOLDER...]    deletes what is derived first
#
# RESULTS=DIR: results. What makes it is experiments/EXPERIMENT/derive.sh FOLDER or, of runs whose ID ends in -KIND,
# KIND-summary.sh FOLDER, else summary.sh FOLDER; the last two print summary.md. A run that paper/runs names keeps the plots that the
# paper shows, and no other. Rows that are packed (rows.sh) are unpacked meanwhile.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
results=$(realpath -m "${RESULTS:-$top/results}") delete= failed=0
[ "${1:-}" != --delete ] || { delete=yes; shift; }

all() {
	for file in "$results"/*/*/environment.txt; do
		folder=${file%/environment.txt}
		grep -q "^[^#=]* = ${folder#"$results"/}, .*not derived" "$top/paper/runs" 2>/dev/null || echo "$folder"
	done
}
shown_only() { # FOLDER
	run=${1%/*}
	name=$(sed -n "s|^\([a-z-]*\) = ${run##*/}/${1##*/}\(,.*\)\{0,1\}$|\1|p" "$top/paper/runs" | head -n 1)
	[ -n "$name" ] || return 0
	for plot in "$1"/*.png "$1"/*.svg; do
		grep -qF "{@$name}/${plot##*/}" "$top/paper/paper.md.in" || rm -f "$plot"
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
	packed=$("$top/experiments/rows.sh" --unpack "$1") || return
	case $program in
	*/derive.sh) "$program" "$1" && shown_only "$1" ;;
	*) "$program" "$1" >"$1/summary.md.new" && mv "$1/summary.md.new" "$1/summary.md" ;;
	esac
	status=$?
	for file in $packed; do rm "$1/$file" || status=1; done
	return $status
}

# Else the first that needs it makes it, and has what the compiler says among its own lines.
library=$(realpath -m "${O:-$top/build}")/libgotrace.a
[ -e "$library" ] || make -s -C "$top" O="${library%/*}" "$library" >&2 || exit 1

# shellcheck disable=SC2046 # run IDs have no blanks
[ $# -gt 0 ] || set -- $(all)
if [ -n "${DERIVE_HERE:-}" ] || [ $# -le 1 ]; then
	for folder; do derive "$(realpath -m "$folder")" || failed=$((failed + 1)); done
	made=$(($# - failed))
else # as many experiments at once as there are processors; of one in turn, as a run may be compared with one before
	made=$(printf '%s\n' "$@" | awk -F/ '{ e = $(NF - 1); if (!(e in of)) order[++n] = e; of[e] = of[e] " " $0 } END { for (i = 1; i <= n; i++) print of[order[i]] }' |
		DERIVE_HERE=1 xargs -P "$(nproc)" -L 1 "$0" ${delete:+--delete} | awk '{ n += $2 } END { print n + 0 }')
fi
echo "derived $made of $# folders"
[ "$made" = $# ]
