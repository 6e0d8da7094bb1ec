#!/bin/bash
# What gotrace agent takes itself: processor time and memory, with 50 processes that work a little all the time, at 19 Hz, by
# the length of a stretch. In ten minutes there are more stretches of a tenth of a second (6,000) than of 15 s in a day.
#
#   sudo experiments/agent-cost/run.sh
#
# LENGTH=600     seconds of each case, after a minute in which the agent learns what there is
# CASES="15s 15s:waiting 100ms"   intervals; with :waiting all are asked what they wait for
# PROCESSES=50 DUTY=2   per cent of a processor that each works
# QUICK=1        20 seconds, stretches of 1s, 5 processes, on any machine
# GOTRACE=build/gotrace, RESULTS=results/agent-cost
#
# A case is one long run and has no rounds. Rows go to results/agent-cost/RUN-ID/: raw.csv, truth.csv (the kernel's account of what
# the programs ran while the agent did, against what is in the store), environment.txt, summary.md.
set -eu
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
length=${LENGTH:-${QUICK:+20}} cases=${CASES:-${QUICK:+1s}} processes=${PROCESSES:-${QUICK:+5}}
length=${length:-600} cases=${cases:-15s 15s:waiting 100ms} processes=${processes:-50} duty=${DUTY:-2} warm=${QUICK:+5}
warm=${warm:-60}
prepare agent-cost
agent='' busy=()
ends() {
	[ -z "$agent" ] || kill -TERM "$agent" 2>/dev/null || true
	[ ${#busy[@]} = 0 ] || kill "${busy[@]}" 2>/dev/null || true
	wait || true
	rm -rf "$scratch"
}
trap ends EXIT
# A program of its own each, with its own build id and symbols.
for ((i = 0; i < processes; i++)); do
	(cd "$here/duty" && go build -buildvcs=false -trimpath -ldflags="-B 0x$(printf '%040x' $((i + 1)))" -o "$scratch/duty$i" .)
done

begin_run
note length "$length s of each case, after $warm s"
note processes "$processes, each $duty % of a processor"
rows=$out/raw.csv
echo "interval,programs_cpu_s,sampled_s,samples" >"$out/truth.csv"
echo "interval,seconds,agent_cpu_s,resident_bytes,store_bytes,profiles,samples,lost" >"$rows"

for ((i = 0; i < processes; i++)); do
	"$scratch/duty$i" "$duty" &
	busy+=($!)
done

# What the programs ran so far, by the kernel's scheduler, in seconds: sched_info of each, all of its threads.
ran() {
	local pid
	for pid in "${busy[@]}"; do cat "/proc/$pid/task/"*/schedstat; done | awk '{ ns += $1 } END { printf "%.3f", ns / 1e9 }'
}
metric() { awk -v name="gotrace_$1" '$1 == name { printf "%.6f", $2 }' "$scratch/metrics"; }
look() { # INTERVAL SECONDS
	curl -sf "http://127.0.0.1:$port/metrics" >"$scratch/metrics"
	echo "$1,$2,$(metric agent_cpu_seconds_total),$(metric agent_resident_bytes),$(metric store_bytes),$(metric store_profiles),$(metric samples_total),$(metric samples_lost_total)" >>"$rows"
}

port=$((20000 + RANDOM % 10000))
for interval in $cases; do
	port=$((port + 1))
	waiting=false
	[ "$interval" = "${interval%:waiting}" ] || waiting=true
	cat >"$scratch/agent.json" <<-END
		{ "interval": "${interval%:waiting}", "store": { "directory": "$scratch/store-$interval" }, "listen": "127.0.0.1:$port",
		  "rules": [ { "match": { "executable": "*/duty*" }, "waiting": $waiting } ] }
	END
	"$GOTRACE" agent --config "$scratch/agent.json" 2>"$scratch/err" &
	agent=$!
	until grep -q sampling "$scratch/err"; do sleep 0.1; done
	before=$(ran)
	sleep "$warm"
	start=$(date +%s)
	look "$interval" 0
	while now=$(($(date +%s) - start)) && [ "$now" -lt "$length" ]; do
		sleep $((length > 100 ? 10 : 2))
		look "$interval" $(($(date +%s) - start))
	done
	kill -TERM "$agent"
	after=$(ran)
	wait "$agent" || true
	agent=''
	sqlite3 "$scratch/store-$interval/index.db" "SELECT '$interval', $after - $before, sum(weight_ns) / 1e9, sum(samples)
		FROM profiles WHERE service LIKE 'duty%'" | tr '|' ',' >>"$out/truth.csv"
done
end_run
"$here/summary.sh" "$out" >"$out/summary.md"
cat "$out/summary.md"
echo "rows: $rows"
