#!/bin/sh
# How long exports take, how much memory and how many bytes: formats of paths on a trace of 100 million
# events and on a tenth of it, formats of calls at two million calls and a quarter of that. Memory must be
# the same for both lengths. The report by function stands beside them: what reading and pairing takes.
#   experiments/export-throughput/run.sh
# RUNS=5 rounds after one discarded, EVENTS=100000000, CALLS=2000000; QUICK=1: one round, a hundredth of both.
# RESUME=FOLDER goes on with a run that was interrupted. The made-up traces are those of experiments/throughput,
# kept in $O/throughput (build/throughput). Rows go to results/export-throughput/RUN-ID/; nothing is overwritten.
# $GOTRACE is the command.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
rounds=${RUNS:-${QUICK:+1}} events=${EVENTS:-${QUICK:+1000000}} calls=${CALLS:-${QUICK:+20000}} build=${O:-build}
rounds=${rounds:-5} events=${events:-100000000} calls=${calls:-2000000}
GOTRACE=${GOTRACE:-$build/gotrace}
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
# shellcheck source-path=SCRIPTDIR source=../throughput/traces.sh
. "$top/experiments/throughput/traces.sh"
may_measure export-throughput
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build_generate
trace "$events" 10000 >"$work/file.long"
trace $((events / 10)) 10000 >"$work/file.long-tenth"
trace $((2 * calls)) 10000 >"$work/file.calls"
trace $((calls / 2)) 10000 >"$work/file.calls-quarter"
# shellcheck disable=SC2046 # names without blanks
cat $(cat "$work"/file.*) >/dev/null # warm

# The values of a row; none where a format of calls would be that of a long trace, or the other way round.
measure() { # TRACE VARIANT
	case $1,$2 in
	*,report) set -- "$1" report --format=csv ;;
	long*,folded | long*,pprof | long*,perun | long*,csv | long*,html) set -- "$1" export --format="$2" ;;
	calls*,chrome | calls*,perfetto | calls*,sqlite) set -- "$1" export --format="$2" ;;
	calls*,pprof--goroutines) set -- "$1" export --format=pprof --goroutines ;;
	calls*,csv--calls) set -- "$1" export --format=csv --calls ;;
	*) echo ,,,, && return ;;
	esac
	file=$(cat "$work/file.$1")
	shift
	rm -f "$work/out"
	/usr/bin/time -o "$work/time" -f '%e %U %S %M' "$GOTRACE" "$@" "$file" >"$work/out" 2>"$work/log" ||
		{ cat "$work/log" >&2; return 1; }
	awk -v events="${file##*/}" -v bytes="$(stat -c %s "$work/out")" \
		'{ printf "%.0f,%s,%.2f,%s,%s\n", events, $1, $2 + $3, $4, bytes }' "$work/time"
}

begin_run
build_stats "$work"
fix sqlite "$(pkg-config --modversion sqlite3), zlib $(pkg-config --modversion zlib)"
fix traces "of $events events and a tenth, of $calls calls and a quarter"
measure_rounds report 'report folded pprof perun csv html pprof--goroutines csv--calls chrome perfetto sqlite' \
	'long long-tenth calls calls-quarter' trace events,wall_s,cpu_s,peak_kib,bytes
end_run
experiments/export-throughput/derive.sh "$out"
cat "$out/summary.md"
echo "rows: $out/raw.csv"
