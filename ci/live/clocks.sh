#!/bin/bash
# Clocks that are not the kernel's own: time namespaces whose clocks have an offset.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
programs=$LIVE/programs/default

in_namespace() { # OFFSET STRATEGY
	needs_namespace unshare --time --monotonic "$1" --boottime "$1" true
	unshare --time --monotonic "$1" --boottime "$1" --fork \
		timeout 60 "$GOTRACE" record --max-cost=off --probe="$2" -o trace -- "$programs/ticker" 1s >out
	gt report trace --format=csv >csv
	compare_counts out csv
	gt report trace >text
	expect_grep 'no event was lost' text
}
killed_in_namespace() { # OFFSET: what was flushed before is in the trace
	needs_namespace unshare --time --monotonic "$1" --boottime "$1" true
	unshare --time --monotonic "$1" --boottime "$1" --fork \
		timeout 60 sh -c '"$0" record -o trace -- "$@" & echo $! >pid; wait' "$GOTRACE" "$programs/ticker" 60s >out 2>err &
	wait_for 60 grep -q ready out
	local ticker
	ticker=$(pgrep -P "$(cat pid)" -x ticker)
	calls_come trace main.tick 50 # of what is written so far
	kill -KILL "$(cat pid)"
	kill -TERM "$ticker"
	wait
	[ "$(csv_calls trace main.tick)" -ge 50 ] || fail "a killed trace holds $(csv_calls trace main.tick) calls"
}
for offset in 100000 -1000; do
	for strategy in emulated springboard inline; do
		check "a time namespace with an offset of $offset s, $strategy" in_namespace "$offset" "$strategy"
	done
	check "gotrace killed in a time namespace with an offset of $offset s" killed_in_namespace "$offset"
done

target_in_namespace() {
	needs_namespace unshare --time --monotonic 100000 --boottime 100000 true
	expect_status 0 gt record --max-cost=off --exe "$LIVE/programs/noinline/plain" -o trace -- \
		unshare --time --monotonic 100000 --boottime 100000 "$LIVE/programs/noinline/plain" >out
	gt report trace --format=csv >csv
	compare_counts out csv
}
check "a program in a time namespace of its own" target_in_namespace

# Events have the monotonic clock, which no step of the real time reaches. Only in a VM: this machine's clock is everybody's.
stepped() { # PROBE
	[ "${LIVE_SLOW:-}" = 1 ] || skip "only a VM's clock is ours to step"
	local job now step
	now=$(date +%s)
	"$GOTRACE" record --max-cost=off --probe="$1" -o trace -- "$programs/ticker" 3s >out 2>err &
	job=$!
	wait_for 60 grep -q ready out
	for step in 100000 -100000 5 -5; do
		date -s "@$((now + step))" >/dev/null
		sleep 0.3
	done
	date -s "@$now" >/dev/null
	wait "$job" || fail "status $?: $(cat err)"
	gt report trace --format=csv >csv
	compare_counts out csv
	gt report trace >text
	expect_grep 'no event was lost' text
	# main.main is as long as the program ran: from 3 s up to what a slow machine takes, not 100,000 s.
	awk -F, '$1 == "main.main" { found = 1; print $3; exit !($3 >= 3e9 && $3 < 1e12) } END { if (!found) exit 1 }' csv ||
		fail "main.main does not take the time that it takes"
}
for strategy in emulated inline; do
	check "steps of the real time while it records, $strategy" stepped $strategy
done

# The agent reads the real time through a library of the test's, as nobody else's clock may be set.
agent_clock() {
	command -v sqlite3 >/dev/null || { echo "sqlite3 is not installed"; return 1; }
	cat >clock.c <<-'END'
		#include <stdio.h>
		#include <sys/syscall.h>
		#include <time.h>
		#include <unistd.h>

		int clock_gettime(clockid_t clock, struct timespec *t)
		{
			const int got = (int)syscall(SYS_clock_gettime, clock, t);
			FILE *f = clock == CLOCK_REALTIME ? fopen("step", "re") : NULL;
			long step = 0;

			if (f && fscanf(f, "%ld", &step) == 1)
				t->tv_sec += step;
			if (f)
				fclose(f);
			return got;
		}
	END
	"${CC:-gcc}" -shared -fPIC -o clock.so clock.c
	echo '{ "interval": "1s", "frequency": 199, "store": { "directory": "store", "max_age": "1h" }, "others": "drop",
		"rules": [{"match": {"executable": "*/leafs"}}], "listen": "127.0.0.1:'$port'" }' >agent.json
	echo 0 >step
	"$programs/leafs" 600 >/dev/null &
	local busy=$! agent step before
	LD_PRELOAD=$PWD/clock.so "$GOTRACE" agent --config agent.json >out 2>err &
	agent=$!
	wait_for 60 eval '[ "$(sqlite3 store/index.db "SELECT count(*) FROM profiles" 2>/dev/null)" -gt 0 ]'
	for step in -86400 -90000 900000 -100; do # back, back, ten days ahead, back: while a profile is taken
		curl -s -o profile -w '%{http_code}' "http://127.0.0.1:$port/debug/pprof/profile?seconds=3&service=leafs" >code &
		local asked=$!
		sleep 1.5
		echo "$step" >step.new && mv step.new step
		wait "$asked"
		[ "$(cat code)" = 200 ] || fail "a profile taken while the clock was set by $step s: $(cat code)"
		go tool pprof -raw profile 2>&1 | grep -q 'Samples' || fail "the profile has no samples"
	done
	before=$(sqlite3 store/index.db 'SELECT max(id) FROM profiles')
	wait_for 60 eval '[ "$(sqlite3 store/index.db "SELECT max(id) FROM profiles")" -gt "$before" ]'
	kill "$busy"
	kill -TERM "$agent"
	wait "$agent" || fail "the agent ended with status $?: $(cat err)"
	expect_grep 'the clock was set ahead by 9[0-9]* s, so no profile is taken out' err
	[ "$(sqlite3 store/index.db 'SELECT min(id) FROM profiles')" = 1 ] || fail "profiles are gone: $(cat err)"
	# each as long as it was: seconds, not days
	[ "$(sqlite3 store/index.db 'SELECT min(to_ns - from_ns) > 0 AND max(to_ns - from_ns) < 3600 * 1000000000 FROM profiles')" = 1 ] ||
		fail "$(sqlite3 store/index.db 'SELECT from_ns, to_ns FROM profiles')"
}
port=$((20000 + RANDOM % 10000))
check "an agent whose clock is set" agent_clock

done_testing
