#!/bin/sh
# Whether what is written rests on rows: everything derived from rows in results/ is deleted in a copy, made again, and must not
# differ; no file of results/ may have changed since paper/results.sha256 was made, those that nothing derives any more among
# them, while a run that was removed may be gone; each number of the paper, README and CHANGELOG is looked up in the rows (check-paper.py).
#
#   ci/check-paper.sh            (make check-paper)
#   ci/check-paper.sh --write    (make paper) packs rows (experiments/rows.sh), derives, makes paper/paper.md and results.sha256, and
#                                puts the rows' numbers into README and CHANGELOG
#
# Plots are compared where gnuplot is the version that made them.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 1
# shellcheck source=totals.sh
. ci/totals.sh
case ${1:-} in '' | --write) ;; *) sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2 ;; esac
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Recordings and what hyperfine printed stay where they were made (.gitignore); README.md is check-paper.py's.
sums() { (cd results && find . -type f ! -name '*.gotrace' ! -name hyperfine.jsonl ! -path ./README.md -print0 | LC_ALL=C sort -z | xargs -0 sha256sum); }
plots_may_differ() {
	command -v gnuplot >/dev/null || { echo 'no gnuplot'; return; }
	version=$(gnuplot --version)
	grep -qxF "# plots: $version" paper/results.sha256 || echo "another gnuplot made them than $version"
}

if [ "${1:-}" = --write ]; then
	experiments/rows.sh --pack results/*/*/ && experiments/derive.sh || exit 1
	{ echo "# plots: $(gnuplot --version)" && sums; } >paper/results.sha256
	exec ci/check-paper.py --write
fi
cp -r results "$work/results"
mkdir "$work/bin" # with a gnuplot that plots nothing, where there is none
command -v gnuplot >/dev/null || { echo '#!/bin/sh' >"$work/bin/gnuplot" && chmod +x "$work/bin/gnuplot"; }
derived() { # OPTIONS of diff
	PATH=$work/bin:$PATH
	RESULTS=$work/results experiments/derive.sh --delete && diff -r "$@" results "$work/results"
}
plots='everything plotted from rows is made again without a difference'
why=$(plots_may_differ)
if [ -n "$why" ]; then
	skip "$plots" "$why"
	try "everything derived from rows but plots is made again without a difference" derived -x '*.png'
else
	try "everything derived from rows, plots too, is made again without a difference" derived
fi
# A removed run is whole in its removal: what is left of one is a change.
unchanged() {
	sums >"$work/sums"
	awk '
		{ file = $2; folder = file; sub(/\/[^\/]*$/, "", folder) }
		FNR == NR { now[file] = $1; there[folder]; next }
		/^#/ { next }
		{ known[file] }
		file in now && now[file] != $1 { print file " has changed" }
		!(file in now) && folder in there { print file " is gone" }
		END { for (file in now) if (!(file in known)) print file " is new: make paper" }' "$work/sums" paper/results.sha256 >"$work/changes"
	cat "$work/changes"
	[ ! -s "$work/changes" ]
}
try "no file of results has changed since make paper" unchanged
ci/check-paper.py >"$work/claims" 2>&1
status=$?
sed '/^[0-9]* passed/d' "$work/claims"
add_script "$work/claims" $status
totals
