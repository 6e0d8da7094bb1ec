#!/bin/bash
# Memory of gotrace and size of its trace while an HTTP server is recorded under load, for hours: with --summary,
# and with --min-duration. As root.
#   experiments/long-run/run.sh
# SECONDS_EACH=3600 for each of MODES="summary min-duration"; a sample every EVERY=10 seconds; CLIENTS=4 ask all the time.
# QUICK=1: 20 seconds each, a sample every two. A mode is one long run and has no rounds: what is asked is whether anything grows.
# Rows go to results/long-run/RUN-ID/; nothing is overwritten.
set -eu
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
prepare long-run
cd "$top"
seconds=${SECONDS_EACH:-${QUICK:+20}} every=${EVERY:-${QUICK:+2}}
seconds=${seconds:-3600} every=${every:-10} clients=${CLIENTS:-4} modes=${MODES:-summary min-duration}
recorder=''
trap '[ -z "$recorder" ] || kill -TERM "$recorder" 2>/dev/null || true; rm -rf "$scratch"' EXIT
(cd experiments/long-run/server && go build -buildvcs=false -trimpath -o "$scratch/server" .)

begin_run
note seconds_each "$seconds, $clients clients"
rows=$out/rows.csv
echo "mode,seconds,rss_kb,peak_kb,trace_bytes,events,goroutines" >"$rows"

sample() { # MODE SECONDS: of the recorder, and of what its trace says so far
	local events goroutines
	events=$("$GOTRACE" info "$scratch/trace" | awk '$1 == "events" { print $2 }')
	goroutines=$("$GOTRACE" report "$scratch/trace" -n 1 | sed -n 's/.* \([0-9]*\) goroutines\{0,1\} in .*/\1/p')
	echo "$1,$2,$(awk '/^VmRSS/ { print $2 }' "/proc/$recorder/status"),$(awk '/^VmHWM/ { print $2 }' "/proc/$recorder/status"),$(stat -c %s "$scratch/trace"),$events,$goroutines" >>"$rows"
}

port=18080
for mode in $modes; do
	case $mode in
	summary) keep=--summary ;;
	*) keep=--min-duration=100ms ;;
	esac
	port=$((port + 1))
	"$GOTRACE" record "$keep" -p main -p net/http -p encoding/json -o "$scratch/trace" -- "$scratch/server" serve 127.0.0.1:$port 2>"$scratch/err" &
	recorder=$!
	"$scratch/server" load 127.0.0.1:$port "$clients" "${seconds}s" >"$scratch/answered" &
	load=$!
	start=$(date +%s)
	while now=$(($(date +%s) - start)) && [ "$now" -lt "$seconds" ]; do
		sleep "$every"
		sample "$mode" $(($(date +%s) - start))
	done
	wait "$load"
	kill -TERM "$recorder"
	wait "$recorder" || true
	recorder=''
	note "$mode" "$(cat "$scratch/answered")"
	"$GOTRACE" report "$scratch/trace" -n 10 | sed "s|$scratch/||" >"$out/$mode.report.txt"
	"$GOTRACE" info "$scratch/trace" | grep -E '^(events|end\.lost|end\.target_cpu|end\.inline|duration)' >>"$out/$mode.report.txt"
	rm -f "$scratch/trace"
done
end_run
experiments/long-run/summary.sh "$out" >"$out/summary.md"
cat "$out/summary.md"
echo "rows: $rows"
