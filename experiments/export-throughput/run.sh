#!/bin/sh
# How long exports take, how much memory and how many bytes: formats of paths on a trace of 100 million
# events and on a tenth of it, formats of calls at two million calls and a quarter of that. Memory must be
# the same for both lengths. The report by function stands beside them: what reading and pairing takes.
#   experiments/export-throughput/run.sh
# RUNS=5 repetitions after one discarded, EVENTS=100000000, CALLS=2000000. The made-up traces are those of
# experiments/throughput, kept in $O/throughput (build/throughput). Rows go to
# results/export-throughput/RUN-ID/; nothing is overwritten. $GOTRACE is the command.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
runs=${RUNS:-5} events=${EVENTS:-100000000} calls=${CALLS:-2000000} build=${O:-build}
gotrace=${GOTRACE:-$build/gotrace}
GOTRACE=$gotrace
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
may_measure export-throughput
traces=$build/throughput
mkdir -p "$traces" results/export-throughput
make -s O="$build" "$build/libgotrace.a"
"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Icore -I. experiments/throughput/generate.c \
	"$build/libgotrace.a" -lzstd -lz -lm -o "$traces/generate"

# trace EVENTS PATHS: its file, made when it is not there
trace() {
	file=$traces/$1-$2.gotrace
	[ -f "$file" ] || { "$traces/generate" "$file.new" "$1" 300 1000 "$2" && mv "$file.new" "$file"; }
	echo "$file"
}

begin_run
note sqlite "$(pkg-config --modversion sqlite3), zlib: $(pkg-config --modversion zlib)"
note runs "$runs after one discarded"
rows=$out/rows.csv
echo "case,events,run,wall_s,cpu_s,peak_kib,bytes" >"$rows"

few=$((events / 10)) some=$((calls / 2))
long=$(trace "$events" 10000) short=$(trace "$few" 10000) many=$(trace $((2 * calls)) 10000) fewer=$(trace "$some" 10000)

# measure CASE EVENTS TRACE RUN ARG...: a row; run 0 is not kept
measure() {
	name=$1 n=$2 file=$3 run=$4
	shift 4
	rm -f "$traces/out"
	/usr/bin/time -o "$traces/time" -f '%e %U %S %M' "$gotrace" "$@" "$file" >"$traces/out"
	[ "$run" = 0 ] || awk -v head="$name,$n,$run" -v bytes="$(stat -c %s "$traces/out")" \
		'{ printf "%s,%s,%.2f,%s,%s\n", head, $1, $2 + $3, $4, bytes }' "$traces/time" >>"$rows"
}

for run in $(seq 0 "$runs"); do
	for pair in "$events $long" "$few $short"; do
		# shellcheck disable=SC2086 # events and file
		set -- $pair
		measure 'report by function' "$1" "$2" "$run" report --format=csv
		for format in folded pprof perun csv html; do
			measure "$format" "$1" "$2" "$run" export --format=$format
		done
	done
	for pair in "$((2 * calls)) $many" "$some $fewer"; do
		# shellcheck disable=SC2086
		set -- $pair
		measure 'pprof --goroutines' "$1" "$2" "$run" export --format=pprof --goroutines
		measure 'csv --calls' "$1" "$2" "$run" export --format=csv --calls
		for format in chrome perfetto sqlite; do
			measure "$format" "$1" "$2" "$run" export --format=$format 2>/dev/null
		done
	done
done
rm -f "$traces/out" "$traces/time"
end_run

# Medians of each case.
tail -n +2 "$rows" | cut -d, -f1,2 | awk '!seen[$0]++' | while IFS=, read -r name n; do
	median() { grep "^$name,$n," "$rows" | cut -d, -f"$1" | sort -n | sed -n "$(((runs + 1) / 2))p"; }
	awk -v name="$name" -v n="$n" -v wall="$(median 4)" -v cpu="$(median 5)" -v kib="$(median 6)" -v bytes="$(median 7)" \
		'BEGIN { printf "%-20s %5.1f M events: %6.2f s of processor time (%5.0f ns an event), %6.2f s by the clock, peak %6.1f MiB, %9.3f MB out\n",
			name, n / 1e6, cpu, cpu * 1e9 / n, wall, kib / 1024, bytes / 1e6 }'
done | tee "$out/summary.txt"
echo "rows: $rows"
