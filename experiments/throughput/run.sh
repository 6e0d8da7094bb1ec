#!/bin/sh
# How many events a second one core reads and makes calls, a tree and statistics of, and with how
# much memory: 300 functions, 1,000 goroutines, 10,000 paths and a million.
#   experiments/throughput/run.sh
# RUNS=5 rounds after one discarded, EVENTS=100000000; QUICK=1: one round, a hundredth of the events.
# RESUME=FOLDER goes on with a run that was interrupted. The made-up traces (400 MB each) are kept in
# $O/throughput (build/throughput). Rows go to results/throughput/RUN-ID/; nothing is overwritten.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
rounds=${RUNS:-${QUICK:+1}} events=${EVENTS:-${QUICK:+1000000}} build=${O:-build}
rounds=${rounds:-5} events=${events:-100000000}
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
# shellcheck source-path=SCRIPTDIR source=traces.sh
. "$top/experiments/throughput/traces.sh"
may_measure throughput
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build_generate
"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Icore -I. \
	experiments/throughput/measure.c "$build/libgotrace.a" -lzstd -lz -lm -o "$work/measure"
small=$(trace $((events / 10)) 10000) large=$(trace "$events" 10000) wide=$(trace "$events" 1000000)
cat "$small" "$large" "$wide" >/dev/null # warm

measure() { # CASE VARIANT
	case $1 in
	10k-paths) file=$large ;;
	1m-paths) file=$wide ;;
	10k-paths-tenth) file=$small ;;
	esac
	"$work/measure" "$2" "$file"
}

begin_run
build_stats "$work"
fix zstd "$(pkg-config --modversion libzstd)"
fix events "$events"
measure_rounds read 'read report' '10k-paths 1m-paths 10k-paths-tenth' trace \
	events,wall_ns,cpu_ns,peak_kib,paths,calls,root_ns
end_run
experiments/throughput/derive.sh "$out"
cat "$out/summary.md"
echo "rows: $out/raw.csv"
