#!/bin/bash
# Inline stubs in a process that runs already: nothing may come of it but events.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
build=default
[ "${LIVE_SLOW:-}" != 1 ] || export GOTRACE_CLOCK_UNCHECKED=1

start() { # PROGRAM ARG...; sets target
	"$@" >out 2>err.target &
	target=$!
	wait_for 60 grep -q ready out
}
steady() { start "$LIVE/programs/$build/steady" "$@"; }
finish() { # it computed what it should to its end
	kill -TERM "$target" || fail "the target is gone: $(cat err.target)"
	wait "$target" || fail "the target ended with status $?: $(tail -n 5 err.target)"
	grep -q '^steady$' out || fail "the target did not finish"
}
record() { gt record --pid "$target" --probe=inline -o trace "$@"; }
value() { gt info trace | awk -v k="$1" '$1 == k { print $2 }'; }
is_inline() { # [MANY]: or a few sites are left out, where a thread or goroutine was
	[ "$(value probe.strategy)" = inline ] || fail "not inline: $(cat err)"
	[ "$(value end.stubs)" -ge 15 ] || fail "$(value end.stubs) stubs"
	[ "${1:-}" = many ] || [ "$(value end.stubs_left)" -le 2 ] || fail "$(value end.stubs_left) sites left out"
	[ "$(value end.pause_ns)" -gt 0 ] || fail "no pause is told"
	[ "$(value end.lost_events)" = 0 ] || fail "$(value end.lost_events) events were lost"
}
# Neither mappings nor descriptors of ours.
nothing_left() {
	! grep memfd:gotrace "/proc/$target/maps" || fail "something of gotrace is still mapped"
	[ -z "$(find "/proc/$target/fd" -lname '*memfd:gotrace*')" ] || fail "a file of gotrace is open in the target"
	[ "$(awk '$1 == "TracerPid:" { print $2 }' "/proc/$target/status")" = 0 ] || fail "it is still traced"
}
text_of() { # the text, the code at its start that system calls were made from included
	local start size
	read -r start size < <(readelf -SW "/proc/$target/exe" | sed -n 's/^ *\[ *[0-9]*\] \.text *PROGBITS *\([0-9a-f]*\) [0-9a-f]* \([0-9a-f]*\) .*/\1 \2/p')
	dd if="/proc/$target/mem" bs=4096 iflag=skip_bytes,count_bytes skip=$((0x$start)) count=$((0x$size)) 2>/dev/null | sha256sum
}

# All workers wait while gotrace comes, and while it goes: every call between is in the trace.
hold() { # the counts so far: held.1, held.2, ...
	helds=$((${helds:-0} + 1))
	kill -USR1 "$target"
	wait_for 60 eval "[ \"\$(grep -c '^held$' out)\" = $helds ]"
	awk -v n=$helds '/^held$/ { seen++ } seen == n - 1 && $1 == "count" { print $2, $3 }' out >"held.$helds"
	rounds_held=$(awk '$1 == "main.round" { print $2 }' "held.$helds")
}
more_rounds() { # N: they go on from one hold to the next, N rounds later
	local until=$((rounds_held + $1))
	while [ "$rounds_held" -lt $until ]; do
		kill -USR2 "$target"
		sleep 0.05
		hold
	done
}
exact() { # PROBE
	local job got=0
	steady 3 20 600s
	hold
	"$GOTRACE" record --pid "$target" --probe="$1" -o trace 2>err &
	job=$!
	wait_for 60 begun "$job"
	more_rounds 4
	kill -TERM "$job"
	wait "$job" || got=$?
	[ "$got" = 0 ] || { cat err; fail "status $got"; }
	[ "$1" != inline ] || is_inline
	nothing_left
	kill -USR2 "$target"
	finish
	gt report trace --by=function --format=csv >report.csv
	join held.1 "held.$helds" | while read -r name before after; do
		calls=$(csv_calls trace "$name")
		[ "$calls" = $((after - before)) ] || fail "$calls calls of $name, not $((after - before))"
	done
	[ "$(csv_calls trace main.round)" -gt 3 ] || fail "nothing ran"
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "suspect") column = i; next }
		$1 != "main.pause" { n += $column } END { exit !column || n > 0 }' report.csv || fail "suspect calls"
}
for strategy in emulated inline; do
	check "counts are those between attaching and detaching, $strategy" exact $strategy
done
for build in stripped pie; do
	check "the same in a program built as $build" exact inline
done
build=default

many_times() {
	local i before
	steady 4 100 600s
	before=$(text_of)
	for i in $(seq "${TIMES:-6}"); do
		record -d 0.2 2>err
		is_inline many
		nothing_left
		[ "$(text_of)" = "$before" ] || fail "its text is not what it was, after $i times"
	done
	finish
}
check "again and again, the text is as before" many_times

# rest spends its time right inside the window of its exit.
preempted() {
	local i left=0
	steady 200 1000 600s
	for i in $(seq 30); do # as long as it takes a busy machine
		[ "$i" -le 3 ] || [ "$left" = 0 ] || break
		record -d 0.3 2>err
		is_inline many
		nothing_left
		left=$((left + $(value end.stubs_left)))
	done
	finish
	[ "$left" -gt 0 ] || fail "nobody was where the text was to change"
}
check "goroutines that were preempted inside a window" preempted

profiled() { # signals at any instruction, while it comes and goes
	local i signals=0
	steady 4 100 600s profile
	for i in $(seq 40); do # as long as it takes a busy machine
		[ "$i" -le 4 ] || [ "$signals" = 0 ] || break
		record -d 0.5 2>err
		is_inline many
		nothing_left
		signals=$((signals + $(value end.signals_in_stubs)))
	done
	finish
	[ "$signals" -gt 0 ] || fail "no signal came while a thread was in a stub"
}
check "a process that profiles itself" profiled

# gotrace is killed at its Nth ptrace, or write to memory: while it attaches and while it detaches.
# LIVE_EACH=1: at every one.
killed_at() { # CALL N
	local got=0
	steady 2 10 600s
	strace -f -qq -o calls -e trace="$1" -e inject="$1":signal=KILL:when="$2" \
		"$GOTRACE" record --pid "$target" --probe=inline -f 'main.*' --ring=64K -d 0.2 -o trace >told 2>&1 || got=$?
	sleep 0.1
	finish
	[ "$got" != 0 ] # it was killed
}
killed_everywhere() { # CALL FIRST STEP
	command -v strace >/dev/null || skip "strace is not installed"
	local n=$2 step=$3 killed=0
	[ "${LIVE_EACH:-}" != 1 ] || n=1 step=1
	while killed_at "$1" $n; do
		killed=$((killed + 1))
		n=$((n + step))
	done
	echo "killed $killed times"
	[ $killed -gt "${4:-5}" ] || { cat told; fail "gotrace was killed $killed times only"; }
}
check "gotrace is killed at any ptrace" killed_everywhere ptrace $((RANDOM % 12 + 1)) 12
check "gotrace is killed at any write to the process's memory" killed_everywhere pwrite64 $((RANDOM % 3 + 1)) 3

# A gotrace that was killed leaves stubs; they run on without it.
left_alone() {
	local job
	steady 2 10 600s
	"$GOTRACE" record --pid "$target" --probe=inline --ring=64K -o trace 2>err &
	job=$!
	wait_for 60 begun "$job"
	kill -KILL "$job"
	wait "$job" || true
	grep -q memfd:gotrace-stubs "/proc/$target/maps" || fail "no stub was there"
	hold
	more_rounds 10 # one makes over 2,000 events: its rings are full
	kill -USR2 "$target"
	record -d 0.2 2>err
	expect_grep "inline is not used: another gotrace's stubs" err
	[ "$(value probe.strategy)" = emulated ] || fail "not emulated"
	finish
}
check "gotrace is killed, the target runs on with its stubs, and the next gotrace says so" left_alone

second() {
	local first
	steady 2 10 600s
	"$GOTRACE" record --pid "$target" --probe=inline -o first 2>err.first &
	first=$!
	wait_for 60 begun "$first"
	record -d 0.3 2>err
	expect_grep "inline is not used: another gotrace's stubs" err
	kill -TERM "$first"
	wait "$first" || fail "the first ended with $?: $(cat err.first)"
	nothing_left
	finish
	mv first trace
	is_inline
}
check "a second gotrace leaves the first one's stubs alone" second

filtered() {
	steady 2 10 600s filter
	record -d 0.2 2>err
	expect_grep 'inline is not used: a seccomp filter' err
	nothing_left
	finish
}
check "a system call filter" filtered

traced() {
	command -v strace >/dev/null || skip "strace is not installed"
	local tracer
	steady 2 10 600s
	strace -f -o /dev/null -p "$target" &
	tracer=$!
	wait_for 60 grep -q '^TracerPid:.[1-9]' "/proc/$target/status"
	record -d 0.2 2>err
	expect_grep 'inline is not used: something else traces it' err
	kill "$tracer"
	wait "$tracer" || true
	finish
}
check "strace is there already" traced

stopped() {
	steady 2 10 600s
	kill -STOP "$target"
	record -d 0.2 2>err
	expect_grep 'inline is not used: it is stopped' err
	kill -CONT "$target"
	finish
}
check "a process that is stopped" stopped

ends_meanwhile() {
	local job
	steady 2 10 600s
	"$GOTRACE" record --pid "$target" --probe=inline -o trace 2>err &
	job=$!
	wait_for 60 begun "$job"
	hold
	more_rounds 4
	kill -USR2 "$target"
	finish
	wait "$job" || fail "status $?: $(cat err)"
	[ "$(value end.reason)" = exited ] || fail "$(value end.reason)"
	is_inline
}
check "the process ends while it is recorded" ends_meanwhile

done_testing
