#!/bin/bash
# What attaching costs a running server: requests a second, latencies, errors and processor time a request; before, at the
# attach, during, at the detach, after. The load is an open loop: a request is due whether or not others were answered.
#
#   sudo experiments/attach-servers/run.sh
#
# RUNS=5        rounds that count; one more goes before them and is discarded
# QUICK=1       one round, shorter, on any machine
# WORKLOADS=    of: coredns etcd prometheus mailpit oauth2_proxy
# BUSY=0         busy loops beside it: 2 leave no processor free on a machine of two
# VARIANTS=     besides untraced, of: default no-limit emulated sample wall
# SECONDS_EACH=5  of the recording, and of the phases before and after it, but at most five of these
# RATE_coredns= RATE_etcd= ...   requests a second
# WORK=DIR keeps the built servers; GO= RESUME= SEED= GOTRACE= RESULTS= as everywhere
#
# Each run writes results/attach-servers/<run-id>/: raw.csv (never edited), environment.txt, and derived from them summary.csv,
# summary.md. Every row is of a process of its own, on 127.0.0.1.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
prepare attach-servers 5
usual='coredns etcd prometheus mailpit oauth2_proxy'
programs=$(chosen program "$usual" "${WORKLOADS:-$([ -n "${QUICK:-}" ] && echo coredns || echo "$usual")}")
usual='default no-limit emulated sample wall'
ways=$(chosen variant "$usual" "${VARIANTS:-$usual}")
seconds=${SECONDS_EACH:-${QUICK:+2}}
seconds=${seconds:-5}
around=$((seconds < 5 ? seconds : 5)) # before and after
keep_builds
# shellcheck source=servers.sh
. "$here/servers.sh"
(cd "$here/load" && go build -o "$scratch/load" .)

now() { date +%s%N; }
cpu_ms() { awk -v tick="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print ($12 + $13) * 1000 / tick }' "/proc/$1/stat"; } # PID
fact() { awk -v k="$1" '$1 == k { v = $2 } END { print v }' "$scratch/info"; }
# It records: its process waits for the server's, for signals and for its collector, three descriptors; sampling, it writes.
looks() { # VARIANT JOB
	case $1 in
	untraced) true ;;
	sample | wall) [ -s "$scratch/trace" ] ;;
	*) [[ $(cat "/proc/$2/syscall" 2>/dev/null) =~ ^7\ 0x[0-9a-f]+\ 0x3\  ]] ;;
	esac
}
# The command that looks at the process.
set_command() { # VARIANT PID
	command=("$GOTRACE" record --pid "$2" -d "$seconds" -o "$scratch/trace")
	case $1 in
	untraced) command=(sleep "$seconds") ;;
	default) ;;
	no-limit) command+=(--max-cost=off) ;;
	emulated) command+=(--probe=emulated) ;;
	sample) command=("$GOTRACE" sample --pid "$2" -d "$seconds" -o "$scratch/trace") ;;
	wall) command=("$GOTRACE" sample --wall --pid "$2" -d "$seconds" -o "$scratch/trace") ;;
	esac
}
# Set by measure: the server, the load.
server='' loader=''
busy=()
end_busy() { [ ${#busy[@]} = 0 ] || kill "${busy[@]}" 2>/dev/null || true; }
end_both() {
	[ -z "$loader" ] || kill "$loader" 2>/dev/null || true
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	wait "$loader" "$server" 2>/dev/null || true # of the signals
	server='' loader=''
}
# The values of a row.
measure() { # PROGRAM VARIANT
	local marks=() cpu=() status=0 job begun ended
	rm -rf "$scratch/trace" "$scratch/log" "$scratch/data"
	mkdir "$scratch/data"
	"command_$1" "$scratch/data"
	"${target[@]}" >"$scratch/printed" 2>&1 &
	server=$!
	"ready_$1" || { end_both; return 1; }
	"$scratch/load" run "$rate" $((2 * seconds + 4 * around + 20)) "$scratch/log" "${load[@]}" &
	loader=$!
	sleep 2
	marks+=("$(now)") cpu+=("$(cpu_ms "$server")")
	sleep "$around"
	marks+=("$(now)") cpu+=("$(cpu_ms "$server")")
	set_command "$2" "$server"
	"${command[@]}" >"$scratch/said" 2>&1 &
	job=$!
	until looks "$2" "$job" || ! kill -0 "$job" 2>/dev/null; do sleep 0.02; done
	marks+=("$(now)") cpu+=("$(cpu_ms "$server")")
	begun=${marks[2]}
	wait "$job" || status=$?
	ended=$(now)
	# what is left of its time behind the recording is the detaching
	if [ $((ended - begun)) -gt $((seconds * 1000000000)) ]; then
		marks+=("$((begun + seconds * 1000000000))" "$ended")
	else
		marks+=("$ended" "$ended")
	fi
	cpu+=("$(cpu_ms "$server")")
	sleep "$around"
	marks+=("$(now)") cpu+=("$(cpu_ms "$server")")
	kill -0 "$server" || { echo "$1 has ended" >&2; end_both; return 1; }
	kill "$loader"
	wait "$loader" || true
	loader=''
	if [ ! -s "$scratch/log" ]; then echo "the load left no log" >&2; end_both; return 1; fi
	end_both
	told "$2" "$status"
	echo "$("$scratch/load" phases "$scratch/log" "${marks[@]}" | tr '\n' ',')$(
		awk -v a="${cpu[*]}" 'BEGIN { split(a, ms, " "); printf "%d,%d,%d", ms[2] - ms[1], ms[4] - ms[3], ms[5] - ms[4] }'),$what"
}
# Sets what: of the recording.
told() { # VARIANT STATUS
	: >"$scratch/info"
	case $1 in default | no-limit | emulated) "$GOTRACE" info "$scratch/trace" >"$scratch/info" 2>/dev/null || true ;; esac
	what="$2,$(fact end.pause_ns),$(fact end.reason),$(fact end.events),$(fact end.lost_events),$(
		"$GOTRACE" dump "$scratch/trace" 2>/dev/null | awk '$2 == "released" { n++ } END { print n + 0 }'),$(
		sed -n 's/^overhead  *//p' "$scratch/info" | tr ',"' ';')"
}

for program in $programs; do
	echo "attach-servers: building $program" >&2
	prepared "$program"
done
begin_run
fix go_of_programs "$(go env GOVERSION)"
fix versions "coredns $COREDNS, etcd $ETCD, prometheus $PROMETHEUS, mailpit $MAILPIT, oauth2-proxy $OAUTH2_PROXY"
fix seconds "$seconds"
fix busy "${BUSY:-0}"
trap 'end_busy; rm -rf "$scratch"' EXIT
for _ in $(seq "${BUSY:-0}"); do
	timeout 21600 sh -c 'while :; do :; done' &
	busy+=($!)
done
fix rates "coredns $RATE_coredns, etcd $RATE_etcd, prometheus $RATE_prometheus, mailpit $RATE_mailpit, oauth2-proxy $RATE_oauth2_proxy"
build_stats "$scratch"
columns=
for phase in before attach during detach after; do
	columns+="${phase}_s,${phase}_answered,${phase}_errors,${phase}_p50_us,${phase}_p99_us,${phase}_p999_us,"
done
measure_rounds untraced "untraced $ways" "$programs" program \
	"${columns}before_cpu_ms,during_cpu_ms,after_cpu_ms,status,pause_ns,reason,events,lost_events,released,told"
end_run
"$here/derive.sh" "$out"
cat "$out/summary.md"
echo "results are in $out"
