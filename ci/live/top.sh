#!/bin/bash
# gotrace top: tables of a recording that goes on.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
ticker=$LIVE/programs/default/ticker

tables() { grep -c '^SELF/S' out; }

# Plain tables with an empty line after each, no escape code; the ticker's rates are in them.
are_tables() { # N
	[ "$(tables)" = "$1" ] || fail "$(tables) tables, not $1"
	[ "$(grep -c '^$' out)" = "$1" ] || fail "tables are not apart"
	if grep -q $'\033' out; then fail "escape codes"; fi
	expect_grep 'calls/s' out
	# tock is called twice as often as tick, which was called in each
	awk '$NF == "main.tick" { tick = $3; n++ } $NF == "main.tock" { tock = $3 }
		tick && tock { if (tock < 1.8 * tick || tock > 2.2 * tick) { print "tick " tick " tock " tock; bad = 1 } tick = tock = 0 }
		END { exit bad || !n }' out || fail "rates"
}

of_a_process() { # STRATEGY
	local job
	"$ticker" 600s >printed &
	job=$!
	gt top --probe="$1" --traps --pid $job --interval 1s --times 3 >out 2>err
	are_tables 3
	# Stubs write states, which the answer needs.
	local without=1
	[ "$1" = inline ] && without=0
	[ "$(grep -c "^rates only; 'gotrace record --pid $job -d 10'" out)" = $without ] || fail "where the answer is to be had is not said once without states"
	kill -TERM $job
	wait $job || true
	expect_grep '^count main.tick' printed
}
for strategy in $pid_strategies; do check "top --pid, $strategy" of_a_process "$strategy"; done

of_a_file() { # ARG...
	local job
	"$GOTRACE" record "$@" -o trace -- "$ticker" 600s >printed 2>err &
	job=$!
	wait_for 60 grep -q ready printed
	gt top trace --interval 1s --times 2 -s calls >out
	are_tables 2
	[ "$(awk '/^SELF/ { getline; print $NF; exit }' out)" = main.tock ] || fail "not sorted by calls"
	# to the end of the recording
	gt top trace --interval 1s >out &
	local top=$!
	wait_for 60 eval '[ "$(tables)" -ge 1 ]'
	kill -TERM $job
	wait $job || true
	wait $top || fail "top ended with $?"
	[ "$(tables)" -ge 1 ] || fail "no table"
	expect_status 1 gt top trace 2>err
	expect_grep 'is not being recorded: .gotrace report. shows all of it' err
}
check "top of a recording with --summary" of_a_file --summary
check "top of a recording of events" of_a_file
check "top of a recording with --min-duration" of_a_file --min-duration=1s

# The answer of all that was recorded so far stands above each table, and is the report's in the end.
answers() {
	local job
	"$GOTRACE" record -o trace -- "$LIVE/programs/default/slow" lock 600s >printed 2>err &
	job=$!
	wait_for 60 eval 'gt report trace 2>/dev/null | grep -q "^main.serveLock waits"'
	gt top trace --interval 1s --times 2 >out
	[ "$(tables)" = 2 ] || fail "$(tables) tables, not 2"
	[ "$(grep -c '^main.serveLock waits [0-9]*% of its time for a lock' out)" = 2 ] || fail "no answer above each table"
	[ "$(grep -c '^  held by   main.(\*cache).get, ' out)" = 2 ] || fail "nobody held the lock"
	head -n 1 out | grep -q '^main.serveLock' || fail "the answer does not stand first"
	gt view trace >page
	grep -q '"answer":\["main.serveLock waits ' "$(cat page)" || fail "no answer in the page"
	grep -q '"recording":true' "$(cat page)" || fail "the page does not say that the recording goes on"
	rm -f "$(cat page)"
	kill -TERM $job
	wait $job || true
	gt report trace >report
	head -n 1 report | grep -q '^main.serveLock waits' || fail "another answer in the end"
}
check "the answer stands above the tables, and in the page" answers

# The same answer without a file, and that of summaries, which do not have the holder.
answers_elsewhere() {
	local job
	"$LIVE/programs/default/slow" lock 600s >printed 2>err &
	job=$!
	gt top --pid $job --interval 1s >out &
	local top=$!
	wait_for 60 grep -q '^main.serveLock waits [0-9]*% of its time for a lock' out
	wait_for 60 grep -q '^  held by   main.(\*cache).get, ' out
	if grep -q '^rates only' out; then fail "the answer is there, but other commands are named"; fi
	kill -TERM $job
	wait $job || true
	wait $top || fail "top ended with $?"
	"$GOTRACE" record --summary -o trace -- "$LIVE/programs/default/slow" lock 600s >printed 2>err &
	job=$!
	wait_for 60 eval 'gt report trace 2>/dev/null | grep -q "^main.serveLock waits"'
	gt top trace --interval 1s --times 1 >out
	head -n 1 out | grep -q '^main.serveLock waits' || fail "no answer of a summary"
	expect_grep '^  ended by  main\.\(\*cache\)\.get [0-9]*%' out
	expect_grep '^  held by   not recorded' out
	kill -TERM $job
	wait $job || true
}
check "the answer of a process and of a summary" answers_elsewhere

interrupted() {
	local job top
	"$ticker" 600s >printed &
	job=$!
	"$GOTRACE" top --traps --pid $job --interval 1s >out 2>err &
	top=$!
	wait_for 60 grep -q main.tick out
	kill -INT $top
	wait $top || fail "top ended with $?"
	kill -0 $job || fail "the process is gone"
	kill -TERM $job
	wait $job || true
	# and when the process ends
	"$ticker" 600s >printed &
	job=$!
	: >out # the table of the first must not count
	gt top --traps --pid $job --interval 1s >out 2>err &
	local top=$!
	wait_for 60 eval '[ "$(tables)" -ge 1 ]'
	kill -TERM $job
	wait $top || fail "top ended with $?"
}
check "Ctrl-C and the end of the process end it well" interrupted

on_a_terminal() {
	local job
	command -v script >/dev/null || skip "no script(1)"
	"$ticker" 600s >printed &
	job=$!
	{ wait_for 60 grep -q main.tick out; printf q; sleep 1; } | timeout 120 script -qec "stty rows 20 cols 60; $GOTRACE top --traps --pid $job --interval 1s" /dev/null >out || fail "status $?"
	grep -q $'\033\\[H\033\\[2J' out || fail "the screen is not cleared"
	expect_grep 'main.tick' out
	kill -TERM $job
	wait $job || true
}
check "q ends it on a terminal" on_a_terminal

wrong() {
	expect_status 2 gt top --pid 1 trace 2>err
	expect_grep 'either a trace or --pid' err
	expect_status 2 gt top --interval 10ms 2>err
	expect_grep 'shorter than a second' err
	expect_status 1 gt top missing 2>err
	expect_status 125 gt top --pid 1 2>err
}
check "wrong usage" wrong

done_testing
