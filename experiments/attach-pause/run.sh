#!/bin/bash
# How long a running process is stopped to get inline stubs, and what they cost a server.
#
#   sudo experiments/attach-pause/run.sh      ROUNDS=5, GOTRACE=build/gotrace
#
# Each run writes results/attach-pause/<run-id>/: rows.csv (never edited), environment.txt, summary.md.
set -euo pipefail
unset SUDO_UID SUDO_GID # traces are written to a folder of root's own, whoever called sudo
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
rounds=${ROUNDS:-5} seconds=${SECONDS_EACH:-4} server=v2.10.22
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
[ -x "$GOTRACE" ] || { echo "attach-pause: $GOTRACE is missing; run: make" >&2; exit 1; }
[ "$(id -u)" = 0 ] || { echo "attach-pause: tracing needs root" >&2; exit 1; }
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
may_measure attach-pause
work=$(mktemp -d)
target=
trap '[ -z "$target" ] || kill "$target" 2>/dev/null || true; rm -rf "$work"' EXIT
export GOFLAGS="-buildvcs=false -trimpath"
go build -o "$work/crowd" "$here/crowd.go"
(cd "$here/load" && go build -mod=mod -o "$work/load" .)
(cd "$work" && GOBIN=$work go install "github.com/nats-io/nats-server/v2@$server")

begin_run
note nats-server "$server"
note rounds "$rounds"
rows=$out/rows.csv
echo "what,goroutines,round,probe,sites,left_out,pause_ns,put_back_pause_ns,detach_ns,requests_per_s,events,lost_events" >"$rows"

fact() { "$GOTRACE" info "$work/trace" | awk -v k="$1" '$1 == k { print $2 }'; }
stop_target() { kill "$target"; wait "$target" 2>/dev/null || true; target=; }

for goroutines in 1000 10000 100000; do
	"$work/crowd" "$goroutines" >"$work/printed" &
	target=$!
	sleep 3
	for round in $(seq "$rounds"); do
		"$GOTRACE" record --pid "$target" --probe=inline -p all -d 0.3 -o "$work/trace" 2>/dev/null
		echo "pause,$goroutines,$round,$(fact probe.strategy),$(fact end.stubs),$(fact end.stubs_left),$(fact end.pause_ns),$(fact end.put_back_pause_ns),$(fact end.detach_ns),,$(fact end.events),$(fact end.lost_events)" >>"$rows"
	done
	stop_target
done

port=$((20000 + RANDOM % 10000))
"$work/nats-server" -a 127.0.0.1 -p "$port" >"$work/log" 2>&1 &
target=$!
sleep 2
for round in $(seq "$rounds"); do
	for probe in none emulated inline; do
		tracer=
		if [ "$probe" != none ]; then
			"$GOTRACE" record --pid "$target" --probe="$probe" -o "$work/trace" 2>"$work/err" &
			tracer=$!
			sleep 6 # until all probes are there
		fi
		rate=$("$work/load" "nats://127.0.0.1:$port" "$seconds")
		facts=,,,,
		if [ -n "$tracer" ]; then
			kill -TERM "$tracer"
			wait "$tracer"
			facts=$(fact end.stubs),$(fact end.stubs_left),$(fact end.pause_ns),$(fact end.put_back_pause_ns),$(fact end.detach_ns)
		fi
		if [ -n "$tracer" ]; then events=$(fact end.events),$(fact end.lost_events); else events=,; fi
		echo "nats,,$round,$probe,$facts,$rate,$events" >>"$rows"
	done
done
stop_target
end_run
"$here/summary.sh" "$rows" "$out/environment.txt" >"$out/summary.md"
cat "$out/summary.md"
