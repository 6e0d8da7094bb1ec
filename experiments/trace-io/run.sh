#!/bin/sh
# How fast the library writes and reads traces, and how large they are.
#   experiments/trace-io/run.sh [TRACE...]     also reads these recorded traces
# RUNS=5 rounds after one discarded, EVENTS=10000000 a made-up trace; QUICK=1: one round, a tenth of the events.
# RESUME=FOLDER goes on with a run that was interrupted.
# Rows go to results/trace-io/RUN-ID/; nothing there is ever overwritten.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
rounds=${RUNS:-${QUICK:+1}} events=${EVENTS:-${QUICK:+1000000}} build=${O:-$top/build}
rounds=${rounds:-5} events=${events:-10000000}
cd "$top"
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
may_measure trace-io
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -s O="$build" "$build/libgotrace.a"
"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Icore -I. \
	experiments/trace-io/trace_io.c "$build/libgotrace.a" -lzstd -lz -o "$work/trace_io"

traces='one-goroutine ten-goroutines thousand-goroutines large-program'
n=0
for trace; do # by numbers: their names may have anything in them
	n=$((n + 1))
	traces="$traces recorded-$n"
	ln -s "$(realpath "$trace")" "$work/recorded-$n"
done
measure() { # EVENTS TRACE
	#                                                             events goroutines functions threads
	case $2 in
	one-goroutine)       set -- "$work/trace" "$1"    1  100 1 ;;
	ten-goroutines)      set -- "$work/trace" "$1"   10  100 2 ;;
	thousand-goroutines) set -- "$work/trace" "$1" 1000  100 2 ;;
	large-program)       set -- "$work/trace" "$1" 1000 2000 8 ;;
	*)                   set -- "$work/$2" ;;
	esac
	"$work/trace_io" "$@"
}

begin_run
build_stats "$work"
fix zstd "$(pkg-config --modversion libzstd)"
fix file_on "$(df --output=fstype "$work" | tail -n 1)"
n=0
for trace; do
	n=$((n + 1))
	fix "recorded-$n" "$(sha256sum <"$trace" | cut -d' ' -f1)"
done
# Nothing is compared: each trace is a variant only so that their order is drawn.
measure_rounds - "$traces" "$events" events_asked \
	events,bytes,bytes_per_event,write_ns_per_event,read_ns_per_event,checksum
end_run
experiments/trace-io/derive.sh "$out"
cat "$out/summary.md"
echo "rows: $out/raw.csv"
