#!/bin/bash
# record --summary: counts and sums without events are those of all events, whenever it ends.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
programs=$LIVE/programs/default

# Exactly what the program printed, without an event in the file.
counts_agree() { # PROGRAM STRATEGY
	for _ in 1 2 3; do
		gt record --max-cost=off --summary -o trace --probe="$2" -- "$programs/$1" >printed
		page_moved || break
	done
	gt report trace --by=function --format=csv >report.csv
	symbols_of "$programs/$1"
	compare_counts printed report.csv symbols
	gt info trace >told
	expect_grep '^events_kept +0$' told
	expect_grep '^summary +alone$' told
	gt dump trace >events
	[ "$(grep -c '^[0-9-]' events)" = 0 ] || fail "there are events in the file"
	gt report trace >text
	expect_grep '^no event was lost$' text
}
for strategy in $strategies; do
	for p in plain recursion growth panics goexit spawn reexec jumps; do
		check "counts of $p in a summary, $strategy" counts_agree "$p" "$strategy"
	done
done

# The same program twice: paths and their calls are the same from events and from a summary.
same_paths() { # PROGRAM
	gt record -o events --probe=springboard -- "$programs/$1" >printed
	gt record --summary -o trace --probe=springboard -- "$programs/$1" >printed
	for t in events trace; do
		gt report $t --by=path --format=csv | cut -d, -f1,2 | sort >$t.paths
	done
	diff events.paths trace.paths || fail "paths differ"
	[ "$(wc -l <trace.paths)" -gt 3 ] || fail "no paths"
	for format in 'folded --raw' pprof html csv perun sqlite; do
		# shellcheck disable=SC2086 # words
		gt export trace --format=$format -o "out.${format% *}"
		format=${format% *}
		[ -s out.$format ] || fail "$format is empty"
	done
	[ "$(sqlite3 out.sqlite 'select count(*) from functions' 2>/dev/null || echo 2)" -gt 1 ] || fail "no functions"
	gt diff events trace >told
	expect_grep '^B: trace, 3001 calls' told
}
check "paths of a summary are those of the events" same_paths plain

refused() {
	gt record --summary -o trace -- "$programs/plain" >printed
	for args in 'report --by=call' 'report --by=goroutine' 'report --goid=1' 'report --from=1ms' 'report --focus=main.main' \
		'export --format=perfetto' 'export --format=chrome' 'export --format=csv --calls' 'export --format=pprof --goroutines'; do
		# shellcheck disable=SC2086 # words
		expect_status 1 gt $args trace >out 2>err
		[ "$(wc -l <err)" = 1 ] || { cat err; fail "$args: not one line"; }
		expect_grep 'record without --summary' err
	done
	expect_status 2 gt record --summary --trial=1 -- "$programs/plain" 2>err
	expect_grep 'trial writes no trace' err
	expect_status 2 gt record --min-duration=1ms --args 'main.outer(n)' -- "$programs/plain" 2>err
	expect_grep 'min-duration does not keep values' err
}
check "what needs single calls says what to record instead" refused

summary_calls() { gt report trace --format=csv 2>/dev/null | awk -F, '$1 == "main.tick" { n = $2 } END { print n + 0 }'; }
ticks() { [ "$(summary_calls)" -gt "$1" ]; }

kill_gotrace() { # JOB: the ticker, which would go on, is ended
	local target
	target=$(pgrep -P "$1" -x ticker)
	kill -KILL "$1"
	wait "$1" || true
	kill -TERM "$target"
}

# Whatever moment gotrace is killed at, the file reads, and knows what was a few seconds ago.
killed() {
	local job before
	"$GOTRACE" record --summary -o trace -- "$programs/ticker" 600s >printed 2>err &
	job=$!
	wait_for 60 ticks 300
	gt report trace >text
	expect_grep 'still being recorded. Its numbers are from its last summary' text
	before=$(summary_calls)
	kill_gotrace "$job"
	[ "$(summary_calls)" -ge "$before" ] || fail "fewer calls than before"
	gt report trace >text
	expect_grep 'this trace is incomplete.*last summary' text
	gt info trace >told
	expect_grep '^complete +no' told
}
check "kill -9 of gotrace: the last summary is there" killed

killed_often() { # at any moment of writing one
	local i job
	for i in 0 1 2 3 4 5; do
		"$GOTRACE" record --summary -o trace -- "$programs/ticker" 10s >printed 2>err &
		job=$!
		wait_for 60 test -e trace
		sleep 0.$((i * 2))
		kill -KILL "$job"
		wait "$job" || true
		gt report trace >text || fail "it does not read"
		expect_grep 'incomplete' text
		mv trace trace.$i
	done
}
check "kill -9 of gotrace early on" killed_often

stays_small() {
	local job size
	"$GOTRACE" record --summary -o trace -- "$programs/ticker" 600s >printed 2>err &
	job=$!
	wait_for 60 ticks 100
	size=$(stat -c %s trace)
	wait_for 60 ticks 2000
	[ "$(stat -c %s trace)" = "$size" ] || fail "it has grown from $size to $(stat -c %s trace) bytes"
	kill -TERM "$job"
	wait "$job" || true
	[ "$(csv_calls trace main.tick)" = "$(awk '$2 == "main.tick" { print $3 }' printed)" ] || fail "other counts than printed"
}
check "the trace does not grow" stays_small

attached() { # STRATEGY
	local job
	"$programs/ticker" 60s >printed &
	job=$!
	gt record --summary -d 1.5 --probe="$1" --traps -o trace --pid $job 2>err
	kill -TERM $job
	wait $job || true
	[ "$(csv_calls trace main.tick)" -gt 100 ] || fail "$(csv_calls trace main.tick) calls"
	[ "$(csv_calls trace main.tock)" -ge $((2 * $(csv_calls trace main.tick) - 2)) ] || fail "calls of tock"
	gt report trace >text
	expect_grep 'ended by --duration' text
	expect_grep '(slower than untraced|of an untraced run)' text
}
for strategy in $pid_strategies; do check "--pid and -d, $strategy" attached "$strategy"; done

released() {
	gt record --summary --max-cost=0.3% --probe=emulated -o trace -- "$programs/costly" 15 >printed 2>err
	gt report trace >text
	expect_grep 'released after [0-9]+ calls?\)' text
	expect_grep '^released while recording, ' text
	[ "$(csv_calls trace main.rounds)" = "$(awk '$2 == "main.rounds" { print $3 }' printed)" ] || fail "calls of rounds"
}
check "--max-cost: the summary knows what was released" released

lossy() {
	gt record --summary --ring=4K --overflow=drop -o trace -- "$programs/costly" 2 >printed 2>err
	gt report trace >text
	expect_grep 'events? (was|were) lost in [0-9]+ gaps?' text
	expect_grep 'suspect' text
}
check "losses are in a summary as in a trace" lossy

# --min-duration: counts of all calls, and the events of long ones.
min_duration_counts() { # PROGRAM STRATEGY
	for _ in 1 2 3; do
		gt record --max-cost=off --min-duration=60s -o trace --probe="$2" -- "$programs/$1" >printed
		page_moved || break
	done
	gt report trace --by=function --format=csv >report.csv
	symbols_of "$programs/$1"
	compare_counts printed report.csv symbols
	gt export trace --format=csv --calls -o calls.csv
	[ "$(wc -l <calls.csv)" = 1 ] || fail "$(wc -l <calls.csv) lines of calls were kept"
}
for strategy in $strategies; do
	for p in plain recursion panics goexit spawn jumps reexec; do
		check "--min-duration: counts of $p, $strategy" min_duration_counts "$p" "$strategy"
	done
done

# Two thousand calls sleep for 10 ms, all others are shorter or wait for them.
min_duration_calls() { # STRATEGY
	gt record --min-duration=9ms -o trace --probe="$1" -p main -p github.com/panjf2000/ants -- "$LIVE/workloads/ants" >printed
	gt export trace --format=csv --calls -o calls.csv
	for f in commonPool multiPool; do
		[ "$(grep -c ",main.$f.func1," calls.csv)" = 1000 ] || fail "$(grep -c ",main.$f.func1," calls.csv) calls of main.$f.func1"
		[ "$(csv_calls trace "main.$f.func1")" = 1000 ] || fail "main.$f.func1 is counted $(csv_calls trace "main.$f.func1") times"
	done
	# what is shorter has started a goroutine: these never do, and last so long on a busy machine only
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		/,"?github.com\/panjf2000\/ants\/v2.\(\*[A-Za-z]*(Queue|Stack)\)/ && $at["duration_ns"] < 9000000 { print; bad = 1 }
		END { exit bad + !at["duration_ns"] }' calls.csv || fail "short calls"
	gt export trace --format=perfetto -o out.perfetto
	gt export trace --format=chrome -o out.json
	[ -s out.perfetto ] || fail "perfetto is empty"
	gt report trace --by=call >text
	expect_grep 'calls shorter than 9(.00)?ms count in all functions and paths, but are no single calls' text
	expect_status 1 gt report trace --by=goroutine 2>err
	expect_grep 'no single calls shorter than 9(.00)?ms' err
	expect_status 1 gt report trace --goid=1 2>err
	expect_grep 'record without --min-duration.*--by=call' err
	gt report trace --by=call --goid=1 >text
	expect_grep 'main.main' text
	gt info trace >told
	[ "$(awk '$1 == "events_kept" { n = $2 } $1 == "events" { all = $2 } END { print (n < all / 2) }' told)" = 1 ] || fail "not fewer events"
}
for strategy in inline springboard; do check "--min-duration: calls, $strategy" min_duration_calls "$strategy"; done

min_duration_killed() {
	local job
	"$GOTRACE" record --min-duration=100ms -o trace -- "$programs/ticker" 600s >printed 2>err &
	job=$!
	wait_for 60 ticks 300
	kill_gotrace "$job"
	[ "$(summary_calls)" -ge 300 ] || fail "the counts are gone"
	gt report trace --by=call >text
	expect_grep 'main.main' text
	expect_grep 'this trace is incomplete.*last summary' text
	if grep -q 'main.tick' text; then fail "a short call is there"; fi
}
check "--min-duration: kill -9 of gotrace" min_duration_killed

# States are in counts and sums, and in the single calls: the slow ones say what they waited for.
states() { # STRATEGY ARG...
	local states=--states
	[ "$1" != inline ] || states= # the default there
	# shellcheck disable=SC2086
	printf '20\nstall 300ms\nnap 200ms\n20\n' |
		gt record --probe="$1" $states "${@:2}" -o trace -- "$LIVE/programs/default/stalls" >out 2>err
	gt report trace -n 0 --by=reason --format=csv >reasons
	expect_grep '^main.price,(sync.Mutex.Lock|semacquire),1,[0-9]+,[0-9]+,main.refresh,' reasons
	expect_grep '^main.price,sleep,1,[0-9]+,[0-9]+,\[runtime\],' reasons
	gt report trace -n 0 --format=csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ n++; if ($at["unknown_ns"] || $at["run_ns"] + $at["runnable_ns"] + $at["wait_ns"] + $at["syscall_ns"] + $at["off_cpu_ns"] != $at["self_ns"] + 0) exit 1 }
		END { exit !n }' || fail "parts of self times"
	[ "$2" != --min-duration=100ms ] || gt report trace -n 0 --by=call --format=csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$3 == "main.price" { n++; wait += $at["wait_ns"] }
		$at["unknown_ns"] || $at["run_ns"] + $at["runnable_ns"] + $at["wait_ns"] + $at["syscall_ns"] + $at["off_cpu_ns"] != $at["duration_ns"] + 0 { exit 1 }
		END { exit !(n == 2 && wait > 450000000) }' || fail "single calls: $(gt report trace -n 0 --by=call --format=csv)"
}
for strategy in $strategies; do
	check "states in a summary, $strategy" states "$strategy" --summary
	check "states with --min-duration, $strategy" states "$strategy" --min-duration=100ms
done

done_testing
