#!/bin/bash
# What gotrace sample --wall takes itself, and from a program, by how many goroutines wait.
#
#   sudo experiments/sample-cost/goroutines.sh
#
# RUNS=9        rounds that count; one more goes before them and is discarded
# QUICK=1       one round of 1000 goroutines for 3 s, on any machine
# WORKLOADS=    numbers of goroutines, "1000 10000 100000"; GOROUTINES= is the same
# GO= RESUME= SEED= GOTRACE= RESULTS=   as everywhere; the variants are untraced and wall
#
# Each run writes results/sample-cost/<run-id>-goroutines/: raw.csv (never edited), environment.txt, and derived from them
# summary.csv, summary.md. Every row is of a process of its own, for 10 s.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
prepare sample-cost 9
numbers=${WORKLOADS:-${GOROUTINES:-${QUICK:+1000}}}
numbers=${numbers:-1000 10000 100000}
variants=$(chosen variant wall "${VARIANTS:-wall}")
seconds=10 start=3 # measured for, from when it has begun
[ -z "${QUICK:-}" ] || seconds=3
cp "$here/goroutines.go.in" "$scratch/goroutines.go"
(cd "$scratch" && go build -o goroutines goroutines.go)

used() { cat /proc/"$1"/task/*/schedstat | awk '{ ns += $1 } END { printf "%.0f", ns }'; } # PID: of its threads, in ns
cpu() { # sets answer: of the target, in ns
	echo >&3
	read -r answer <&4
}
info() { awk -v k="$1" '$1 == k { print $2; found = 1; exit } END { exit !found }' "$scratch/info"; }
# The values of a row. The target ends when its standard input does.
measure() { # NUMBER VARIANT
	local answer before from tool=0 begun=0 facts=0,0,0,0,0 wall target gotrace=''
	rm -f "$scratch/in" "$scratch/out"
	mkfifo "$scratch/in" "$scratch/out"
	"$scratch/goroutines" "$1" <"$scratch/in" >"$scratch/out" 2>/dev/null &
	target=$!
	exec 3>"$scratch/in" 4<"$scratch/out"
	cpu # it has made them all
	sleep 2
	if [ "$2" = wall ]; then
		"$GOTRACE" sample --wall -d $((start + seconds + 1)) -o "$scratch/trace" --pid "$target" >/dev/null 2>"$scratch/said" 3>&- 4<&- &
		gotrace=$!
	fi
	sleep "$start"
	[ -z "$gotrace" ] || begun=$(used $gotrace) || { cat "$scratch/said" >&2; return 1; }
	cpu
	before=$answer from=$(date +%s%N)
	sleep "$seconds"
	[ -z "$gotrace" ] || tool=$(($(used $gotrace) - begun))
	wall=$(($(date +%s%N) - from))
	cpu
	if [ -n "$gotrace" ]; then
		wait $gotrace || { cat "$scratch/said" >&2; return 1; }
		"$GOTRACE" info "$scratch/trace" >"$scratch/info" || return 1
		facts=$((start + seconds + 1)),$(info end.snapshots),$(info end.snapshots_drawn),$(info end.snapshots_listed),$(info end.samples_lost) || return 1
	fi
	exec 3>&- 4<&-
	wait "$target"
	echo "$wall,$((answer - before)),$tool,$begun,$facts"
}

begin_run goroutines
fix go_of_programs "$(go env GOVERSION)"
fix seconds "$seconds, from $start s after gotrace has begun"
build_stats "$scratch"
measure_rounds untraced "untraced $variants" "$numbers" goroutines \
	wall_ns,target_cpu_ns,tool_cpu_ns,tool_start_cpu_ns,sampled_s,snapshots,drawn,listed,lost_events
end_run
"$here/derive.sh" "$out"
cat "$out/summary.md"
echo "results are in $out"
