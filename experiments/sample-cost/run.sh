#!/bin/bash
# What gotrace sample and perf record take from a program, and what they take themselves, at 99 and 999 Hz.
#
#   sudo experiments/sample-cost/run.sh
#
# RUNS=40       rounds that count; one more goes before them and is discarded
# QUICK=1       one round of less work, on any machine
# WORKLOADS=    of: shares gofumpt
# VARIANTS=     besides untraced: gotrace or perf with a rate, "gotrace-99 perf-99 gotrace-999 perf-999"
# GO= WORK= RESUME= SEED= GOTRACE= RESULTS=   as everywhere
#
# Each run writes results/sample-cost/<run-id>/: raw.csv (never edited), environment.txt, and derived from them summary.csv, summary.md.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
prepare sample-cost 40
programs=$(chosen program 'shares gofumpt' "${WORKLOADS:-shares gofumpt}")
variants=${VARIANTS:-gotrace-99 perf-99 gotrace-999 perf-999}
for v in $variants; do
	[[ $v =~ ^(gotrace|perf)-[1-9][0-9]*$ ]] || cannot "no variant is called '$v'; one is gotrace-99"
done
command -v perf >/dev/null || cannot "perf is missing; run: ci/deps.sh experiment"
keep_builds
# shellcheck source-path=SCRIPTDIR source=../real-programs/programs.sh
. "$top/experiments/real-programs/programs.sh"
prepare_shares() { "$top/fixtures/programs/build.sh" "$work/programs" shares; }
command_shares() { target=("$work/programs/default/shares" "${QUICK:+2}"); [ -n "${QUICK:-}" ] || target[1]=8; }
for p in $programs; do prepared "$p"; done
"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror "$here/timed.c" -o "$scratch/timed"

cpu_of() { awk '{ printf "%.0f", $2 + $3 }' "$1"; } # of a file of timed
# The values of a row. What perf lost it does not say: empty.
measure() { # PROGRAM VARIANT
	local tool_ns=0 report_ns=0 samples=0 lost=0 run=() hz=${2#*-}
	"command_$1" "$scratch/out"
	rm -f "$scratch"/{own,all,after,trace,info,perf.data}
	case $2 in
	gotrace-*) run=("$GOTRACE" sample -F "$hz" -o "$scratch/trace" --) ;;
	perf-*) run=(perf record -q -e cpu-clock -F "$hz" --call-graph fp -o "$scratch/perf.data" --) ;;
	esac
	"$scratch/timed" "$scratch/all" "${run[@]}" "$scratch/timed" "$scratch/own" "${target[@]}" >/dev/null 2>"$scratch/said" ||
		{ cat "$scratch/said" >&2; return 1; }
	case $2 in
	gotrace-*)
		"$scratch/timed" "$scratch/after" "$GOTRACE" report "$scratch/trace" >/dev/null 2>&1 || return 1
		"$GOTRACE" info "$scratch/trace" >"$scratch/info" || return 1
		samples=$(awk '$1 == "end.samples" { print $2 }' "$scratch/info")
		lost=$(awk '$1 == "end.samples_lost" { print $2 }' "$scratch/info") ;;
	perf-*)
		"$scratch/timed" "$scratch/after" perf report --stdio --no-children -g none -i "$scratch/perf.data" >"$scratch/report" 2>/dev/null || return 1
		samples=$(perf script -F ip -G -i "$scratch/perf.data" 2>/dev/null | grep -c .)
		lost= ;;
	esac
	if [ "$2" != untraced ]; then
		tool_ns=$(($(cpu_of "$scratch/all") - $(cpu_of "$scratch/own")))
		report_ns=$(cpu_of "$scratch/after")
	fi
	echo "$(tr ' ' , <"$scratch/own"),$tool_ns,$report_ns,$samples,$lost"
}

begin_run
fix go_of_programs "$(go env GOVERSION)"
fix perf "$(perf --version)"
fix gofumpt "$GOFUMPT"
fix quick "${QUICK:-no}"
build_stats "$scratch"
measure_rounds untraced "untraced $variants" "$programs" program \
	target_wall_ns,target_user_ns,target_system_ns,tool_cpu_ns,report_cpu_ns,samples,lost_events
end_run
"$here/derive.sh" "$out"
cat "$out/summary.md"
echo "results are in $out"
