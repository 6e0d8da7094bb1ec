#!/bin/bash
# record --keep-last, --when and --times: a window of what came last, exact in itself.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
requests=$LIVE/programs/default/requests
stalls=$LIVE/programs/default/stalls

finish() {
	exec 3>&-
	expect_status 0 wait $recorder
}
# window_has N FILE: N requests, whole
window_has() {
	local f times
	for f in serve=1 handle=1 parse=2 field=4 query=1 work=1 audit=1 tidy=1; do
		times=${f#*=}
		[ "$(csv_calls "$2" "main.${f%=*}")" = $(($1 * times)) ] ||
			fail "$2: main.${f%=*}: $(csv_calls "$2" "main.${f%=*}") calls"
	done
	makes_sense "$2"
}
makes_sense() { # FILE
	[ "$(awk -F, 'NR > 1 { n += $11 } END { print n + 0 }' <(gt report "$1" --format=csv))" = 0 ] ||
		fail "$1: calls are suspect"
	gt report "$1" >text
	expect_grep 'no event was lost' text
	if grep -Eq 'without an entry|could not be interpreted|incomplete' text; then
		cat text
		fail "events make no sense"
	fi
	gt report "$1" --by=path --min-share 0 --format=csv >paths
}

at_exit() { # STRATEGY
	echo 20 | gt record --probe="$1" --keep-last 100M -o trace -- "$requests" >out 2>err
	window_has 20 trace
	[ "$(csv_calls trace main.main)" = 1 ] || fail "main.main is not there"
	expect_grep '^flight recorder \(--keep-last 100M\): all events are in this trace' text
}
for strategy in $strategies; do
	check "all that fits is written at the end, $strategy" at_exit "$strategy"
done

by_time() { # STRATEGY
	local keep began n
	for keep in 2 8 32; do # seconds; a busy machine takes longer than two for the last requests
		rm -f out err
		converse --probe="$1" --keep-last ${keep}s
		say 10
		sleep $((keep + 2)) # it is what has gone by that counts
		began=$SECONDS
		say 5
		finish
		[ $((SECONDS - began)) -ge $((keep - 1)) ] || break
	done
	window_has 5 trace
	expect_grep '^main.main;main.serve;main.handle;main.query,5,' paths
	expect_grep "^flight recorder \\(--keep-last ${keep}s\\): only the last .* are in this trace" text
	n=$(sed -nE 's/^([0-9]+) events, .*/\1/p' text) # record counts what report does
	expect_grep "trace: $n of [0-9]+ events in " err
	awk -F, '$1 == "main.main" { n = $2 - $9 } END { exit n }' <(gt report trace --format=csv) ||
		fail "main.main is not unfinished"
}
for strategy in $strategies; do
	check "what is too old is gone; what was open then is told, $strategy" by_time "$strategy"
done

by_size() {
	local handled
	echo 200000 | gt record --keep-last 1M -o trace -- "$requests" >out 2>err
	[ "$(stat -c %s trace)" -lt 1400000 ] || fail "$(stat -c %s trace) bytes"
	makes_sense trace
	handled=$(csv_calls trace main.handle)
	[ "$handled" -gt 1000 ] && [ "$handled" -lt 150000 ] || fail "$handled calls"
	# but for the request that was cut
	for f in serve query work audit tidy; do
		[ $((handled - $(csv_calls trace main.$f))) -ge -1 ] && [ $((handled - $(csv_calls trace main.$f))) -le 1 ] ||
			fail "main.$f: $(csv_calls trace main.$f) calls, $handled of handle"
	done
	expect_grep '^main.main;main.serve;main.handle;main.parse;main.field,' paths
}
check "no more than the size is kept" by_size

asked() {
	converse --keep-last 100M
	say 10
	kill -USR1 $recorder
	wait_for 60 grep -q 'trace.1: the last .*(SIGUSR1)' err
	say 5
	kill -USR1 $recorder
	wait_for 60 grep -q 'trace.2: the last .*(SIGUSR1)' err
	say 3
	finish
	window_has 10 trace.1
	expect_grep '^this was written while recording went on' text
	window_has 15 trace.2
	window_has 18 trace
	[ ! -e trace.3 ] || fail "there is a third one"
}
check "SIGUSR1 writes what there is, recording goes on" asked

when_slow() { # STRATEGY
	converse --probe="$1" --keep-last 60s --when 'main.handle > 300ms' --times 2
	say 10
	say 'slow 100ms'
	say 'slow 600ms'
	wait_for 60 grep -q 'trace.1: the last .*(--when)' err
	say 5
	say 'slow 700ms'
	wait_for 60 eval 'gt report trace 2>/dev/null | grep -q "^recording was ended by --when"'
	say 30
	finish
	# The first has what happened up to its end, all of it.
	gt report trace.1 >text
	expect_grep "^written because main.handle on goroutine 1 had taken [3-9][0-9]{2}ms, .*\(--when 'main.handle > 300ms'\)" text
	[ "$(csv_calls trace.1 main.handle)" = 12 ] || fail "$(csv_calls trace.1 main.handle) calls in the first"
	gt report trace.1 --by=call --format=csv >calls
	grep -Ec 'main.query' calls >n
	[ "$(cat n)" = 12 ] || fail "$(cat n) calls of main.query"
	gt report trace >text
	expect_grep '^recording was ended by --when before the program ended' text
	[ "$(csv_calls trace main.handle)" = 18 ] || fail "$(csv_calls trace main.handle) calls in the last"
	[ ! -e trace.2 ] || fail "there is a second one"
}
for strategy in $strategies; do
	check "--when a call takes too long, $strategy" when_slow "$strategy"
done

hang() {
	converse --keep-last 60s --when 'main.query > 200ms'
	say 10
	echo hang >&3
	wait_for 60 eval 'gt report trace 2>/dev/null | grep -q "^written because main.query on goroutine 1"'
	gt report trace --by=call --format=csv >calls
	grep -q 'main.query.*unfinished' calls || { tail -3 calls; fail "the call that hangs is not there"; }
	pkill -P $recorder -x requests
	exec 3>&-
	wait $recorder || true
	[ "$(csv_calls trace main.query)" = 11 ] || fail "$(csv_calls trace main.query) calls"
}
check "--when a call does not end" hang

killed() {
	converse --keep-last 60s
	say 10
	pkill -KILL -P $recorder -x requests
	exec 3>&-
	expect_status 137 wait $recorder
	window_has 10 trace
	expect_grep 'the program was ended by signal 9' text
}
check "it is written when the program is killed" killed

running() {
	rm -f in
	mkfifo in
	touch out err
	"$requests" <in >>out &
	local target=$!
	exec 3>in
	say 3
	"$GOTRACE" record --max-cost=off --keep-last 600s -o trace --pid $target 2>>err &
	recorder=$!
	wait_for 60 begun $recorder
	say 10
	kill -TERM $recorder
	wait $recorder || true
	say 4
	exec 3>&-
	wait $target || fail "the target ended with status $?"
	window_has 10 trace
}
check "it is written when gotrace is ended, with --pid" running

# states_of STRATEGY: states are the default where stubs write them
states_of() { [ "$1" = inline ] || echo --states; }
# adds_up TRACE: the parts of each call are its duration
adds_up() {
	gt report "$1" -n 0 --by=call --format=csv >calls
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ n++; if ($at["run_ns"] + $at["runnable_ns"] + $at["wait_ns"] + $at["syscall_ns"] + $at["unknown_ns"] + $at["off_cpu_ns"] != $at["duration_ns"] + 0) exit 1 }
		END { if (!n) exit 1 }' calls || { head -30 calls; fail "parts do not add up to durations"; }
}
# stalled TRACE D: the slow call waited for the lock for nearly all of D ms, until refresh let go of it
stalled() {
	adds_up "$1"
	gt report "$1" -n 0 --by=call --format=csv >calls
	awk -F, -v d="$2" '$3 == "main.price" && $5 > m { m = $5; waits = $NF }
		END { split(waits, w, "="); exit !(w[1] ~ /sync.Mutex.Lock|semacquire/ && w[2] > d * 500000 && w[2] <= m) }' calls ||
		{ cat calls; fail "the slow call did not wait for the lock"; }
	gt report "$1" -n 0 --by=reason --format=csv >reasons
	expect_grep '^main.price,(sync.Mutex.Lock|semacquire),[0-9]+,[0-9]+,[0-9]+,main.refresh,' reasons
}
why() { # STRATEGY: the call that was too slow says what it waited for, and who ended that
	local requests=$stalls
	# shellcheck disable=SC2046
	converse --probe="$1" $(states_of "$1") --keep-last 60s --when 'main.price > 100ms' --times 2
	say 20
	say 'stall 400ms'
	wait_for 60 grep -q 'trace.1: the last .*(--when)' err
	say 'nap 300ms'
	wait_for 60 eval 'gt report trace 2>/dev/null | grep -q "^recording was ended by --when"'
	finish
	makes_sense trace.1
	stalled trace.1 400
	makes_sense trace
	gt report trace -n 0 --by=reason --format=csv >reasons
	expect_grep '^main.price,sleep,1,[0-9]+,[0-9]+,\[runtime\],' reasons
}
for strategy in $strategies; do
	check "why a call was too slow, $strategy" why "$strategy"
done

why_running() { # the same of a process that runs, of a window that begins in the middle
	rm -f in
	mkfifo in
	touch out err
	"$stalls" <in >>out 2>>err &
	local target=$!
	exec 3>in
	say 3
	"$GOTRACE" record --max-cost=off --keep-last 2s --when 'main.price > 200ms' -o trace --pid $target 2>>err &
	recorder=$!
	wait_for 60 begun $recorder
	for _ in 1 2 3 4 5; do
		say 'nap 150ms'
		say 'stall 150ms'
		sleep 0.5
	done
	say 'stall 600ms'
	wait $recorder || true
	say 4
	exec 3>&-
	wait $target || fail "the target ended with status $?"
	makes_sense trace
	gt info trace >info
	expect_grep '^states +1' info
	awk '$1 == "end.window_ns" { exit !($2 < 3500000000) }' info || { cat info; fail "the window has all"; }
	stalled trace 600
}
check "why a call was too slow, with --pid" why_running

arguments() { # a slow request's arguments are in the window
	converse --keep-last 60s --when 'main.query > 200ms' --args 'main.query(d)' --args 'main.handle(n)' --ret main.serve
	say 20
	echo 'slow 700ms' >&3
	finish
	gt report trace --by=call -n 10000 >calls
	expect_grep 'main.query  d=700000000( |$)' calls
	expect_grep 'main.handle  n=21( |$)' calls
	expect_grep 'main.query  d=0( |$)' calls
}
check "--args with --keep-last" arguments

refused() {
	for args in '--when=x>1s' '--keep-last 1M --times 3' '--keep-last 100K' '--keep-last 5' '--keep-last x' \
		'--keep-last 1s --max-size 1M' '--keep-last 1s --summary' '--keep-last 1M --when main.handle' \
		'--keep-last 1M --when main.handle>5'; do
		# shellcheck disable=SC2086 # words
		expect_status 2 gt record $args -- "$requests" 2>err
	done
	expect_status 2 gt record --states --trial 1s -- "$requests" 2>err
	expect_grep 'trial keeps no states, so --states does not go with it' err
	expect_status 125 gt record --keep-last 1M --when 'main.handel > 1s' -- "$requests" 2>err
	expect_grep "no function matches 'main.handel'; similar names: .*main.handle" err
}
check "what makes no sense is refused" refused

done_testing
