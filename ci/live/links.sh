#!/bin/bash
# The ways of attaching, what doctor says of them, and rings that are too small.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

doctor() {
	expect_status 0 gt doctor >out
	expect_grep 'gotrace record works here' out
	expect_grep '^yes .*CAP_BPF and CAP_PERFMON' out
	expect_grep 'emulated instruction' out
}
check "doctor: recording works here" doctor

doctor_unprivileged() {
	expect_status 1 setpriv --reuid=65534 --regid=65534 --clear-groups "$GOTRACE" doctor >out
	expect_grep '^no .*CAP_BPF and CAP_PERFMON .*sudo' out
}
check "doctor: what is missing without privileges" doctor_unprivileged

# Kernels before 6.6 have nothing else.
perf_counts() { # PROGRAM STRATEGY
	expect_status 0 gt record --max-cost=off --attach=perf --probe="$2" -o trace -- "$LIVE/programs/noinline/$1" >out
	gt report trace --format=csv >csv
	compare_counts out csv
	gt info trace >facts
	expect_grep 'attach.kind +perf' facts
}
for strategy in $strategies; do
	check "perf-event links: counts of plain, $strategy" perf_counts plain "$strategy"
done
check "perf-event links: counts of hop, emulated" perf_counts hop emulated

# Taking perf links down takes the kernel 0.1 s each; record does not wait for that.
perf_returns() {
	local start end
	gt record --attach=perf -o trace -- "$LIVE/programs/noinline/plain" >out
	gt info trace >facts
	start=$(awk '$1 == "end.detach_ns" { print $2 }' facts)
	end=$(awk '$1 == "sites" { print $2 }' facts)
	[ "$end" -ge 10 ] || fail "only $end sites"
	[ "$start" -lt 1000000000 ] || fail "record waited $start ns for $end links to be taken down"
	wait_for 60 gone
}
gone() { ! pgrep -f -- "record --attach=perf -o trace -- $LIVE/" >/dev/null; }
check "perf-event links are taken down behind record's back, and nothing stays" perf_returns

# Attaching thousands takes seconds: a signal need not wait for it.
attaching() { # PID: as many descriptors as only links can be
	[ "$(find "/proc/$1/fd" 2>/dev/null | wc -l)" -gt 100 ]
}
perf_interrupted() {
	"$LIVE/programs/default/ticker" 60s >out &
	local target=$! tracer
	wait_for 60 grep -q ready out
	"$GOTRACE" record --attach=perf --probe=emulated -p all -p runtime --pid "$target" -o trace 2>err &
	tracer=$!
	wait_for 60 attaching "$tracer"
	kill -TERM "$tracer"
	expect_status 125 wait "$tracer"
	[ ! -e trace ] || fail "there is a trace"
	expect_grep 'interrupted while probes were attached one by one, and nothing was recorded' err
	kill -TERM "$target"
	wait "$target"
}
check "a signal while perf-event links are attached" perf_interrupted

# The end of the process, too; gotrace is stopped meanwhile, so that most links are not there yet when it looks.
perf_ended() {
	"$LIVE/programs/default/ticker" 60s >out &
	local target=$! tracer
	wait_for 60 grep -q ready out
	"$GOTRACE" record --attach=perf --probe=emulated -p all -p runtime --pid "$target" -o trace 2>err &
	tracer=$!
	wait_for 60 attaching "$tracer"
	kill -STOP "$tracer"
	kill -KILL "$target"
	wait "$target" || true
	kill -CONT "$tracer"
	expect_status 125 wait "$tracer"
	[ ! -e trace ] || fail "there is a trace"
	expect_grep 'process.* ended while probes were attached.*, and nothing was recorded$' err
	! grep -q interrupted err || fail "$(cat err)"
}
check "the end of the process while perf-event links are attached" perf_ended

# Links come one by one: what a running program calls meanwhile must not count by halves.
perf_pid() {
	local ticks tocks
	"$LIVE/programs/default/ticker" 60s >out &
	local target=$!
	wait_for 60 grep -q ready out
	expect_status 0 gt record --attach=perf --probe=emulated --pid "$target" -d 1 -o trace
	kill -TERM "$target"
	wait "$target"
	ticks=$(csv_calls trace main.tick) tocks=$(csv_calls trace main.tock)
	[ "$ticks" -ge 20 ] || fail "only $ticks calls of main.tick"
	if [ "$tocks" -lt $((2 * ticks - 2)) ] || [ "$tocks" -gt $((2 * ticks + 2)) ]; then
		fail "$ticks calls of main.tick and $tocks of main.tock"
	fi
}
check "perf-event links: --pid begins with all of them at once" perf_pid

perf_too_many() {
	# 100 descriptors do not do for two a site.
	(ulimit -n 100 && expect_status 125 "$GOTRACE" record --attach=perf -o trace -- "$LIVE/programs/noinline/plain" 2>err >out)
	expect_grep 'descriptors' err
	[ ! -s out ] || fail "the command ran"
}
check "perf-event links: more sites than descriptors is refused" perf_too_many

# A ring of one page loses events; the counts of what is left are marked.
losses() {
	expect_status 0 gt record --probe=emulated -m 4K -p main -p github.com/panjf2000/ants -o trace -- "$LIVE/workloads/ants" >out 2>err
	expect_grep 'events were lost' err
	gt report trace >text
	expect_grep '[0-9]+ events were lost' text
	expect_grep '[0-9]+ calls are suspect' text
	local lost
	lost=$(gt info trace | awk '$1 == "end.lost_events" { print $2 }')
	[ "$lost" -gt 0 ] || fail "info says that nothing was lost"
}
check "a ring too small: losses are counted and what they touch is marked" losses

# What is shown and what was lost is what there was, however little room there is and however long
# gotrace does not come to read: it is stopped again and again. A lost event may also be one of the runtime's:
# some at its start, then a stop and a resume of the goroutine each time that sysmon preempts it, once in 10 ms
# at the most (Go's forcePreemptNS), which is often where an emulated machine takes seconds. Without states: how often a thread
# loses its processor is the machine's affair.
adds_up() { # STRATEGY SIZE
	local job ring=(-m "$2") true shown lost others
	# Where the clock is not known to be good inline falls back to traps, whose functions would be released.
	[ "$1" != inline ] || ring=(--max-cost=off --ring="$2" --overflow=drop -m "$2")
	"$GOTRACE" record --no-states --probe="$1" "${ring[@]}" -f main.step -o trace -- "$LIVE/programs/default/busy" 300ms >out 2>err &
	job=$!
	# While BPF programs are loaded a signal makes the kernel give up, five times at the most.
	wait_for 60 test -s trace
	while kill -STOP $job 2>/dev/null; do
		sleep 0.03
		kill -CONT $job 2>/dev/null || true
		sleep 0.005
	done
	wait $job || { cat err; fail "status $?"; }
	true=$(awk '$2 == "main.step" { print 2 * $3 }' out)
	gt dump trace >events
	shown=$(awk '$3 == "main.step" && ($2 == "entry" || $2 == "exit") { n++ } END { print n + 0 }' events)
	lost=$(gt info trace | awk '$1 == "end.lost_events" { print $2 }')
	others=$(gt info trace | awk '$1 == "end.target_wall_ns" { print 100 + 2 * int($2 / 10000000) }')
	echo "$shown shown, $lost lost, $true there were, and up to $others of the runtime's"
	[ "$shown" -gt 0 ]
	if [ $((shown + lost)) -lt "$true" ] || [ $((shown + lost)) -gt $((true + others)) ]; then
		fail "$shown shown and $lost lost are not $true and up to $others"
	fi
	[ "$2" != 4K ] || [ "$lost" -gt 0 ] || fail "nothing was lost"
	if [ "$lost" = 0 ]; then return; fi
	gt report trace >text
	expect_grep "$lost events were lost" text
}
for size in 4K 32K 512K; do
	for strategy in $strategies; do
		check "shown and lost are all there was, rings of $size, $strategy" adds_up "$strategy" $size
	done
done

# Not one event is lost with the default ring, on two CPUs with migrating goroutines.
no_losses() {
	expect_status 0 gt record -p main -p github.com/panjf2000/ants -o trace -- "$LIVE/workloads/ants" >out 2>err
	gt report trace >text
	expect_grep 'no event was lost' text
}
check "the default ring loses nothing on ants" no_losses

done_testing
