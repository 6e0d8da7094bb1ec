#!/bin/bash
# record --trigger, --one-in, --depth, --delay and --toggle: what is kept is exact, the rest is said.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
requests=$LIVE/programs/default/requests
stalls=$LIVE/programs/default/stalls

# record INPUT ARG...: with these lines as the program's input
record() {
	local input=$1
	shift
	printf '%b' "$input" | gt record "$@" -o trace -- "$requests" >out 2>err
}

# expect_calls NAME=N...: of functions of main, those that are not named have none
expect_calls() {
	local f want
	for f in main serve handle parse field query work audit tidy; do
		want=$(printf '%s\n' "$@" | sed -n "s/^$f=//p")
		[ "$(csv_calls trace "main.$f")" = "${want:-0}" ] ||
			fail "main.$f: $(csv_calls trace "main.$f") calls, not ${want:-0}"
	done
	[ "$(awk -F, 'NR > 1 { n += $11 } END { print n + 0 }' <(gt report trace --format=csv))" = 0 ] ||
		fail "calls are suspect"
	gt report trace >text
	expect_grep 'no event was lost' text
	if grep -Eq 'without an entry|could not be interpreted' text; then cat text; fail "events make no sense"; fi
}

trigger() { # STRATEGY
	record '40\n' --probe="$1" --trigger main.handle
	expect_calls handle=40 parse=40 field=80 query=40 work=40 audit=40
	expect_grep '^only calls inside main.handle, and goroutines started there, are recorded ' text
	gt report trace --by=path --min-share 0 --format=csv >paths
	expect_grep 'main.handle;.*main.work;main.audit' paths
}
for strategy in $strategies; do
	check "--trigger: only inside it, and what is started there, $strategy" trigger "$strategy"
done

one_in() { # N REQUESTS AT-LEAST AT-MOST
	local kept
	record "$2\n" --trigger main.handle --one-in "$1"
	kept=$(csv_calls trace main.handle)
	[ "$kept" -ge "$3" ] && [ "$kept" -le "$4" ] || fail "$kept calls of main.handle"
	expect_calls handle="$kept" parse="$kept" field=$((2 * kept)) query="$kept" work="$kept" audit="$kept"
	expect_grep "^$kept of $2 outermost calls of it were recorded \(--one-in $1\)" text
	if [ "$kept" -lt "$2" ]; then # estimates for all of them, exact for the trigger itself
		gt report trace --format=csv | awk -F, -v n="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
			$1 == "main.handle" { seen = 1; exit !($at["all_calls"] == n && $at["all_total_ns"] > $at["total_ns"]) }
			END { if (!seen) exit 1 }' || fail "all_calls of main.handle are not $2"
		expect_grep "ALLCALLS ALLTOTAL" text
	fi
}
check "--one-in 1 keeps all" one_in 1 10 10 10
check "--one-in 4: whole requests, a quarter of them" one_in 4 40 10 10
check "--one-in 7: of 10 calls one or two" one_in 7 10 1 2
check "--one-in 100: the first is kept" one_in 100 20 1 1

# Why the calls of the trigger were slow: what they waited for, and the function that ended it, of which
# nothing else is in the trace.
why() { # STRATEGY
	local states=--states
	[ "$1" != inline ] || states= # the default there
	# shellcheck disable=SC2086
	printf '20\nstall 300ms\nnap 200ms\n20\n' |
		gt record --probe="$1" $states --trigger main.price -o trace -- "$stalls" >out 2>err
	[ "$(csv_calls trace main.price)" = 42 ] || fail "$(csv_calls trace main.price) calls of main.price"
	[ "$(csv_calls trace main.refresh)" = 0 ] || fail "main.refresh is recorded"
	gt report trace -n 0 --by=reason --format=csv >reasons
	expect_grep '^main.price,(sync.Mutex.Lock|semacquire),1,[0-9]+,[0-9]+,main.refresh,' reasons
	expect_grep '^main.price,sleep,1,[0-9]+,[0-9]+,\[runtime\],' reasons
	gt report trace -n 0 --by=call --format=csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ n++; if ($at["unknown_ns"] || $at["run_ns"] + $at["runnable_ns"] + $at["wait_ns"] + $at["syscall_ns"] + $at["off_cpu_ns"] != $at["duration_ns"] + 0) exit 1
		  wait += $at["wait_ns"] }
		END { exit !(n == 42 && wait > 250000000) }' || fail "parts of the calls"
	gt report trace >text
	if grep -Eq 'without an entry|could not be interpreted|suspect' text; then cat text; fail "events make no sense"; fi
}
for strategy in $strategies; do
	check "--trigger: what its calls wait for, and who ends that, $strategy" why "$strategy"
done

depth() { # STRATEGY
	record '10\n' --probe="$1" --depth 3
	expect_calls main=1 serve=10 handle=10 tidy=10 work=10 audit=10
	expect_grep '^calls inside 3 others are not recorded' text
	record '10\n' --probe="$1" --depth 2 --trigger main.handle
	expect_calls handle=10 parse=10 query=10 work=10 # below the go statement's closure
}
for strategy in $strategies; do
	check "--depth: calls that are too deep are left out, $strategy" depth "$strategy"
done

# switch STATE: and waits until it is said
switch() {
	local before
	before=$(grep -c "recording is $1" err || true)
	kill -USR2 $recorder
	wait_for 60 eval "[ \$(grep -c 'recording is $1' err) -gt $before ]"
}
toggle() { # STRATEGY
	converse --toggle --probe="$1"
	say 5
	switch on
	say 7
	switch off
	say 11
	switch on
	say 2
	switch off
	say 3
	exec 3>&-
	expect_status 0 wait $recorder
	# main is open all the time: it begins in no window
	expect_calls serve=9 handle=9 parse=18 field=36 query=9 work=9 audit=9 tidy=9
	expect_grep '^recording was switched by signals \(--toggle\): it was on for ' text
	gt report trace --by=path --min-share 0 --format=csv >paths
	expect_grep '^main.serve;main.handle;main.query,9,' paths
	expect_grep 'main.handle;.*main.work;main.audit,9,' paths
}
for strategy in $strategies; do
	check "--toggle: SIGUSR2 switches recording on and off, $strategy" toggle "$strategy"
done

rests() { # STRATEGY: while recording is off, nothing is written and no stub traps
	converse --toggle --probe="$1"
	say 3000
	switch on
	say 10
	switch off
	say 3000
	exec 3>&-
	expect_status 0 wait $recorder
	expect_calls serve=10 handle=10 parse=20 field=40 query=10 work=10 audit=10 tidy=10
	gt dump trace >events
	# each request has 19 events of calls, and those of the goroutine that it starts
	awk -v all=$((6010 * 19)) '$1 == "@set" && $2 == "end.events" { n = $3 } END { exit !(n && n < all / 3) }' events ||
		fail "$(grep '@set end.events' events)"
	grep -q '^@set end.lost_events 0' events || fail "events were lost"
	[ "$1" = inline ] || return 0
	awk '$1 == "@set" && $2 == "end.events_inline" { n = $3 } END { exit !(n && n < 1000) }' events ||
		fail "stubs wrote while recording was off"
	# but those that tell of goroutines, of which nothing may be missed: each of the 6,010 begins and ends
	awk '$1 == "@set" && $2 == "end.inline_traps" { n = $3 } END { exit !(n < 1000 + 3 * 6010) }' events ||
		fail "stubs trapped while recording was off"
}
for strategy in $strategies; do
	check "--toggle: what is off rests, $strategy" rests "$strategy"
done

under_load() { # STRATEGY: switched in the middle of everything, calls are whole or cut at a window's end
	local windows=5 parse field
	converse --toggle --probe="$1"
	say 1
	echo 1000000 >&3
	for _ in $(seq $windows); do
		switch on
		switch off
	done
	kill -TERM $recorder
	exec 3>&-
	wait $recorder || true
	gt report trace --format=csv >csv
	[ "$(awk -F, 'NR > 1 { n += $11 } END { print n + 0 }' csv)" = 0 ] || { cat csv; fail "calls are suspect"; }
	gt report trace >text
	expect_grep 'no event was lost' text
	if grep -Eq 'without an entry|could not be interpreted' text; then cat text; fail "events make no sense"; fi
	parse=$(csv_calls trace main.parse) field=$(csv_calls trace main.field)
	# at each switch one call of each may be without the other
	[ "$field" -ge $((2 * parse - 2 * windows)) ] && [ "$field" -le $((2 * parse + 2 * windows)) ] ||
		fail "$parse calls of main.parse, $field of main.field"
}
for strategy in $strategies; do
	check "--toggle in the middle of everything, $strategy" under_load "$strategy"
done

toggle_on() { # and in the middle of a request
	converse --toggle=on --trigger main.handle
	say 4
	switch off
	say 4
	switch on
	echo 'slow 5000ms' >&3
	calls_come trace main.query 5 # it is open
	switch off
	wait_for 60 eval "[ \$(grep -c ^done out) -gt 2 ]"
	exec 3>&-
	expect_status 0 wait $recorder
	gt report trace --format=csv >csv
	# cut off where recording was
	[ "$(csv_calls trace main.handle)$(csv_calls trace main.query)" = 55 ] || fail "not all calls"
	awk -F, '$1 == "main.query" { n = $9 } END { exit n != 1 }' csv || fail "main.query is not unfinished once"
}
check "--toggle=on begins on; calls that are open are cut" toggle_on

delay() {
	local began
	converse --delay 3
	began=$SECONDS
	say 5
	[ $((SECONDS - began)) -lt 3 ] || skip "this machine is too slow for a delay of 3 s"
	sleep 4
	say 7
	exec 3>&-
	expect_status 0 wait $recorder
	expect_calls serve=7 handle=7 parse=14 field=28 query=7 work=7 audit=7 tidy=7
	expect_grep '^recording began after 3.00s \(--delay\)' text
}
check "--delay: what comes before is left out" delay

stays() { # the trigger is the costliest function, and is not released
	local costly=$LIVE/programs/default/costly
	gt record --probe=emulated --max-cost=0.3% --trigger main.hot -o trace -- "$costly" 15 >out 2>err
	gt dump trace >events
	if grep -q ' released main.hot ' events; then fail "the trigger was released"; fi
	grep -q ' released main.' events || fail "nothing was released"
	[ "$(csv_calls trace main.hot)" = "$(awk '$2 == "main.hot" { print $3 }' out)" ] ||
		fail "main.hot: $(csv_calls trace main.hot) calls"
}
check "--max-cost does not release the trigger" stays

refused() {
	for args in '--one-in 2' '--depth 0' '--trigger main.handle --one-in 0' '-D 0' '-D 1 --toggle' '--toggle=x' \
		'--trial 1s --depth 2'; do
		# shellcheck disable=SC2086 # words
		expect_status 2 gt record $args -- "$requests" 2>err
	done
	expect_status 125 gt record --trigger main.handel -- "$requests" 2>err
	expect_grep "no function matches 'main.handel'; similar names: .*main.handle" err
}
check "what makes no sense is refused" refused

done_testing
