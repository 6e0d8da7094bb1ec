#!/bin/sh
# What the collector takes for an event of inline stubs: 1, 2, 16 and 64 rings, written by a thread each
# (they take turns on one CPU: long runs of one ring) or mixed by one thread (each event another ring, as
# if all Ps ran at once, the worst case), up to each stage: read and merged, encoded, packed, written; and
# `threads`, what record does: packed and written by a second thread, whose time is in a column of its own;
# and `summary`, record --summary: into a live model.
#   experiments/collector/run.sh
# RUNS=5 rounds after one discarded, EVENTS=20000000 each; QUICK=1: one round, fewer events, 1 and 16 rings.
# RINGS="1 2 16 64", STAGES="read encode pack write threads summary"; `write` is always measured, twice.
# RESUME=FOLDER goes on with a run that was interrupted. Writers keep one CPU busy, the collector another.
# Rows go to results/collector/RUN-ID/; nothing is overwritten.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
rounds=${RUNS:-${QUICK:+1}} events=${EVENTS:-${QUICK:+500000}} build=${O:-build}
rounds=${rounds:-5} events=${events:-20000000}
of=${RINGS:-${QUICK:+1 16}}
stages=${STAGES:-read encode pack write threads summary}
case " $stages " in *' write '*) ;; *) stages="write $stages" ;; esac # the others are compared with it
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
may_measure collector
make -s O="$build" "$build/libgotrace.a" "$build/libgotrace-attach.a"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Icore -I. experiments/collector/collector.c \
	"$build/libgotrace-attach.a" "$build/libgotrace.a" -lzstd -lz -lm -pthread -o "$work/collector"

cases=
for rings in ${of:-1 2 16 64}; do
	cases="$cases $rings,threads"
	[ "$rings" = 1 ] || cases="$cases $rings,mixed"
done
measure() { # RINGS,WRITERS STAGE
	"$work/collector" "$2" "${1%,*}" "${1#*,}" "$events" "$work/trace"
}

begin_run
build_stats "$work"
fix zstd "$(pkg-config --modversion libzstd)"
fix file_on "$(df --output=fstype "$work" | tail -n 1)"
fix events "$events"
measure_rounds write "$stages" "${cases# }" rings,writers \
	events,cpu_ns,ns_per_event,pack_ns_per_event,wall_ns,bytes,full_rings,most_bytes,passed_by,late,backwards,jumps,residual_ns
end_run
experiments/collector/derive.sh "$out"
cat "$out/summary.md"
echo "rows: $out/raw.csv"
