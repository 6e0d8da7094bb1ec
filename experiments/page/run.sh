#!/bin/sh
# How large a page is, how long it takes to write, to open and to move, at 100,000 paths and a million, and with 20 million calls.
#   experiments/page/run.sh
# RUNS=5 rounds after one discarded; QUICK=1: one round, 100,000 paths at the most. RESUME=FOLDER goes on with a run
# that was interrupted. The made-up traces are experiments/throughput's, kept in $O/throughput (build/throughput).
# Rows go to results/page/RUN-ID/; nothing is overwritten.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
rounds=${RUNS:-${QUICK:+1}} pages=${QUICK:+10000 100000} build=${O:-build}
rounds=${rounds:-5} pages=${pages:-100000 1000000 100000x400}
GOTRACE=${GOTRACE:-$build/gotrace}
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
# shellcheck source-path=SCRIPTDIR source=../throughput/traces.sh
. "$top/experiments/throughput/traces.sh"
may_measure page
for tool in node "${CHROMIUM:-chromium-headless-shell}" /usr/bin/time; do
	command -v "$tool" >/dev/null || { echo "page: $tool is missing; run: ci/deps.sh page" >&2; exit 1; }
done
PLAYWRIGHT=$(ci/page/npm.sh playwright-core "$build")
export PLAYWRIGHT
columns=$(node experiments/page/measure.mjs --columns)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build_generate

# Four goroutines walk the whole tree: thirty events a path, or as many as stand behind the x.
events() { case $1 in *x*) echo $((${1%x*} * ${1#*x})) ;; *) echo $(($1 * 30)) ;; esac; }
measure() { # - PATHS
	file=$(trace "$(events "$2")" "${2%x*}" 4)
	/usr/bin/time -f '%U %S %M' -o "$work/time" "$GOTRACE" export --format=html -o "$work/page.html" "$file" || return 1
	n=$(grep -o '"tree":{"n":[0-9]*' "$work/page.html" | cut -d: -f3)
	moved=$(node experiments/page/measure.mjs "$work/page.html") || return 1
	awk -v paths=$((n - 1)) -v page="$(stat -c %s "$work/page.html")" -v file="$(stat -c %s "$file")" -v moved="$moved" \
		'{ printf "%d,%d,%.0f,%.2f,%d,%s\n", paths, page, file, $1 + $2, $3, moved }' "$work/time"
}

begin_run
build_stats "$work"
fix browser "$("${CHROMIUM:-chromium-headless-shell}" --version 2>/dev/null), headless, software rendering, window 1440x900"
fix node "$(node --version)"
for paths in $pages; do trace "$(events "$paths")" "${paths%x*}" 4 >/dev/null; done
# Nothing is compared: each size is a variant only so that their order is drawn.
measure_rounds - "$pages" html format \
	"paths,page_bytes,trace_bytes,export_cpu_s,export_peak_kib,$columns"
end_run
experiments/page/derive.sh "$out"
cat "$out/summary.md"
echo "rows: $out/raw.csv"
