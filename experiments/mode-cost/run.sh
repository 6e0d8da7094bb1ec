#!/bin/bash
# What each mode of gotrace takes from a program, and what it takes itself: samples, with waiting and with deaths, and recordings,
# with states of goroutines and without. Of an HTTP server under load and of a program that computes.
#
#   sudo experiments/mode-cost/run.sh      ROUNDS=9, QUICK=1, GOTRACE=build/gotrace
#
# Each run writes results/mode-cost/<run-id>/: rows.csv (never edited), environment.txt, summary.md. In a round each mode runs
# once, in an order drawn anew; round 0 is in the rows and not in the summary. QUICK=1: one round after it, of less work, into a
# folder that is thrown away. WORK=DIR keeps the built programs there.
set -euo pipefail
unset SUDO_UID SUDO_GID # traces are written to a folder of root's own, whoever called sudo
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
quick=${QUICK:-}
rounds=${ROUNDS:-$([ -n "$quick" ] && echo 1 || echo 9)}
requests=$([ -n "$quick" ] && echo 4000 || echo 20000)
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
die() { echo "mode-cost: $*" >&2; exit 1; }
[ -x "$GOTRACE" ] || die "$GOTRACE is missing; run: make"
[ "$(id -u)" = 0 ] || die "tracing needs root; run: sudo make experiment-mode-cost"
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
may_measure mode-cost
scratch=$(mktemp -d "${TMPDIR:-/tmp}/gotrace-modes.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
work=${WORK:-$scratch/work}
mkdir -p "$work/bin"
work=$(cd "$work" && pwd)
# shellcheck source=../real-programs/programs.sh
. "$top/experiments/real-programs/programs.sh"

# ---- what is run
programs=(server misspell)
command_server() { target=("$work/bin/server" 127.0.0.1:14281 "$scratch/pid"); }
drive_server() { drive "$1" "$work/bin/load" http 127.0.0.1:14281 "$requests"; }
command_of() { # PROGRAM; sets target
	"command_$1" "$scratch/out"
	# its folder more than once, so that it runs for about a second
	[ "$1" != misspell ] || [ -n "$quick" ] || target+=("$work/nethttp" "$work/nethttp")
}
"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror "$top/experiments/sample-cost/timed.c" -o "$scratch/timed"
(cd "$here/server" && go build -o "$work/bin/server" .)
prepare_load
[ -e "$work/nethttp" ] || cp -r "$(go env GOROOT)/src/net/http" "$work/nethttp"
[ -x "$work/bin/misspell" ] || prepare_misspell

# ---- how
modes=(untraced 'untraced again' sample 'sample --wall' 'sample --record-signals' 'record --no-states' record 'record --record-signals')
case $("$GOTRACE" record --help) in *--wakes*) modes+=('record --wakes') ;; esac

[ -z "$quick" ] || RESULTS=$scratch/results
begin_run
note misspell "$MISSPELL, one worker"
note requests "$requests to server, by four clients"
note rounds "$rounds after one discarded"
echo "round,program,mode,target_cpu_ns,target_wall_ns,tool_cpu_ns,events,lost,trace_bytes" >"$out/rows.csv"

info() { # KEY: what the trace says
	awk -v k="$1" '$1 == k { print $2; found = 1; exit } END { exit !found }' "$scratch/info" || die "the trace has no $1"
}
cpu_of() { awk '{ printf "%.0f", $2 + $3 }' "$1"; } # of a file of timed
wall_of() { awk '{ print $1 }' "$1"; }
# Every run must say what the first one of the program said, and the server's load fails at a wrong answer.
declare -A said=()
check() { # PROGRAM MODE STATUS
	local now
	now="$3 $(sha256sum <"$scratch/stdout")"
	[ "${said[$1]:-$now}" = "$now" ] || die "$1, $2: its output or status ($3) differs: $(tail -n 3 "$scratch/stderr")"
	said[$1]=$now
	[ "$3" = 0 ] || die "$1, $2: status $3: $(tail -n 3 "$scratch/stderr")"
	! declare -F "drive_$1" >/dev/null || [ -s "$scratch/load" ] || die "$1, $2: not all answers were right"
}
once() { # ROUND PROGRAM MODE
	local run=() mode=() cpu wall tool=0 events=0 lost=0 bytes=0 status=0
	rm -rf "$scratch"/{own,all,trace,info,out}
	mkdir "$scratch/out"
	command_of "$2"
	read -r -a mode <<<"$3"
	case $3 in
	untraced*) run=("$scratch/timed" "$scratch/own" "${target[@]}") ;;
	sample*) run=("$scratch/timed" "$scratch/all" "$GOTRACE" "${mode[@]}" -o "$scratch/trace" -- "$scratch/timed" "$scratch/own" "${target[@]}") ;;
	# record patches the command itself, which nothing may run below it: what it says of its target's time is the kernel's
	*) run=("$scratch/timed" "$scratch/all" "$GOTRACE" "${mode[@]}" -o "$scratch/trace" -- "${target[@]}") ;;
	esac
	serve "$2" "${run[@]}" >"$scratch/stdout" 2>"$scratch/stderr" || status=$?
	check "$2" "$3" "$status"
	[ ! -e "$scratch/trace" ] || "$GOTRACE" info "$scratch/trace" >"$scratch/info"
	case $3 in
	record*) cpu=$(info end.target_cpu_ns) wall=$(info end.target_wall_ns) events=$(info end.events) lost=$(info end.lost_events) ;;
	*) cpu=$(cpu_of "$scratch/own") wall=$(wall_of "$scratch/own") ;;
	esac
	case $3 in sample*) events=$(info end.samples) lost=$(info end.samples_lost) ;; esac
	case $3 in
	untraced*) ;;
	*)
		tool=$(($(cpu_of "$scratch/all") - cpu))
		bytes=$(stat -c %s "$scratch/trace") ;;
	esac
	# of a server the time that its load took
	[ ! -s "$scratch/load" ] || wall=$(awk '{ printf "%.0f", $2 * 1e9 }' "$scratch/load")
	echo "$1,$2,$3,$cpu,$wall,$tool,$events,$lost,$bytes" >>"$out/rows.csv"
}

for round in $(seq 0 "$rounds"); do
	echo "mode-cost: round $round of $rounds" >&2
	for program in "${programs[@]}"; do
		while read -r mode <&3; do
			once "$round" "$program" "$mode"
		done 3< <(printf '%s\n' "${modes[@]}" | shuf)
	done
done
end_run
"$here/summary.sh" "$out" >"$out/summary.md"
cat "$out/summary.md"
[ -n "$quick" ] || echo "rows: $out/rows.csv"
