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
# Also functions that would trap, so that all counts can be compared.
record() { gt record --pid "$target" --probe=inline --traps -o trace "$@"; }
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
	"$GOTRACE" record --pid "$target" --probe="$1" --traps -o trace 2>err &
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

# Without an option nothing traps but what the runtime's own sites tell: a function is recorded by stubs, or not at all.
by_default() {
	local job got=0 out_of_it
	steady 3 20 600s
	gt plan --pid "$target" --list >planned
	out_of_it=$(sed -n '/would trap; --traps/,/^$/s/^  //p' planned)
	[ -n "$out_of_it" ] || fail "nothing would trap: $(cat planned)"
	hold
	"$GOTRACE" record --max-cost=off --pid "$target" -o trace 2>err &
	job=$!
	wait_for 60 begun "$job"
	more_rounds 4
	kill -TERM "$job"
	wait "$job" || got=$?
	[ "$got" = 0 ] || { cat err; fail "status $got"; }
	is_inline
	expect_grep "^gotrace: $(wc -w <<<"$out_of_it") of [0-9]+ selected functions are left out, because .*--traps" err
	expect_grep "not traced: $(wc -w <<<"$out_of_it") would-trap .*--traps" <(gt info trace)
	nothing_left
	kill -USR2 "$target"
	finish
	join held.1 "held.$helds" | while read -r name before after; do
		calls=$(csv_calls trace "$name")
		if grep -qxF "$name" <<<"$out_of_it"; then
			[ "$calls" = 0 ] || fail "$calls calls of $name, which would trap"
		else
			[ "$calls" = $((after - before)) ] || fail "$calls calls of $name, not $((after - before))"
		fi
	done
	[ "$(csv_calls trace main.round)" -gt 3 ] || fail "nothing ran"
	gt info trace >facts
	expect_grep '^states +1' facts
	expect_grep '^states.sites .*casgstatus:inline' facts
}
check "by default: stubs and states, and functions that would trap are left out and named before" by_default

only_traps() {
	steady 2 10 600s
	expect_status 125 gt record --pid "$target" -f main.sign -o trace 2>err
	expect_grep 'none of the 1 selected functions .* without a trap.*--traps takes' err
	[ ! -e trace ] || fail "a trace was written"
	expect_status 0 gt record --pid "$target" -f main.sign --traps -d 0.2 -o trace 2>err
	[ "$(csv_calls trace main.sign)" -gt 0 ] || fail "no call with --traps"
	nothing_left
	finish
}
check "a selection that would only trap is refused; --traps takes it" only_traps

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

# A big program is changed in many stops, which this makes of a small one: a function in each.
in_many_stops() {
	export GOTRACE_SHORT_STOPS=1
	"$@"
	[ "$(value end.pauses)" -ge 5 ] || fail "$(value end.pauses) stops to attach"
	[ "$(value end.put_back_pauses)" -ge 5 ] || fail "$(value end.put_back_pauses) stops to detach"
	[ "$(value end.pause_sum_ns)" -gt "$(value end.pause_ns)" ] || fail "the sum of all stops is not told"
	[ "$(value end.put_back_pause_sum_ns)" -gt "$(value end.put_back_pause_ns)" ] || fail "the sum of all stops at the end is not told"
	expect_grep 'all threads were stopped for [^ ]+ at most, [^ ]+ in [0-9]+ stops' err
	expect_grep '^stopped +[^ ]+ at most, [^ ]+ in [0-9]+ stops$' <(gt info trace)
}
check "in many stops, between which it runs: counts are exact" in_many_stops exact inline
check "in many stops: by stubs and states alone" in_many_stops by_default
TIMES=4 check "in many stops, again and again: the text is as before" in_many_stops many_times

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

# Without --traps such a function is recorded by none of its sites.
left_out_whole() {
	local i
	steady 200 1000 600s
	for i in $(seq 30); do # as long as it takes a busy machine
		gt record --max-cost=off --pid "$target" -d 0.3 -o trace 2>err
		is_inline many
		nothing_left
		[ "$(value end.stubs_left)" = 0 ] || break
	done
	finish
	[ "$(value end.stubs_left)" -gt 0 ] || fail "nobody was where the text was to change"
	gt report trace >text
	expect_grep 'calls of [1-9][0-9]* functions? were not recorded: the process was executing' text
	[ "$(value end.events_step)" = "" ] || [ "$(value end.events_step)" = 0 ] || fail "something was single-stepped"
	[ "$(csv_calls trace main.round)" -gt 0 ] || fail "nothing was recorded"
}
check "without --traps a function is recorded by all of its stubs or not at all" left_out_whole

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
		"$GOTRACE" record --max-cost=off --pid "$target" --probe=inline -f 'main.*' --ring=64K -d 0.2 -o trace >told 2>&1 || got=$?
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
killed_between_stops() {
	export GOTRACE_SHORT_STOPS=1
	killed_everywhere pwrite64 $((RANDOM % 7 + 1)) 7 3
}
check "gotrace is killed while some of the jumps are there" killed_between_stops

# Where stubs cannot be had nothing is recorded and nothing is changed, whether they were asked for or not, and gotrace says what can be done.
refused() { # REASON
	local how
	for how in auto inline; do
		rm -f trace
		expect_status 125 gt record --pid "$target" --probe=$how -d 0.2 -o trace 2>err
		expect_grep "process $target cannot be recorded without traps: $1" err
		expect_grep '--probe=emulated records it with traps' err
		expect_grep "gotrace sample --wall --pid $target" err
		[ ! -e trace ] || fail "a trace was written"
	done
}
emulated() { # what the refusal proposes works
	expect_status 0 gt record --pid "$target" --probe=emulated -d 0.2 -o trace 2>err
	[ "$(value probe.strategy)" = emulated ] || fail "not emulated"
}

# A gotrace that was killed leaves stubs; they run on without it, and the next one takes them out.
taken_out() {
	local job before
	steady 2 10 600s
	before=$(text_of)
	"$GOTRACE" record --max-cost=off --pid "$target" --probe=inline --ring=64K -o trace 2>err &
	job=$!
	wait_for 60 begun "$job"
	kill -KILL "$job"
	wait "$job" || true
	grep -q memfd:gotrace-stubs "/proc/$target/maps" || fail "no stub was there"
	[ "$(text_of)" != "$before" ] || fail "no jump was there"
	hold
	more_rounds 10 # one makes over 2,000 events: its rings are full
	kill -USR2 "$target"
	emulated # functions with stubs are left alone
	expect_status 0 gt record --max-cost=off --pid "$target" -d 0.5 -o trace 2>err
	expect_grep "^gotrace: the stubs of a gotrace that was killed are taken out of process $target$" err
	[ "$(csv_calls trace main.round)" -gt 0 ] || fail "nothing was recorded"
	nothing_left
	[ "$(text_of)" = "$before" ] || fail "the text is not as it was"
	finish
}
check "gotrace is killed, the target runs on with its stubs, and the next gotrace takes them out" taken_out

killed_launched() {
	local job before
	"$GOTRACE" record --max-cost=off -o trace -- "$LIVE/programs/$build/steady" 2 10 600s >out 2>err &
	job=$!
	wait_for 60 grep -q ready out
	wait_for 60 begun "$job"
	target=$(pgrep -P "$job" steady)
	kill -KILL "$job"
	wait "$job" || true
	expect_status 0 gt record --max-cost=off --pid "$target" -d 0.5 -o trace 2>err
	expect_grep "are taken out of process $target$" err
	[ "$(csv_calls trace main.round)" -gt 0 ] || fail "nothing was recorded"
	nothing_left
	kill -TERM "$target"
	wait_for 60 grep -q '^steady$' out
}
check "the same of a program that the killed gotrace had started" killed_launched

second() {
	local first
	steady 2 10 600s
	"$GOTRACE" record --max-cost=off --pid "$target" --probe=inline -o first 2>err.first &
	first=$!
	wait_for 60 begun "$first"
	refused "another gotrace's stubs"
	emulated
	kill -TERM "$first"
	wait "$first" || fail "the first ended with $?: $(cat err.first)"
	nothing_left
	finish
	mv first trace
	is_inline many
}
check "a second gotrace leaves the first one's stubs alone" second

filtered() {
	steady 2 10 600s filter
	refused 'a seccomp filter'
	emulated
	nothing_left
	finish
}
check "a system call filter" filtered

# Stubs lie below the program then.
taken_above() {
	steady 2 10 600s above
	record -d 0.3
	is_inline many
	nothing_left
	finish
}
check "something else lies above the program" taken_above

traced() {
	command -v strace >/dev/null || skip "strace is not installed"
	local tracer
	steady 2 10 600s
	strace -f -o /dev/null -p "$target" &
	tracer=$!
	wait_for 60 grep -q '^TracerPid:.[1-9]' "/proc/$target/status"
	refused 'something else traces it'
	emulated
	kill "$tracer"
	wait "$tracer" || true
	finish
}
check "strace is there already" traced

stopped() {
	steady 2 10 600s
	kill -STOP "$target"
	refused 'it is stopped'
	kill -CONT "$target"
	finish
}
check "a process that is stopped" stopped

# One thread is in the kernel, where nothing interrupts it: its vfork child has not ended yet. gotrace names that thread while
# it waits, the others run on, and then it tries again.
in_the_kernel() {
	steady 2 10 600s vfork
	wait_for 60 eval "grep -h '^State:.D' /proc/$target/task/*/status >/dev/null"
	expect_status 0 gt record --max-cost=off --pid "$target" -d 0.5 -o trace 2>err
	expect_grep "waiting to let process $target go: its thread [0-9]+ \(steady\) sleeps in the kernel, where nothing interrupts it" err
	is_inline many
	nothing_left
	finish
}
check "a thread sleeps in the kernel: it is named, and the attach is tried again" in_the_kernel

ends_meanwhile() {
	local job
	steady 2 10 600s
	"$GOTRACE" record --max-cost=off --pid "$target" --probe=inline -o trace 2>err &
	job=$!
	wait_for 60 begun "$job"
	hold
	more_rounds 4
	kill -USR2 "$target"
	finish
	wait "$job" || fail "status $?: $(cat err)"
	[ "$(value end.reason)" = exited ] || fail "$(value end.reason)"
	is_inline many
}
check "the process ends while it is recorded" ends_meanwhile

done_testing
