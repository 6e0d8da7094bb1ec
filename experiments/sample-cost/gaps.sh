#!/bin/bash
# What gotrace sample and perf record take from a thread that runs: the time in which it did nothing, since it was interrupted. It is
# seen by the thread itself, which does nothing but look at the clock, so that it does not matter how fast the machine is in that
# moment: two runs of a program differ by more than either tool takes. What caches that an interrupt left cold cost is not in it.
#
#   sudo experiments/sample-cost/gaps.sh
#
# RUNS=40       rounds that count; one more goes before them and is discarded
# QUICK=1       one round, on any machine
# WORKLOADS=1   numbers of threads; THREADS= is the same
# VARIANTS=     besides untraced, "gotrace-99 gotrace-wall-99 perf-99 gotrace-999 perf-999"
# GO= RESUME= SEED= GOTRACE= RESULTS=   as everywhere
#
# Each run writes results/sample-cost/<run-id>-gaps/: raw.csv (never edited), environment.txt, and derived from them summary.csv,
# summary.md. Each variant is measured for 2 s after it has begun; all of the same process.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
prepare sample-cost 40
threads=${WORKLOADS:-${THREADS:-1}}
variants=${VARIANTS:-gotrace-99 gotrace-wall-99 perf-99 gotrace-999 perf-999}
for v in $variants; do
	[[ $v =~ ^(gotrace|gotrace-wall|perf)-[1-9][0-9]*$ ]] || cannot "no variant is called '$v'; one is gotrace-99"
done
command -v perf >/dev/null || cannot "perf is missing; run: ci/deps.sh experiment"
cp "$here/gaps.go.in" "$scratch/gaps.go"
(cd "$scratch" && go build -o gaps gaps.go)

# A process for each number of threads, which ends when its standard input does. Those of other numbers are stopped.
declare -A process=() ask=() answer=()
begin() { # THREADS
	mkfifo "$scratch/in" "$scratch/out"
	"$scratch/gaps" "$1" 30 <"$scratch/in" >"$scratch/out" &
	process[$1]=$!
	exec {into}>"$scratch/in" {from}<"$scratch/out"
	ask[$1]=$into answer[$1]=$from
	rm "$scratch/in" "$scratch/out"
	kill -STOP "${process[$1]}"
}
# The values of a row. What perf lost it does not say: empty.
measure() { # THREADS VARIANT
	local tool='' lost=0 sums target=${process[$1]} hz=${2##*-}
	kill -CONT "$target"
	case $2 in
	gotrace-wall-*) "$GOTRACE" sample --wall -F "$hz" -d 3.5 -o "$scratch/trace" --pid "$target" >/dev/null 2>"$scratch/said" & tool=$! ;;
	gotrace-*) "$GOTRACE" sample -F "$hz" -d 3.5 -o "$scratch/trace" --pid "$target" >/dev/null 2>"$scratch/said" & tool=$! ;;
	perf-*) perf record -q -e cpu-clock -F "$hz" --call-graph fp -o "$scratch/perf.data" -p "$target" -- sleep 3.5 >/dev/null 2>"$scratch/said" & tool=$! lost= ;;
	esac
	sleep 1
	echo >&"${ask[$1]}"
	read -r sums <&"${answer[$1]}" # since the last time, which is not asked for
	sleep 2
	echo >&"${ask[$1]}"
	read -r sums <&"${answer[$1]}"
	[ -z "$tool" ] || wait "$tool" || { cat "$scratch/said" >&2; return 1; }
	kill -STOP "$target"
	case $2 in gotrace-*) lost=$("$GOTRACE" info "$scratch/trace" | awk '$1 == "end.samples_lost" { print $2 }') ;; esac
	echo "${sums// /,},$lost"
}

begin_run gaps
fix go_of_programs "$(go env GOVERSION)"
fix perf "$(perf --version)"
build_stats "$scratch"
for n in $threads; do begin "$n"; done
trap 'kill -9 "${process[@]}" 2>/dev/null || true; rm -rf "$scratch"' EXIT
measure_rounds untraced "untraced $variants" "$threads" threads thread_ns,gap_ns,gaps,large_gap_ns,lost_events
end_run
"$here/derive.sh" "$out"
cat "$out/summary.md"
echo "results are in $out"
