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

done_testing
