#!/bin/bash
# How right durations are: functions of known length, functions that call N others, by their own clock, and callers of known
# own time, traced in every way of probing and untraced.
#
#   sudo experiments/accuracy/run.sh
#
# RUNS=10       rounds that count; one more goes before them and is discarded
# QUICK=1       one round, on any machine
# CASES=        of what is measured, "spin,1000 sleep,1000000 calls,100 own-5,16": KIND,NANOSECONDS, calls,N, or
#               own-NANOSECONDS,N: a caller of known own time with N callees of that length
# VARIANTS=     of: thesis emulated springboard inline
# RESUME=FOLDER goes on with a run that was interrupted
# GOTRACE=build/gotrace, O=build, RESULTS=results/accuracy
#
# Each run writes a folder of its own: raw.csv (never edited), environment.txt, summary.md.
set -eu
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
prepare accuracy 10
variants="untraced $(chosen variant 'thesis emulated springboard inline' "${VARIANTS:-thesis emulated springboard inline}")"
cases=${CASES:-"spin,100 spin,300 spin,1000 spin,3000 spin,10000 spin,100000 spin,1000000 spin,10000000 spin,100000000 spin,1000000000
	sleep,100 sleep,1000 sleep,10000 sleep,100000 sleep,1000000 sleep,10000000 sleep,100000000 sleep,1000000000
	calls,1 calls,10 calls,100 calls,1000
	own-5,1 own-5,4 own-5,16 own-20,1 own-20,4 own-20,16 own-100,1 own-100,4 own-100,16"}
cases=$(echo "$cases" | xargs)

run_failed() { tail -n 20 "$scratch/log" >&2; exit 1; }
for case in $cases; do
	[[ $case =~ ^(spin|sleep|calls|own-[1-9][0-9]*),[1-9][0-9]*$ ]] || cannot "no case is called '$case'"
done
# The truth is read from the time stamp counter.
for flag in constant_tsc nonstop_tsc; do
	grep -qw "$flag" /proc/cpuinfo || cannot "the processor has no $flag: its counter is no clock"
done
(cd "$here/truth" && go build -buildvcs=false -o "$scratch/truth" .)

# Enough for a median, in a second or so.
calls_of() { # KIND SIZE
	case $1,$2 in
	calls,???? | spin,??????? | sleep,???????) echo 100 ;;
	calls,*) echo 500 ;;
	*,?????????*) echo 2 ;;
	*,????????) echo 20 ;;
	*,??????) echo 500 ;;
	*) echo 1000 ;;
	esac
}

# The values of a row: measure_rounds calls it for each.
measure() { # KIND,SIZE VARIANT
	local kind=${1%,*} size=${1#*,} callee=0 command
	case $kind in own-*) callee=${kind#own-} ;; esac
	command=("$scratch/truth" -loops "$loops" -kind "${kind%-*}" -callee "$callee" -size "$size" -calls "$(calls_of "$kind" "$size")" -out "$scratch/truth.txt")
	rm -f "$scratch/truth.txt" "$scratch/trace"
	: >"$scratch/calls.csv"
	: >"$scratch/report.csv"
	: >"$scratch/info"
	if [ "$2" = untraced ]; then
		"${command[@]}" 2>"$scratch/log" || run_failed
	else
		"$GOTRACE" record --max-cost=off -o "$scratch/trace" --probe="$2" -f main.timed -f main.callee -- "${command[@]}" >"$scratch/log" 2>&1 || run_failed
		"$GOTRACE" export -F csv --calls -o "$scratch/calls.csv" "$scratch/trace" >"$scratch/log" 2>&1 || run_failed
		"$GOTRACE" report -F csv -n 0 "$scratch/trace" >"$scratch/report.csv" 2>"$scratch/log" || run_failed
		"$GOTRACE" info "$scratch/trace" >"$scratch/info" || run_failed
	fi
	awk -v traced="$([ "$2" = untraced ] || echo yes)" -f "$here/row.awk" \
		"$scratch/truth.txt" "$scratch/info" "$scratch/calls.csv" "$scratch/report.csv" || cannot "$1 of $2: truth and trace do not belong together"
}

begin_run ""
build_stats "$scratch"
if [ -n "${RESUME:-}" ]; then loops=$(stored loops_per_us); else loops=$("$scratch/truth" -calibrate); fi
fix loops_per_us "$loops"
fix go_of_program "$(go env GOVERSION)"
measure_rounds untraced "$variants" "$cases" kind,size \
	calls,clock_ns,inside_ns,outside_ns,mean_truth_ns,raw_ns,raw_error_ns,raw_error_p5_ns,raw_error_p95_ns,mean_raw_ns,mean_corrected_ns,uncertainty_ns,lost_events,own_ns,whole_ns,total_middle_ns,self_middle_ns,self_mean_ns,total_taken_ns,self_taken_ns,self_uncertainty_ns
end_run
"$here/summary.sh" "$out" >"$out/summary.md"
cat "$out/summary.md"
echo "rows: $out"
