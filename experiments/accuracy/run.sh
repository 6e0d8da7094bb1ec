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
unset SUDO_UID SUDO_GID # traces are written to a folder of root's own, whoever called sudo
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
rounds=${RUNS:-${QUICK:+1}}
rounds=${rounds:-10}
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
variants="untraced ${VARIANTS:-thesis emulated springboard inline}"
cases=${CASES:-"spin,100 spin,300 spin,1000 spin,3000 spin,10000 spin,100000 spin,1000000 spin,10000000 spin,100000000 spin,1000000000
	sleep,100 sleep,1000 sleep,10000 sleep,100000 sleep,1000000 sleep,10000000 sleep,100000000 sleep,1000000000
	calls,1 calls,10 calls,100 calls,1000
	own-5,1 own-5,4 own-5,16 own-20,1 own-20,4 own-20,16 own-100,1 own-100,4 own-100,16"}
cases=$(echo "$cases" | xargs)

die() { echo "accuracy: $*" >&2; exit 1; }
run_failed() { tail -n 20 "$work/log" >&2; exit 1; }
[ -x "$GOTRACE" ] || die "$GOTRACE is missing; run: make"
[ "$(id -u)" = 0 ] || die "tracing needs root; run: sudo make experiment-accuracy"
[ "$rounds" -ge 1 ] 2>/dev/null || die "RUNS=$rounds is no number of rounds"
for case in $cases; do
	[[ $case =~ ^(spin|sleep|calls|own-[1-9][0-9]*),[1-9][0-9]*$ ]] || die "no case is called '$case'"
done
for variant in $variants; do
	case $variant in untraced | thesis | emulated | springboard | inline) ;; *) die "no variant is called '$variant'" ;; esac
done
# The truth is read from the time stamp counter.
for flag in constant_tsc nonstop_tsc; do
	grep -qw "$flag" /proc/cpuinfo || die "the processor has no $flag: its counter is no clock"
done
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
may_measure accuracy
work=$(mktemp -d "${TMPDIR:-/tmp}/gotrace-accuracy.XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
(cd "$here/truth" && go build -buildvcs=false -o "$work/truth" .)

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
	command=("$work/truth" -loops "$loops" -kind "${kind%-*}" -callee "$callee" -size "$size" -calls "$(calls_of "$kind" "$size")" -out "$work/truth.txt")
	rm -f "$work/truth.txt" "$work/trace"
	: >"$work/calls.csv"
	: >"$work/report.csv"
	: >"$work/info"
	if [ "$2" = untraced ]; then
		"${command[@]}" 2>"$work/log" || run_failed
	else
		"$GOTRACE" record --max-cost=off -o "$work/trace" --probe="$2" -f main.timed -f main.callee -- "${command[@]}" >"$work/log" 2>&1 || run_failed
		"$GOTRACE" export -F csv --calls -o "$work/calls.csv" "$work/trace" >"$work/log" 2>&1 || run_failed
		"$GOTRACE" report -F csv -n 0 "$work/trace" >"$work/report.csv" 2>"$work/log" || run_failed
		"$GOTRACE" info "$work/trace" >"$work/info" || run_failed
	fi
	awk -v traced="$([ "$2" = untraced ] || echo yes)" -f "$here/row.awk" \
		"$work/truth.txt" "$work/info" "$work/calls.csv" "$work/report.csv" || die "$1 of $2: truth and trace do not belong together"
}

begin_run ""
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
build_stats "$work"
if [ -n "${RESUME:-}" ]; then loops=$(stored loops_per_us); else loops=$("$work/truth" -calibrate); fi
fix loops_per_us "$loops"
fix go_of_program "$(go env GOVERSION)"
measure_rounds untraced "$variants" "$cases" kind,size \
	calls,clock_ns,inside_ns,outside_ns,mean_truth_ns,raw_ns,raw_error_ns,raw_error_p5_ns,raw_error_p95_ns,mean_raw_ns,mean_corrected_ns,uncertainty_ns,lost_events,own_ns,whole_ns,total_middle_ns,self_middle_ns,self_mean_ns,total_taken_ns,self_taken_ns,self_uncertainty_ns
end_run
"$here/summary.sh" "$out" >"$out/summary.md"
cat "$out/summary.md"
echo "rows: $out"
