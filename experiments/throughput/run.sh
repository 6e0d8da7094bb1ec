#!/bin/sh
# How many events a second one core reads and makes calls, a tree and statistics of, and with how
# much memory: 300 functions, 1,000 goroutines, 10,000 paths and a million.
#   experiments/throughput/run.sh
# RUNS=5 repetitions after one discarded, EVENTS=100000000. The made-up traces (400 MB each) are kept
# in $O/throughput (build/throughput). Rows go to results/throughput/RUN-ID/; nothing is overwritten.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
runs=${RUNS:-5} events=${EVENTS:-100000000} build=${O:-build}
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
may_measure throughput
few=$((events / 10))
traces=$build/throughput
mkdir -p "$traces" results/throughput
make -s O="$build" "$build/libgotrace.a"
for program in generate measure; do
	"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Icore -I. \
		"experiments/throughput/$program.c" "$build/libgotrace.a" -lzstd -lz -lm -o "$traces/$program"
done

# trace EVENTS PATHS: its file, made when it is not there
trace() {
	file=$traces/$1-$2.gotrace
	[ -f "$file" ] || { "$traces/generate" "$file.new" "$1" 300 1000 "$2" && mv "$file.new" "$file"; }
	echo "$file"
}

begin_run
note zstd "$(pkg-config --modversion libzstd)"
note runs "$runs after one discarded"
rows=$out/rows.csv
echo "case,run,events,wall_ns,cpu_ns,peak_kib,paths,calls,root_ns" >"$rows"

small=$(trace "$few" 10000) large=$(trace "$events" 10000) wide=$(trace "$events" 1000000)
cat "$small" "$large" "$wide" >/dev/null # warm
for run in $(seq 0 "$runs"); do
	while read -r name what file; do
		line=$("$traces/measure" "$what" "$file")
		[ "$run" = 0 ] || echo "$name,$run,$line" >>"$rows"
	done <<EOF
read read $large
report-10k-paths report $large
report-1m-paths report $wide
report-10k-paths-tenth report $small
EOF
done
end_run

# Medians of each case.
median() { cut -d, -f"$1" | sort -n | sed -n "$(((runs + 1) / 2))p"; }
tail -n +2 "$rows" | cut -d, -f1 | sort -u | while read -r name; do
	mine=$(grep "^$name," "$rows")
	n=$(echo "$mine" | median 3)
	awk -v name="$name" -v n="$n" -v wall="$(echo "$mine" | median 4)" -v cpu="$(echo "$mine" | median 5)" \
		-v kib="$(echo "$mine" | median 6)" -v paths="$(echo "$mine" | median 7)" 'BEGIN {
		printf "%-24s %5.0f M events, %7d paths: %5.1f ns of processor time an event (%4.1f M/s), %5.1f ns by the clock, peak %6.1f MiB\n",
			name, n / 1e6, paths, cpu / n, n * 1e3 / cpu, wall / n, kib / 1024 }'
done | tee "$out/summary.txt"
echo "rows: $rows"
