#!/bin/bash
# Profiles as real servers have them: sums, labels and times are the store's. A Collector of OpenTelemetry is built from its Go
# modules, or is the command $OTELCOL. Pyroscope and Parca are commands that somebody has: $PYROSCOPE, $PARCA.
# Tests are called by name, through check.
# shellcheck disable=SC2317,SC2016 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

programs=$LIVE/programs/default
port=$((31000 + RANDOM % 1000 * 10))
command -v sqlite3 >/dev/null || { echo "not ok 1 - sqlite3 is not installed"; echo 1..1; exit 1; }

sql() { sqlite3 store/index.db "$1"; }
answers() { curl -s -o answer "http://127.0.0.1:$1"; }
# config PART: agent.json, with this part
config() {
	cat >agent.json <<-END
		{ "interval": "1s", "frequency": 199, "store": { "directory": "$PWD/store" }, "others": "drop",
		  "labels": { "run": "one", "zone": "a/b \"q\" ü" },
		  "rules": [ { "match": { "executable": "*/leafs" }, "service": "leafs" }, { "match": { "executable": "*/instep" } } ], $1 }
	END
}
# sampled SECONDS: an agent samples two programs for so long, and has pushed all when it ends
sampled() {
	"$GOTRACE" agent --config agent.json >out 2>err &
	local agent=$!
	wait_for 60 grep -q sampling err
	"$programs/leafs" "$1" >/dev/null &
	"$programs/instep" "$1" >/dev/null
	wait $!
	wait_for 120 eval '[ "$(sql "SELECT count(*) > 0 AND NOT EXISTS(SELECT * FROM outbox) FROM profiles")" = 1 ]'
	kill -TERM "$agent"
	wait "$agent" || fail "the agent ended with status $?: $(cat err)"
	if grep -q 'given up\|not pushed' err; then fail "$(cat err)"; fi
	[ "$(sql "SELECT sum(samples) > 200 FROM profiles")" = 1 ] || fail "$(sql "SELECT sum(samples) FROM profiles") samples"
}

# ---- a Collector

# collector: one that writes received.json; sets collector
collector() {
	local binary
	command -v python3 >/dev/null || skip "no python3 to read what the Collector wrote"
	binary=$("$TOP/ci/otelcol.sh") || skip "$binary"
	cat >collector.yaml <<-END
		receivers: { otlp: { protocols: { http: { endpoint: "127.0.0.1:$port" } } } }
		exporters: { file: { path: received.json, flush_interval: 100ms } }
		service:
		  telemetry: { metrics: { level: none } }
		  pipelines: { profiles: { receivers: [otlp], exporters: [file] } }
	END
	"$binary" --config=file:collector.yaml --feature-gates=service.profilesSupport >collector.log 2>&1 &
	collector=$!
	wait_for 60 answers "$port"
}
# It writes all that it has when it ends.
collector_ends() {
	kill -TERM "$collector"
	wait "$collector" || fail "the Collector ended with status $?: $(tail -n 5 collector.log)"
}
# of_folded TRACE TYPE [OPTION...]: type, innermost function, sum, as folded stacks have them
of_folded() {
	local trace=$1 kind=$2
	shift 2
	gt export -F folded "$@" "$trace" 2>/dev/null | awk -v kind="$kind" '{ n = $NF; sub(/ [0-9]+$/, ""); sub(/.*;/, ""); sum[$0] += n }
		END { for (f in sum) if (sum[f]) printf "%s\t%s\t%.0f\n", kind, f, sum[f] }' | sort
}

exported() {
	local trace code kind n=0
	collector
	for trace in traces/branches.go1.27.inline traces/chain.go1.19.thesis traces/callbacks.go1.27.emulated samples/leafs samples/shares; do
		n=$((n + 1))
		gt export -F otlp -o message "$TOP/fixtures/$trace.gotrace" 2>said
		code=$(curl -s -o answer -w '%{http_code}' -H 'Content-Type: application/x-protobuf' --data-binary @message \
			"http://127.0.0.1:$port/v1development/profiles")
		[ "$code" = 200 ] || fail "$trace: $code $(cat answer)"
		wait_for 60 eval "[ \"\$(wc -l <received.json)\" -ge $n ]" # a line a message
		sed -n "${n}p" received.json >message.json
		python3 "$TOP/ci/collector-read.py" message.json --functions | sort >got
		kind=wall
		[ "${trace%%/*}" = traces ] || kind=cpu
		of_folded "$TOP/fixtures/$trace.gotrace" $kind >want
		grep "^$kind	" got | cmp - want || { grep "^$kind	" got | diff - want; fail "$trace: other sums than folded stacks"; }
		if [ $kind = wall ]; then
			of_folded "$TOP/fixtures/$trace.gotrace" calls --weight=calls >want
			grep '^calls	' got | cmp - want || fail "$trace: other calls than folded stacks"
		fi
	done
	python3 "$TOP/ci/collector-read.py" message.json >rows
	awk -F'\t' '$1 != "shares" || $7 !~ /^[1-9]/ || $8 !~ /^[1-9]/ || $9 != "shares" { exit 1 }' rows || fail "$(cat rows)"
	collector_ends
}
check "exports in a Collector" exported

# Each profile once, with the sums, times and labels of its row; processes and threads in its samples.
pushed() {
	local from to cpu samples service
	collector
	config "\"push\": { \"url\": \"http://127.0.0.1:$port\", \"format\": \"otlp\" }"
	sampled 4
	collector_ends
	python3 "$TOP/ci/collector-read.py" received.json >rows
	sql "SELECT service, from_ns, to_ns - from_ns, weight_ns, samples FROM profiles ORDER BY id" >want
	[ "$(grep -c '	cpu	' rows)" = "$(wc -l <want)" ] || fail "$(wc -l <want) profiles, received: $(cat rows)"
	while IFS='|' read -r service from to cpu samples; do
		awk -F'\t' -v s="$service" -v from="$from" -v to="$to" -v cpu="$cpu" -v n="$samples" '
			$1 == s && $5 == from && $6 == to && $2 == "cpu" && $3 == cpu { a++ }
			$1 == s && $5 == from && $6 == to && $2 == "samples" && $3 == n { b++ }
			END { exit a != 1 || b != 1 }' rows || fail "$service at $from: $cpu ns, $samples samples, not so in: $(cat rows)"
	done <want
	awk -F'\t' '$7 !~ /^[1-9]/ || $8 !~ /^[1-9]/ || $9 != $1 { exit 1 }' rows || fail "$(cat rows)"
	[ "$(grep -c 'run=one .*zone=a/b "q" ü' rows)" = "$(wc -l <rows)" ] || fail "labels: $(cat rows)"
	expect_grep "process.executable.path=$programs/leafs" rows
}
check "an agent pushes to a Collector" pushed

# ---- Pyroscope

# has_all SERVICE PORT: Pyroscope has as many nanoseconds of it as the store, of all time
has_all() {
	cat >query <<-END
		{ "profileTypeID": "process_cpu:cpu:nanoseconds:cpu:nanoseconds", "labelSelector": "{service_name=\"$1\",run=\"one\"}",
		  "start": 0, "end": $(date +%s)999 }
	END
	curl -sf -H 'content-type: application/json' -d @query -o answer \
		"http://127.0.0.1:$2/querier.v1.QuerierService/SelectMergeStacktraces" || return 1
	[ "$(python3 -c 'import json; print(json.load(open("answer"))["flamegraph"]["total"])')" = \
		"$(sql "SELECT sum(weight_ns) FROM profiles WHERE service = '$1'")" ]
}
pyroscope() {
	local x p=$port service
	[ -n "${PYROSCOPE:-}" ] || skip "PYROSCOPE names no command of Pyroscope"
	[ -x "$PYROSCOPE" ] || fail "PYROSCOPE=$PYROSCOPE is no command"
	mkdir pyroscope
	set -- -server.http-listen-address=127.0.0.1 -server.http-listen-port=$((p + 1)) -server.grpc-listen-address=127.0.0.1 \
		-server.grpc-listen-port=$((p + 2)) -metastore.address=127.0.0.1:$((p + 2)) -query-backend.address=127.0.0.1:$((p + 2)) \
		-metastore.raft.bind-address=127.0.0.1:$((p + 3)) -metastore.raft.advertise-address=127.0.0.1:$((p + 3)) \
		-metastore.raft.dir="$PWD/pyroscope/raft" -metastore.data-dir="$PWD/pyroscope/meta" -pyroscopedb.data-path="$PWD/pyroscope" \
		-storage.filesystem.dir="$PWD/pyroscope/blocks" -memberlist.bind-addr=127.0.0.1 -memberlist.advertise-addr=127.0.0.1 \
		-memberlist.bind-port=$((p + 4)) -usage-stats.enabled=false -self-profiling.disable-push -tracing.enabled=false \
		-ingester.lifecycler.addr=127.0.0.1 -segment-writer.lifecycler.addr=127.0.0.1
	for x in query-frontend query-scheduler.ring distributor.ring store-gateway.sharding-ring compactor.ring overrides-exporter.ring; do
		set -- "$@" "-$x.instance-addr=127.0.0.1" "-$x.instance-interface-names=lo"
	done
	"$PYROSCOPE" "$@" >pyroscope.log 2>&1 &
	wait_for 120 curl -sf -o answer "http://127.0.0.1:$((p + 1))/ready"
	config "\"push\": { \"url\": \"http://127.0.0.1:$((p + 1))\" }"
	sampled 4
	for service in leafs instep; do
		# A server may need some time until what it took can be asked for.
		wait_for 120 has_all "$service" $((p + 1))
	done
	curl -sf -H 'content-type: application/json' "http://127.0.0.1:$((p + 1))/querier.v1.QuerierService/LabelValues" -o answer \
		-d "{\"name\": \"zone\", \"start\": 0, \"end\": $(date +%s)999}"
	expect_grep 'a/b \\"q\\" ü' answer
}
check "an agent pushes to Pyroscope" pyroscope

# ---- Parca

parca() {
	[ -n "${PARCA:-}" ] || skip "PARCA names no command of Parca"
	[ -x "$PARCA" ] || fail "PARCA=$PARCA is no command"
	cat >parca.yaml <<-END
		object_storage: { bucket: { type: FILESYSTEM, config: { directory: "$PWD/parca" } } }
		scrape_configs:
		- job_name: gotrace
		  scrape_interval: 2s
		  scrape_timeout: 10s
		  params: { service: [leafs] }
		  static_configs: [ { targets: ["127.0.0.1:$((port + 5))"] } ]
		  profiling_config:
		    pprof_config:
		      process_cpu: { enabled: true, path: /debug/pprof/profile, delta: true }
		      memory: { enabled: false }
		      block: { enabled: false }
		      goroutine: { enabled: false }
		      mutex: { enabled: false }
	END
	config "\"listen\": \"127.0.0.1:$((port + 5))\""
	"$GOTRACE" agent --config agent.json >out 2>err &
	local agent=$!
	wait_for 60 grep -q sampling err
	"$programs/leafs" 600 >/dev/null &
	"$PARCA" --config-path=parca.yaml --http-address="127.0.0.1:$((port + 6))" --storage-active-memory=67108864 >parca.log 2>&1 &
	wait_for 120 eval 'curl -sf "http://127.0.0.1:$((port + 6))/api/targets" -o targets && grep -q "HEALTH_GOOD\|HEALTH_BAD" targets'
	if grep -q 'HEALTH_BAD' targets; then fail "$(cat targets)"; fi
	expect_grep HEALTH_GOOD targets
	kill -TERM "$agent"
	wait "$agent" || fail "the agent ended with status $?"
}
check "Parca scrapes an agent" parca
done_testing
