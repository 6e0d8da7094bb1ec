#!/bin/bash
# The states of goroutines (record --states).
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# lawful EVENTS: each goroutine goes through states as Go's scheduler has them, with a wake between
# waiting and running but for what a goroutine does inside the garbage collector and for coroutines.
lawful() {
	awk '
	function bad(why) { if (wrong++ < 10) print NR ": " why ": " $0 }
	/^@set states.reason/ { n = substr($2, 15); reason[n] = $0; sub(/^@set [^ ]* /, "", reason[n]); next }
	/^@/ { next }
	{ sub(/ site=[0-9]+/, "") }
	$2 == "image" { delete is; next }
	$2 == "create" { split($0, a, "arg0="); is[a[2] + 0] = 2; created++; next }
	$2 == "end" { if (is[$1] != 1 && $1 in is) bad("ends while in state " is[$1]); delete is[$1]; next }
	$2 == "wake" {
		wakes++
		if ($4 in is && is[$4] != 3) bad("wakes one in state " is[$4])
		if ($1 && $1 in is && is[$1] != 1 && is[$1] != 3) bad("woken by one in state " is[$1])
		is[$4] = 2; next
	}
	$2 == "state" {
		now = $4 % 256; why = int($4 / 256); was = ($1 in is) ? is[$1] : 0
		states++
		if (now < 1 || now > 4 || $4 > 65535 || (now != 3 && why)) bad("no such state")
		if (now == 3 && !(why in reason)) bad("no such reason")
		if (now == 3) waits++
		if (was == 2 && now != 1 && !(now == 3 && reason[why] == "coroutine")) bad("runnable becomes " now)
		if (was == 3 && now == 1 && reason[was_why[$1]] !~ /GC|garbage|stopping|heap|coroutine|trace|preempted|flushing/ && !old)
			bad("runs without a wake after waiting for " reason[was_why[$1]])
		if (was == 3 && now != 1) bad("waiting becomes " now)
		if (was == 4 && now == 3) bad("in a system call becomes waiting")
		is[$1] = now; was_why[$1] = why
	}
	END { print states + 0 " states, " waits + 0 " waits, " wakes + 0 " wakes, " created + 0 " created"
		exit wrong > 0 || states < 1000 || wakes < 500 }' old="$([ "$go_minor" -lt 20 ] && echo 1)" "$1"
}
# waits EVENTS: reason (or state) and nanoseconds of goroutine 1, summed.
waits() {
	awk '
	/^@set states.reason/ { n = substr($2, 15); reason[n] = $0; sub(/^@set [^ ]* /, "", reason[n]); next }
	/^@/ { next }
	{ sub(/ site=[0-9]+/, "") }
	$2 == "wake" && $4 == 1 || $2 == "state" && $1 == 1 {
		t = $5
		if (is == 3) sum[why] += t - since; else if (is == 4) sum["syscall"] += t - since
		is = $2 == "wake" ? 2 : $4 % 256; why = is == 3 ? reason[int($4 / 256)] : ""; since = t
	}
	END { for (w in sum) printf "%s\t%.0f\n", w, sum[w] }' "$1"
}

# The program's clock around each wait, and half of what was asked for: the wait lies between.
known_waits() { # EVENTS OUT
	local reason asked measured name got
	waits "$1" >waits
	while read -r name; do
		case $name in wait\ *) ;; *) continue ;; esac
		measured=${name##* } name=${name% *} asked=${name##* } name=${name% *} name=${name#wait }
		reason=$name
		case $name in
		mutex) reason='sync.Mutex.Lock|semacquire' ;;
		'wait group') reason='sync.WaitGroup.Wait|semacquire' ;;
		esac
		got=$(grep -E "^($reason)	" waits | awk -F'\t' '$2 > m { m = $2 } END { printf "%.0f", m }')
		# semacquire and system calls are also others
		[ "$got" -ge $((asked * 500000)) ] || fail "$name: waited $got ns, asked for $asked ms: $(cat waits)"
		case $name in chan*|select|sleep|IO*)
			[ "$got" -le $((measured * 3)) ] || fail "$name: waited $got ns, the program measured $measured" ;;
		esac
	done <"$2"
}
exact() { # STRATEGY VARIANT [OPTION...]
	local strategy=$1 program=$LIVE/programs/$2/states n=2000
	shift 2
	[ "$strategy" = inline ] || n=200
	expect_status 0 gt record --states --probe="$strategy" "$@" -o trace -- "$program" $n >out
	gt dump trace >events
	gt info trace >info
	expect_grep '^states +1$' info
	expect_grep '^states.sites +runtime.casgstatus:' info
	expect_grep '^end.lost_events +0$' info
	lawful events
	known_waits events out
}
for strategy in $strategies; do
	check "states, $strategy" exact "$strategy" default
done
check "states of a stripped program" exact auto stripped
check "states of a position-independent program" exact auto pie

running() { # STRATEGY
	"$LIVE/programs/default/states" 2000 "$PWD/begin" >out &
	local pid=$! job
	"$GOTRACE" record --states --probe="$1" -o trace --pid $pid 2>err &
	job=$!
	attached() { "$GOTRACE" info trace 2>/dev/null | grep -q '^attach.time_ns'; }
	wait_for 60 attached
	touch begin
	wait $pid
	wait $job
	gt dump trace >events
	lawful events
}
for strategy in $pid_strategies; do
	check "states of a running process, $strategy" running "$strategy"
done

not_together() {
	for with in --summary --min-duration=1ms --keep-last=1s --trial=1 --depth=2 --trigger=main.main --delay=1; do
		expect_status 2 gt record --states "$with" -- "$LIVE/programs/default/states" 2>err
		expect_grep "states tells all" err
	done
}
check "what --states does not go with" not_together
done_testing
