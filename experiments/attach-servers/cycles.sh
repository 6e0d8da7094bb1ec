#!/bin/bash
# Attaches to a server under load and detaches, hundreds of times, and kills gotrace with SIGKILL at random moments. After each
# the server lives; at the end its text is that of its file, and no request failed but those whose datagram the kernel had no room for
# (RcvbufErrors: a server that gets no processor loses some, untraced too).
#
#   sudo experiments/attach-servers/cycles.sh
#
# CYCLES=500 KILLS=200   attaches that end by themselves, and by SIGKILL
# WORKLOADS=coredns      one of coredns etcd prometheus
# BUSY=0                 busy loops beside it
# WORK= GO= GOTRACE= as everywhere. The last line: cycles, kills, refusals, requests answered and failed,
# datagrams dropped.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
QUICK=1 prepare attach-servers 1
keep_builds
# shellcheck source=servers.sh
. "$here/servers.sh"
(cd "$here/load" && go build -o "$scratch/load" .)
program=$(chosen program 'coredns etcd prometheus' "${WORKLOADS:-coredns}")
cycles=${CYCLES:-500} kills=${KILLS:-200}
prepared "$program"
mkdir "$scratch/data"
"command_$program" "$scratch/data"
"${target[@]}" >"$scratch/printed" 2>&1 &
server=$!
busy=()
end_all() { kill "$server" "$loader" "${busy[@]}" 2>/dev/null || true; rm -rf "$scratch"; }
loader=$server
trap end_all EXIT
"ready_$program"
"$scratch/load" run "$rate" 86400 "$scratch/log" "${load[@]}" &
loader=$!
for _ in $(seq "${BUSY:-0}"); do
	timeout 86400 sh -c 'while :; do :; done' &
	busy+=($!)
done
# The text as the kernel has it in memory, and as it is in the file.
read -r offset size address < <(readelf -lW "$(command -v "${target[0]}")" | awk '$1 == "LOAD" && / R E / { print $2, $5, $3; exit }')
text() { dd status=none bs=4096 iflag=skip_bytes,count_bytes skip=$((address)) count=$((size)) if="/proc/$server/mem" | sha256sum; }
file() { dd status=none bs=4096 iflag=skip_bytes,count_bytes skip=$((offset)) count=$((size)) if="${target[0]}" | sha256sum; }
[ "$(text)" = "$(file)" ] || cannot "the text of $program is not that of its file before anything was done"
dropped() { awk '/^Udp:/ && $6 ~ /^[0-9]/ { print $6 }' /proc/net/snmp; }
dropped_before=$(dropped)
refused=0 done_cycles=0 killed=0
while [ $((done_cycles + killed)) -lt $((cycles + kills)) ]; do
	kill -0 "$server" || cannot "$program has ended after $done_cycles cycles and $killed kills"
	if [ $((RANDOM % (cycles + kills))) -lt "$kills" ] && [ "$killed" -lt "$kills" ] || [ "$done_cycles" = "$cycles" ]; then
		"$GOTRACE" record --pid "$server" -o "$scratch/trace" >/dev/null 2>&1 &
		job=$!
		sleep "0.$((RANDOM % 900 + 100))"
		kill -9 "$job" 2>/dev/null || true
		wait "$job" 2>/dev/null || true # of the signal
		killed=$((killed + 1))
		continue
	fi
	if ! timeout 120 "$GOTRACE" record --pid "$server" -d 0.1 -o "$scratch/trace" >/dev/null 2>"$scratch/said"; then
		refused=$((refused + 1))
		cat "$scratch/said" >&2
	fi
	done_cycles=$((done_cycles + 1))
	[ $((done_cycles % 50)) != 0 ] || echo "$done_cycles cycles, $killed kills, $refused refusals" >&2
done
# What a gotrace that was killed has left is taken back by the next one.
"$GOTRACE" record --pid "$server" -d 0.1 -o "$scratch/trace" >/dev/null 2>&1 || true
sleep 1
same=no
[ "$(text)" != "$(file)" ] || same=yes
kill "$loader"
wait "$loader" || true
IFS=, read -r _ answered failed _ < <("$scratch/load" phases "$scratch/log" 0 "$(($(date +%s%N) + 1000000000))")
echo "$program: $done_cycles cycles, $killed kills, $refused refusals, $answered requests answered, $failed failed, $(($(dropped) - dropped_before)) datagrams dropped by the kernel, text as in its file: $same"
[ "$failed" -le $(($(dropped) - dropped_before)) ] && [ "$same" = yes ]
