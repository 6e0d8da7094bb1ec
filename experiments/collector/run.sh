#!/bin/sh
# What the collector takes for an event of inline stubs: 1, 2, 16 and 64 rings, written by a thread each
# (they take turns on one CPU: long runs of one ring) or mixed by one thread (each event another ring, as
# if all Ps ran at once, the worst case), up to each stage: read and merged, encoded, packed, written; and
# `threads`, what record does: packed and written by a second thread, whose time is in a column of its own;
# and `summary`, record --summary: into a live model.
#   experiments/collector/run.sh
# RUNS=5 repetitions after one discarded, EVENTS=20000000 each. Writers keep one CPU busy, the collector
# another. The summary takes the fastest run of each: what others do on the machine only adds.
# Rows go to results/collector/RUN-ID/; nothing is overwritten.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
runs=${RUNS:-5} events=${EVENTS:-20000000} build=${O:-build}
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
may_measure collector
make -s O="$build" "$build/libgotrace.a" "$build/libgotrace-attach.a"
"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Icore -I. experiments/collector/collector.c \
	"$build/libgotrace-attach.a" "$build/libgotrace.a" -lzstd -lz -lm -pthread -o "$build/collector"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

begin_run
note zstd "$(pkg-config --modversion libzstd)"
note file_on "$(df --output=fstype "$work" | tail -n 1)"
note runs "$runs after one discarded, $events events each"
rows=$out/rows.csv
echo "stage,rings,writers,run,events,cpu_ns,ns_per_event,pack_ns_per_event,wall_ns,bytes,full_rings,most_bytes,passed_by,late,backwards,jumps,residual_ns" >"$rows"

for run in $(seq 0 "$runs"); do
	for rings in ${RINGS:-1 2 16 64}; do
		for writers in threads mixed; do
			[ "$rings $writers" = '1 mixed' ] && continue
			for stage in ${STAGES:-read encode pack write threads summary}; do
				line=$("$build/collector" "$stage" "$rings" "$writers" "$events" "$work/trace")
				[ "$run" = 0 ] || echo "$stage,$rings,$writers,$run,$line" >>"$rows"
			done
		done
	done
done
end_run

# Fastest run of each stage; events a second that one collector's core sustains; bytes an event.
awk -F, 'NR > 1 {
	k = $2 "," $3
	if (!(k in seen)) { seen[k] = ++n; key[n] = k }
	if (!((k, $1) in best) || $7 < best[k, $1]) { best[k, $1] = $7; pack[k, $1] = $8 }
	if ($1 == "threads") size[k] = $10 / $5
}
END {
	for (i = 1; i <= n; i++) {
		k = key[i]; split(k, part, ",")
		most = best[k, "threads"] > pack[k, "threads"] ? best[k, "threads"] : pack[k, "threads"]
		printf "%2d rings, %-7s  read %5.1f  encode %5.1f  write %5.1f, by two threads %5.1f and %5.1f ns an event: %5.1f M events/s, %.2f bytes; summary %5.1f ns\n",
			part[1], part[2], best[k, "read"], best[k, "encode"], best[k, "write"], best[k, "threads"],
			pack[k, "threads"], most ? 1e3 / most : 0, size[k], best[k, "summary"]
	}
}' "$rows" | tee "$out/summary.txt"
echo "rows: $rows"
