#!/bin/bash
# Memory of gotrace and size of its trace while an HTTP server is recorded under load, for hours: with --summary,
# and with --min-duration. As root.
#   experiments/long-run/run.sh
# SECONDS_EACH=3600 for each of MODES="summary min-duration"; a sample every EVERY=10 seconds; CLIENTS=4 ask all the time.
# Rows go to results/long-run/RUN-ID/; nothing is overwritten.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
seconds=${SECONDS_EACH:-3600} every=${EVERY:-10} clients=${CLIENTS:-4} modes=${MODES:-summary min-duration}
gotrace=$(realpath "${GOTRACE:-build/gotrace}")
GOTRACE=$gotrace
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
may_measure long-run
work=$(mktemp -d)
recorder=''
trap '[ -z "$recorder" ] || kill -TERM "$recorder" 2>/dev/null || true; rm -rf "$work"' EXIT
(cd experiments/long-run/server && go build -buildvcs=false -trimpath -o "$work/server" .)

begin_run
note seconds_each "$seconds, $clients clients"
rows=$out/rows.csv
echo "mode,seconds,rss_kb,peak_kb,trace_bytes,events,goroutines" >"$rows"

sample() { # MODE SECONDS: of the recorder, and of what its trace says so far
	local events goroutines
	events=$("$gotrace" info "$work/trace" | awk '$1 == "events" { print $2 }')
	goroutines=$("$gotrace" report "$work/trace" -n 1 | sed -n 's/.* \([0-9]*\) goroutines\{0,1\} in .*/\1/p')
	echo "$1,$2,$(awk '/^VmRSS/ { print $2 }' "/proc/$recorder/status"),$(awk '/^VmHWM/ { print $2 }' "/proc/$recorder/status"),$(stat -c %s "$work/trace"),$events,$goroutines" >>"$rows"
}

port=18080
for mode in $modes; do
	case $mode in
	summary) keep=--summary ;;
	*) keep=--min-duration=100ms ;;
	esac
	port=$((port + 1))
	"$gotrace" record "$keep" -p main -p net/http -p encoding/json -o "$work/trace" -- "$work/server" serve 127.0.0.1:$port 2>"$work/err" &
	recorder=$!
	"$work/server" load 127.0.0.1:$port "$clients" "${seconds}s" >"$work/answered" &
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
	note "$mode" "$(cat "$work/answered")"
	"$gotrace" report "$work/trace" -n 10 | sed "s|$work/||" >"$out/$mode.report.txt"
	"$gotrace" info "$work/trace" | grep -E '^(events|end\.lost|end\.target_cpu|end\.inline|duration)' >>"$out/$mode.report.txt"
	rm -f "$work/trace"
done
end_run

# Of each mode: what it was after the first minute (or a tenth of the time), at the most after that, and at the end.
awk -F, -v from=$((seconds / 10 < 60 ? seconds / 10 : 60)) 'NR > 1 {
	if (!($1 in n)) order[++modes] = $1
	n[$1]++
	if ($2 <= from + 0 || !first[$1]) { first[$1] = $3; size[$1] = $5 }
	if ($2 > from && $3 > most[$1]) most[$1] = $3
	last[$1] = $3; end[$1] = $5; events[$1] = $6; took[$1] = $2
}
END {
	for (i = 1; i <= modes; i++) {
		m = order[i]
		printf "%-12s %d s, %.1f M events: RSS %.1f MB at first, %.1f MB at the most, %.1f MB at the end; trace %.1f KB at first, %.1f KB at the end\n",
			m, took[m], events[m] / 1e6, first[m] / 1e3, most[m] / 1e3, last[m] / 1e3, size[m] / 1e3, end[m] / 1e3
	}
}' "$rows" | tee "$out/summary.txt"
echo "rows: $rows"
