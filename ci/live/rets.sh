#!/bin/bash
# Who executes a probed RET: the kernel by stepping over it, or the program on it.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# The kernel maps the page that it steps in at a process's first step. All of the ticker's probes
# but those on RETs are on instructions that the kernel emulates.
record_ticker() { # OPTION...; sets stepped to yes or no
	"$LIVE/programs/default/ticker" 120s >out & # a slow VM takes long to attach
	target=$!
	wait_for 60 grep -q ready out
	gt record --probe=emulated "$@" --pid "$target" -o trace -d 100 &
	local record=$!
	calls_come trace main.tick 50
	# Not later: what is hit while probes are being taken down may be stepped.
	stepped=no
	! grep -F '[uprobes]' "/proc/$target/maps" || stepped=yes
	kill -TERM "$target"
	wait "$record"
	wait "$target"
	gt info trace >facts
	[ "$(csv_calls trace main.tick)" -ge 50 ] || fail "few calls"
}
allowed() { "$GOTRACE" doctor | grep -q '^yes *programs perform RETs'; }

as_doctor_says() { # OPTION...
	record_ticker "$@"
	if allowed; then
		expect_grep '^probe.ret +performed' facts
		expect_grep '^end.events_ret +[1-9]' facts
		# A perf event's breakpoint is there before its program is.
		[ "$stepped" = no ] || [ "$*" = --attach=perf ] || fail "instructions were stepped"
	else
		expect_grep '^probe.ret +stepped' facts
		[ "$stepped" = yes ] || fail "no instruction was stepped: doctor is wrong"
	fi
}
check "RETs are performed where doctor says so, and nothing is stepped" as_doctor_says
check "the same over perf-event links" as_doctor_says --attach=perf

switched_off() {
	record_ticker --rets=step
	expect_grep '^probe.ret +stepped' facts
	[ "$stepped" = yes ] || fail "nothing was stepped"
}
check "--rets=step leaves RETs to the kernel" switched_off

# The baseline is two steps, whatever the kernel can do.
baseline() {
	expect_status 0 gt record --probe=thesis -o trace -- "$LIVE/programs/noinline/plain" >printed
	gt info trace >facts
	expect_grep '^probe.ret +stepped' facts
}
check "thesis never performs RETs" baseline

# Another tool on the same bytes: both see every hit.
second_tool() {
	"$GOTRACE" record --max-cost=off --probe=emulated --rets=step -o other -- "$LIVE/programs/noinline/plain" >printed
	gt report other --format=csv >csv
	compare_counts printed csv
	"$LIVE/programs/default/ticker" 600s >out &
	local target=$! ticks others seconds
	wait_for 60 grep -q ready out
	# From before the second one until the target's end, however long attaching takes.
	gt record --probe=emulated --pid "$target" -o outer &
	local outer=$!
	calls_come outer main.tick
	for seconds in 1 4 16; do # on a busy machine it ticks less
		gt record --probe=emulated --pid "$target" -d $seconds -o inner
		[ "$(csv_calls inner main.tick)" -lt 50 ] || break
	done
	calls_come outer main.tick $(($(csv_calls inner main.tick) + 1))
	kill -TERM "$target"
	wait "$outer"
	wait "$target"
	ticks=$(csv_calls inner main.tick) others=$(csv_calls outer main.tick)
	if [ "$ticks" -lt 50 ] || [ "$others" -le "$ticks" ]; then fail "$ticks calls inside of $others"; fi
	gt report outer >text
	expect_grep 'no event was lost$' text
}
check "two tracers on one program" second_tool

# Then no probe costs a second trap, leaves included.
no_step() { # PROGRAM
	allowed || skip "this kernel lets no program write registers"
	[ -e "$LIVE/programs/noinline/$1" ] || skip "$1 was not built"
	gt record --max-cost=off --probe=emulated -o trace -- "$LIVE/programs/noinline/$1" >printed
	gt report trace --format=csv >csv
	compare_counts printed csv
	gt info trace >facts
	expect_grep '^end.events_ret +[1-9]' facts
	! grep '^end.events_step' facts || fail "some are stepped"
}
for program in plain loneret recursion nilleaf; do
	check "no event of $program is stepped where RETs are performed" no_step "$program"
done

# Dropped events must not drop returns: a ring that is full all the time.
full_ring() {
	expect_status 0 gt record --probe=emulated -m 4K -o trace -- "$LIVE/programs/noinline/recursion" >printed 2>err
	"$LIVE/programs/noinline/recursion" >plain
	diff printed plain
}
check "a RET is performed whatever becomes of its event" full_ring

done_testing
