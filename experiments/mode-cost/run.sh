#!/bin/bash
# What each mode of gotrace takes from a program, and what it takes itself: samples, with waiting and with deaths, and recordings,
# with states of goroutines and without. Of an HTTP server under load and of a program that computes.
#
#   sudo experiments/mode-cost/run.sh
#
# RUNS=9        rounds that count; one more goes before them and is discarded
# QUICK=1       one round of less work, on any machine
# WORKLOADS=    of: server misspell
# VARIANTS=     besides untraced, of: sample sample-wall sample-signals record-no-states record-no-samples record record-signals
# GO= WORK= RESUME= SEED= GOTRACE= RESULTS=   as everywhere
#
# Each run writes results/mode-cost/<run-id>/: raw.csv (never edited), environment.txt, and derived from them summary.csv, summary.md.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
prepare mode-cost 9
programs=$(chosen program 'server misspell' "${WORKLOADS:-server misspell}")
modes='sample sample-wall sample-signals record-no-states record-no-samples record record-signals'
modes=$(chosen variant "$modes" "${VARIANTS:-$modes}")
keep_builds
[ -z "${QUICK:-}" ] || requests=4000
# shellcheck source-path=SCRIPTDIR source=../real-programs/programs.sh
. "$top/experiments/real-programs/programs.sh"

# ---- what is run
prepare_server() {
	prepared load
	(cd "$here/server" && go build -o "$work/bin/server" .)
}
command_server() { target=("$work/bin/server" 127.0.0.1:14281 "$scratch/pid"); }
drive_server() { drive "$1" "$work/bin/load" http 127.0.0.1:14281 "$requests"; }
command_of() { # PROGRAM; sets target
	"command_$1" "$scratch/out"
	# its folder more than once, so that it runs for about a second
	[ "$1" != misspell ] || [ -n "${QUICK:-}" ] || target+=("$work/nethttp" "$work/nethttp")
}
# Sets mode: the command line of a variant.
set_mode() { # VARIANT
	case $1 in
	sample-wall) mode=(sample --wall) ;;
	*-signals) mode=("${1%-signals}" --record-signals) ;;
	record-no-states) mode=(record --no-states) ;;
	record-no-samples) mode=(record) ;;
	*) mode=("$1") ;;
	esac
}
for p in $programs; do prepared "$p"; done
"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror "$top/experiments/sample-cost/timed.c" -o "$scratch/timed"

# ---- how
info() { # KEY: what the trace says
	awk -v k="$1" '$1 == k { print $2; found = 1; exit } END { exit !found }' "$scratch/info" || cannot "the trace has no $1"
}
cpu_of() { awk '{ printf "%.0f", $2 + $3 }' "$1"; } # of a file of timed
wall_of() { awk '{ print $1 }' "$1"; }
# Every run must say what the first one of the program said, and the server's load fails at a wrong answer.
check() { # PROGRAM MODE STATUS
	local now
	now="$3 $(sha256sum <"$scratch/stdout")"
	[ -e "$scratch/said.$1" ] || echo "$now" >"$scratch/said.$1"
	[ "$(cat "$scratch/said.$1")" = "$now" ] || cannot "$1, $2: its output or status ($3) differs: $(tail -n 3 "$scratch/stderr")"
	[ "$3" = 0 ] || cannot "$1, $2: status $3: $(tail -n 3 "$scratch/stderr")"
	! declare -F "drive_$1" >/dev/null || [ -s "$scratch/load" ] || cannot "$1, $2: not all answers were right"
}
# The values of a row.
measure() { # PROGRAM VARIANT
	local run=() mode=() cpu wall tool=0 events=0 lost=0 bytes=0 status=0
	rm -rf "$scratch"/{own,all,trace,info,out}
	mkdir "$scratch/out"
	command_of "$1"
	set_mode "$2"
	export GOTRACE_CPU_SAMPLES=1
	[ "$2" != record-no-samples ] || GOTRACE_CPU_SAMPLES=0
	case $2 in
	untraced) run=("$scratch/timed" "$scratch/own" "${target[@]}") ;;
	sample*) run=("$scratch/timed" "$scratch/all" "$GOTRACE" "${mode[@]}" -o "$scratch/trace" -- "$scratch/timed" "$scratch/own" "${target[@]}") ;;
	# record patches the command itself, which nothing may run below it: what it says of its target's time is the kernel's
	*) run=("$scratch/timed" "$scratch/all" "$GOTRACE" "${mode[@]}" -o "$scratch/trace" -- "${target[@]}") ;;
	esac
	serve "$1" "${run[@]}" >"$scratch/stdout" 2>"$scratch/stderr" || status=$?
	check "$1" "$2" "$status"
	[ "$2" = untraced ] || "$GOTRACE" info "$scratch/trace" >"$scratch/info" || return 1
	case $2 in
	record*)
		cpu=$(info end.target_cpu_ns) && wall=$(info end.target_wall_ns) && events=$(info end.events) && lost=$(info end.lost_events) || return 1 ;;
	sample*)
		events=$(info end.samples) && lost=$(info end.samples_lost) || return 1 ;;&
	*) cpu=$(cpu_of "$scratch/own") wall=$(wall_of "$scratch/own") ;;
	esac
	[ "$2" = untraced ] || { tool=$(($(cpu_of "$scratch/all") - cpu)) bytes=$(stat -c %s "$scratch/trace"); }
	# of a server the time that its load took
	[ ! -s "$scratch/load" ] || wall=$(awk '{ printf "%.0f", $2 * 1e9 }' "$scratch/load")
	echo "$cpu,$wall,$tool,$events,$lost,$bytes"
}

begin_run
fix go_of_programs "$(go env GOVERSION)"
fix misspell "$MISSPELL, one worker"
fix requests "$requests to server, by four clients"
build_stats "$scratch"
measure_rounds untraced "untraced $modes" "$programs" program \
	target_cpu_ns,target_wall_ns,tool_cpu_ns,events,lost_events,trace_bytes
end_run
"$here/derive.sh" "$out"
cat "$out/summary.md"
echo "results are in $out"
