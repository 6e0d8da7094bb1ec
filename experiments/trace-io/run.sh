#!/bin/sh
# How fast the library writes and reads traces, and how large they are.
#   experiments/trace-io/run.sh [TRACE...]     also reads these recorded traces
# RUNS=5 repetitions after one discarded, EVENTS=10000000 a made-up trace.
# Rows go to results/trace-io/RUN-ID/; nothing there is ever overwritten.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
runs=${RUNS:-5} events=${EVENTS:-10000000} build=${O:-$top/build}
cd "$top"
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
may_measure trace-io
make -s O="$build" "$build/libgotrace.a"
"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Icore -I. \
	experiments/trace-io/trace_io.c "$build/libgotrace.a" -lzstd -lz -o "$build/trace_io"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
begin_run
note zstd "$(pkg-config --modversion libzstd)"
note runs "$runs after one discarded"

rows=$out/rows.csv
echo "case,run,events,bytes,bytes_per_event,write_ns_per_event,read_ns_per_event,checksum" >"$rows"

# row CASE ARG...: one more row of a case; run 0 warms up and is left out
row() {
	name=$1; shift
	line=$("$build/trace_io" "$@")
	[ "$run" = 0 ] || echo "$name,$run,$line" >>"$rows"
}

for run in $(seq 0 "$runs"); do
	#   name                file          events    goroutines functions threads
	row one-goroutine       "$work/trace" "$events"          1       100       1
	row ten-goroutines      "$work/trace" "$events"         10       100       2
	row thousand-goroutines "$work/trace" "$events"       1000       100       2
	row large-program       "$work/trace" "$events"       1000      2000       8
	for trace in "$@"; do
		row "$(basename "$trace" | tr , _)" "$trace"
	done
done

end_run

# The median of each case; written as 0 where a trace was only read.
tail -n +2 "$rows" | cut -d, -f1 | sort -u | while read -r name; do
	for col in 5 6 7; do
		grep "^$name," "$rows" | cut -d, -f$col | sort -n | sed -n "$(((runs + 1) / 2))p"
	done | paste -sd' ' | {
		read -r size write read_
		printf '%-22s %6s bytes, %6s ns written, %6s ns read an event\n' "$name" "$size" "$write" "$read_"
	}
done | tee "$out/summary.txt"
echo "rows: $rows"
