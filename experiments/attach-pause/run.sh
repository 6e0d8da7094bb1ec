#!/bin/bash
# How long a running process is stopped to get inline stubs, and what they cost a server.
#
#   sudo experiments/attach-pause/run.sh
#
# RUNS=5        rounds that count; one more goes before them and is discarded
# QUICK=1       one round of less work, on any machine
# WORKLOADS=    of: crowd-1000 crowd-10000 crowd-100000 (goroutines) nats
# VARIANTS=     of nats, besides untraced, of: emulated inline
# GO= RESUME= SEED= GOTRACE= RESULTS=   as everywhere
#
# Each run writes results/attach-pause/<run-id>/: raw.csv (never edited), environment.txt, and derived from them summary.csv,
# summary.md. Every row is of a process of its own.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
prepare attach-pause 5
usual='crowd-1000 crowd-10000 crowd-100000 nats'
programs=$(chosen program "$usual" "${WORKLOADS:-$([ -n "${QUICK:-}" ] && echo crowd-1000 nats || echo "$usual")}")
ways=$(chosen variant 'emulated inline' "${VARIANTS:-emulated inline}")
seconds=${SECONDS_EACH:-${QUICK:+1}}
seconds=${seconds:-4}
server=v2.10.22
export GOFLAGS="-buildvcs=false -trimpath"
go build -o "$scratch/crowd" "$here/crowd.go"
if [[ " $programs " == *" nats "* ]]; then
	(cd "$here/load" && go build -mod=mod -o "$scratch/load" .)
	(cd "$scratch" && GOBIN=$scratch go install "github.com/nats-io/nats-server/v2@$server")
fi

variants_of() { # PROGRAM
	case $1 in nats) echo "untraced untraced-again $ways" ;; *) echo inline ;; esac
}
fact() { awk -v k="$1" '$1 == k { v = $2 } END { print v }' "$scratch/info"; }
# Of the trace: what it says of the attachment, then of the events.
attachment() {
	"$GOTRACE" info "$scratch/trace" >"$scratch/info" || return 1
	echo "$(fact end.stubs),$(fact end.stubs_left),$(fact end.pause_ns),$(fact end.put_back_pause_ns),$(fact end.detach_ns)"
}
stop() { # PID
	kill "$1"
	wait "$1" 2>/dev/null || true # of the signal
}
crowd() { # GOROUTINES VARIANT
	local target how
	"$scratch/crowd" "$1" >"$scratch/printed" &
	target=$!
	sleep 3
	"$GOTRACE" record --pid "$target" --probe="$2" --traps -p all -d 0.3 -o "$scratch/trace" >/dev/null 2>"$scratch/said" ||
		{ cat "$scratch/said" >&2; stop "$target"; return 1; }
	stop "$target"
	how=$(attachment) || return 1
	echo "$(fact probe.strategy),$how,,$(fact end.events),$(fact end.lost_events)"
}
nats() { # VARIANT
	local target tracer='' rate how port=$((20000 + RANDOM % 10000))
	"$scratch/nats-server" -a 127.0.0.1 -p "$port" >"$scratch/log" 2>&1 &
	target=$!
	sleep 2
	if [ "$1" != untraced ]; then
		"$GOTRACE" record --pid "$target" --probe="$1" --traps -o "$scratch/trace" >/dev/null 2>"$scratch/said" &
		tracer=$!
	fi
	sleep 6 # until all probes are there
	rate=$("$scratch/load" "nats://127.0.0.1:$port" "$seconds") || { stop "$target"; return 1; }
	if [ -z "$tracer" ]; then
		stop "$target"
		echo "none,0,0,0,0,0,$rate,0,0"
		return
	fi
	kill -TERM "$tracer"
	wait "$tracer" || { cat "$scratch/said" >&2; stop "$target"; return 1; }
	stop "$target"
	how=$(attachment) || return 1
	echo "$(fact probe.strategy),$how,$rate,$(fact end.events),$(fact end.lost_events)"
}
# The values of a row.
measure() { # PROGRAM VARIANT
	rm -f "$scratch/trace"
	case $1 in nats) nats "$2" ;; *) crowd "${1#crowd-}" "$2" ;; esac
}

begin_run
fix go_of_programs "$(go env GOVERSION)"
fix nats-server "$server, $seconds s of requests"
build_stats "$scratch"
measure_rounds untraced "untraced $ways" "$programs" program \
	probe,sites,left_out,pause_ns,put_back_pause_ns,detach_ns,requests_per_s,events,lost_events
end_run
"$here/derive.sh" "$out"
cat "$out/summary.md"
echo "results are in $out"
