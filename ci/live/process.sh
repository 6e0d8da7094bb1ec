#!/bin/bash
# What the traced command sees and leaves is what it would without gotrace.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
programs=$LIVE/programs/default

exit_status() {
	expect_status 7 gt record -o trace -- "$programs/status"
	expect_status 0 gt record -o trace -- "$programs/status" 0
	expect_status 200 gt record -o trace -- "$programs/status" 200
}
check "exit status is the command's own" exit_status

in_a_pipe() {
	local edit='s/$/ some text, and no newline at the end/'
	seq 1 2000 | sed "$edit" | head -c -1 >input
	"$programs/filter" <input >plain.out 2>plain.err
	seq 1 2000 | sed "$edit" | head -c -1 | gt record --max-cost=off -o trace -- "$programs/filter" 2>traced.err | cat >traced.out
	cmp plain.out traced.out
	grep -q '^count main.upper 2000$' traced.err || fail "the filter's own standard error is lost"
	gt report trace --format=csv >report.csv
	compare_counts traced.err report.csv
}
check "a filter in a pipe" in_a_pipe

nothing_on_stdout() {
	"$programs/plain" >plain.out
	gt record -o trace -- "$programs/plain" >traced.out 2>traced.err
	cmp plain.out traced.out
}
check "record writes nothing of its own to standard output" nothing_on_stdout

# bash prints "Segmentation fault" only for a real death by that signal.
dies_of() { # WORDS STATUS PROGRAM...
	local words=$1 want=$2 got=0
	shift 2
	bash -c '"$@"; exit $?' sh "$GOTRACE" record -o trace -- "$@" >out 2>err || got=$?
	[ "$got" = "$want" ] || fail "status $got, not $want"
	expect_grep "$words" err
}
segv() {
	ulimit -c 0
	dies_of 'Segmentation fault' 139 "$programs/segv"
	gt report trace --format=csv >report.csv
	compare_counts out report.csv
}
check "gotrace dies of the command's SIGSEGV" segv

# Like a terminal: the whole process group gets the signal.
ctrl_c() { # STATUS PROGRAM [ARG...]
	local want=$1 got=0 job
	shift
	set -m
	"$GOTRACE" record -o trace -- "$@" >out 2>err &
	job=$!
	wait_for 60 grep -q ready out
	sleep 0.3
	kill -INT -- "-$job"
	wait "$job" || got=$?
	[ "$got" = "$want" ] || { cat err; fail "status $got, not $want"; }
	gt report trace --format=csv >report.csv
}
ctrl_c_handled() {
	ctrl_c 5 "$programs/interrupt"
	grep -q '^got interrupt$' out || fail "the command did not get SIGINT once"
	compare_counts out report.csv
}
check "Ctrl-C goes to the command, which decides" ctrl_c_handled
ctrl_c_deadly() {
	ctrl_c 130 "$programs/interrupt" default
	[ "$(csv_calls trace main.wait)" = 1 ] || fail "the open call is not in the report"
}
check "Ctrl-C that kills the command kills gotrace the same way" ctrl_c_deadly

sigterm_to_gotrace() { # what a supervisor sends to the process it knows
	local got=0 job
	"$GOTRACE" record --max-cost=off -o trace -- "$programs/ticker" 600s >out 2>err &
	job=$!
	wait_for 60 grep -q ready out
	sleep 0.5
	kill -TERM "$job"
	wait "$job" || got=$?
	wait_for 60 grep -q '^count main.tick ' out
	[ "$got" = 0 ] || fail "status $got, not 0: the command ends with 0 on SIGTERM"
	gt report trace --format=csv >report.csv
	compare_counts out report.csv
}
check "SIGTERM to gotrace reaches the command" sigterm_to_gotrace

trace_file() {
	umask 022
	gt record -o trace -- "$programs/plain" >/dev/null
	[ "$(stat -c %a trace)" = 600 ] || fail "mode is $(stat -c %a trace), not 600"
	gt record -- "$programs/status" 0 >/dev/null
	[ -f gotrace.out ] || fail "no gotrace.out"
	first=$(sha256sum <gotrace.out)
	gt record -- "$programs/plain" >/dev/null
	[ "$(sha256sum <gotrace.out.old)" = "$first" ] || fail "gotrace.out.old is not the older trace"
	[ "$(csv_calls gotrace.out main.outer)" = 1000 ]
	gt report >text # of gotrace.out
	expect_grep 'main\.outer' text
}
check "gotrace.out, its predecessor, its mode" trace_file

# What a record that was killed, or failed, leaves never takes the place of a good trace.
keeps_traces() {
	local said got=0
	gt record -- "$programs/plain" >/dev/null
	cp gotrace.out first
	: >gotrace.out # as an earlier gotrace left it, killed early
	cp first gotrace.out.old
	gt record -- "$programs/status" 0 >/dev/null
	cmp gotrace.out.old first || fail "an empty file took the place of gotrace.out.old"
	rm gotrace.out.old
	echo 'my notes' >gotrace.out
	gt record -- "$programs/status" 0 >/dev/null
	[ "$(cat gotrace.out.old)" = 'my notes' ] || fail "another file was not kept"
	cp first gotrace.out.old
	echo 'my notes' >gotrace.out
	expect_status 125 gt record -- "$programs/status" 0 >out 2>err
	expect_grep 'gotrace.out is not a trace' err
	[ "$(cat gotrace.out)" = 'my notes' ] || fail "another file was replaced"
	cmp gotrace.out.old first
	# Nothing can be written: all stays as it was.
	cp first gotrace.out
	said=$(ulimit -f 0; gt record -- "$programs/status" 0 2>&1) || got=$?
	[ "$got" = 125 ] || fail "status $got, not 125: $said"
	cmp gotrace.out first && cmp gotrace.out.old first
	[ "$(find . -name '.gotrace*' | wc -l)" = 0 ] || fail "left behind: $(ls -A)"
}
check "a good trace and its predecessor stay until there is a better one" keeps_traces

killed_twice() { # before the first event: there is none
	local job good before
	gt record -- "$programs/plain" >/dev/null
	good=$(sha256sum <gotrace.out)
	for _ in 1 2 3; do
		before=$(stat -c %i gotrace.out)
		"$GOTRACE" record -f time.quote -- "$programs/ticker" 2s >out 2>err &
		job=$!
		# shellcheck disable=SC2016 # eval expands it
		wait_for 60 eval '[ "$(stat -c %i gotrace.out)" != "$before" ]'
		kill -KILL $job
		wait $job || true
		[ "$(sha256sum <gotrace.out.old)" = "$good" ] || fail "the good trace is gone"
	done
	wait_for 60 none_here ticker
	gt record -- "$programs/status" 0 >/dev/null
	[ "$(sha256sum <gotrace.out.old)" = "$good" ] || fail "the good trace is gone for what a kill left"
}
check "a good trace outlives recordings that were killed before their first event" killed_twice

# warned TRACE PATTERN: whoever reads it in a format for programs is told on standard error, too.
warned() {
	local format
	for format in 'report -F csv' 'report -F json' 'report --by=path -F csv' 'export -F folded' 'export -F pprof' \
		'export -F perfetto' 'export -F speedscope' 'export -F chrome' 'export -F perun' 'export -F csv' \
		'export -F html' 'export -F sqlite'; do
		# shellcheck disable=SC2086
		gt $format "$1" >out.of 2>err.of
		[ "$(grep -c "$2" err.of)" = 1 ] || { cat err.of; fail "$format: not told once"; }
	done
}
killed_early() { # at any moment of the first half second
	local delay job
	gt record -o trace -- "$programs/plain" >/dev/null
	cp trace trace.old
	for delay in 0.02 0.05 0.08 0.11 0.14 0.17 0.2 0.25 0.3 0.4 0.5; do
		"$GOTRACE" record -o trace -- "$programs/ticker" 1s >out 2>err &
		job=$!
		sleep $delay
		kill -KILL $job
		wait $job || true
		gt report trace >text || fail "killed after $delay s: $(stat -c %s trace) bytes"
		gt report trace.old >text.old || fail "killed after $delay s, the older trace is gone"
		! grep -q "this trace is incomplete" text || warned trace "this trace is incomplete"
	done
	wait_for 60 none_here ticker
}
check "killed within half a second, record leaves a trace that can be read" killed_early

killed_renaming() { # FILE is there at each moment, as the trace before or the new one
	command -v strace >/dev/null || skip "strace is not installed"
	local n got reached=0
	gt record -o good -- "$programs/plain" >/dev/null
	for n in 1 2 3; do
		cp good trace
		rm -f trace.old
		got=0
		strace -qq -o calls -e trace=rename,link -e inject=rename,link:signal=KILL:when="$n" \
			"$GOTRACE" record -o trace -- "$programs/status" 0 >out 2>err || got=$?
		[ "$got" = 0 ] || reached=$n
		gt report trace >text || fail "killed at call $n: there is no trace"
		cmp trace good || cmp trace.old good || fail "killed at call $n: the older trace is gone"
	done
	[ "$reached" -ge 2 ] || { cat calls err; fail "it was killed $reached times"; }
}
check "killed while it renames, record leaves a trace and the older one" killed_renaming

few_descriptors() {
	(ulimit -Sn 16 && gt record -o trace -- "$programs/plain" >out 2>err)
	! grep -q 'uprobe_multi' err || { cat err; fail "said of the kernel what is of the limit"; }
	[ "$(csv_calls trace main.outer)" = 1000 ]
	# The command starts with the limit that gotrace was started with.
	(ulimit -Sn 16 && gt record --exe "$programs/plain" -o trace3 -- sh -c 'ulimit -Sn' >out 2>err)
	[ "$(cat out)" = 16 ] || fail "the command's limit is $(cat out)"
	# Where the last one goes depends on what was inherited, so each number is tried.
	local n got
	for n in $(seq 12 24); do
		got=0
		(ulimit -n "$n" && gt record -o trace2 -- "$programs/plain" >out 2>err) || got=$?
		[ "$got" = 0 ] || { [ "$got" = 125 ] && expect_grep 'ulimit|[Tt]oo many open files|file descriptors' err; }
		! grep -q 'has no uprobe_multi' err || { cat err; fail "$n: said of the kernel what is of the limit"; }
	done
}
check "few descriptors are no property of the kernel" few_descriptors

full_export() { # the reason is told
	mkdir mnt
	gt record -o trace -- "$programs/plain" >/dev/null
	mount -t tmpfs -o size=16k tmpfs mnt || skip "no tmpfs can be mounted here"
	local got=0
	gt export -F csv --calls -o mnt/x trace 2>err || got=$?
	umount mnt
	[ "$got" = 1 ] || fail "status $got"
	expect_grep 'no space left' err
	for verb in 'report --by=call -F csv' 'export -F folded --weight=calls' dump info plan; do
		set -- "$verb" trace
		[ "$verb" != plan ] || set -- plan "$programs/plain"
		# shellcheck disable=SC2086
		expect_status 1 gt $1 "$2" >/dev/full 2>err
		expect_grep 'no space left' err
	done
}
check "a full disk is told as that" full_export

# The filter of the kernel does not follow an exec of another thread: counts are then said to be short.
exec_of_thread() { # STRATEGY
	gt record -o trace --probe="$1" -- "$programs/execthread" >out
	gt report trace >text
	if [ "$(csv_calls trace main.f)" = 600 ]; then return; fi
	expect_grep 'from there on \(1 image\), so every count and time here is too small' text
	warned trace 'every count and time here is too small'
	! grep -q 'no event was lost$' text || fail "nothing lost, it says"
	gt record -o trace --probe="$1" -- "$programs/reexec" >out
	gt report trace >text
	! grep -q 'too small' text || fail "said of a program that was followed"
}
for strategy in $strategies; do
	check "an exec that is not followed marks every count, $strategy" exec_of_thread "$strategy"
done

# It executes itself while its goroutines call functions: the threads that do are killed wherever they are, in stubs, too.
# Every image is recorded, those after the first by traps. It prints what it counts, but for one call of each worker and image.
exec_under_load() { # PROBE
	local printed traced images=4 workers=4
	expect_status 0 gt record --max-cost=off -o trace -p main --probe="$1" -- "$programs/reloads" "$PWD/shared" $images $workers >out 2>err
	expect_grep "^images $images\$" out
	printed=$(awk '$1 == "calls" { print $2 }' out)
	traced=$(csv_calls trace main.step)
	if [ "$traced" -lt $((printed - images * workers)) ] || [ "$traced" -gt $((printed + images * workers)) ]; then
		fail "$traced calls in the trace, $printed printed"
	fi
	gt info trace >facts
	expect_grep 'end.images +4' facts
	expect_grep 'end.lost_events +0' facts
	[ "$1" != inline ] || {
		expect_grep 'probe.strategy +inline' facts
		expect_grep 'end.events_inline +[1-9]' facts
		expect_grep 'warning: the command executed itself anew' err
		expect_grep 'executed itself anew. Its new image had no stubs' facts
	}
}
for strategy in $strategies; do
	check "a program executes itself under load, $strategy" exec_under_load "$strategy"
done

# gotrace is killed while the new image waits for its probes: somebody else lets it go on.
exec_guarded() {
	command -v strace >/dev/null || skip "strace is not installed"
	local got=0
	strace -qq -o calls -e trace=kill -e inject=kill:error=EPERM:signal=KILL:when=1 \
		"$GOTRACE" record -o trace -p main -- "$programs/reloads" "$PWD/shared" 4 2 >out 2>err || got=$?
	[ "$got" = 137 ] || { cat err; fail "gotrace was not killed: status $got"; }
	expect_grep 'SIGCONT' calls
	wait_for 60 grep -q '^images 4$' out
}
check "gotrace is killed while a new image is stopped" exec_guarded

# In a process that ran already no new image is recorded, and gotrace says so.
exec_of_running() {
	local got=0 job
	"$programs/reloads" "$PWD/shared" 3 2 wait >out 2>err.target &
	target=$!
	wait_for 60 grep -q ready out
	"$GOTRACE" record -o trace -p main --traps --pid "$target" 2>err &
	job=$!
	wait_for 60 begun "$job" # not by its calls: they come faster than a report reads them
	kill -USR1 "$target"
	wait_for 60 eval "[ \"\$(grep -c ready out)\" = 2 ]"
	wait_for 60 grep -q 'executed itself anew' err
	kill -USR1 "$target"
	wait "$target" || fail "the target ended with $?: $(cat err.target)"
	wait "$job" || got=$?
	[ "$got" = 0 ] || { cat err; fail "status $got"; }
	expect_grep '^images 3$' out
	expect_grep "process $target executed itself anew. No call is recorded from now on" err
	gt info trace >facts
	expect_grep 'executed itself anew. Calls since then were not recorded' facts
	[ "$(csv_calls trace main.step)" -gt 0 ] || fail "nothing was recorded before"
}
check "a process that ran already executes itself under load" exec_of_running

duration() {
	expect_status 0 gt record -d 1 -o trace -- "$programs/ticker" 3s >out 2>err
	expect_grep 'tracing ended' err
	local total traced
	total=$(awk '$2 == "main.tick" { print $3 }' out)
	traced=$(csv_calls trace main.tick)
	if [ "$traced" -lt 100 ] || [ "$traced" -ge $((total * 2 / 3)) ]; then
		fail "$traced of $total calls are in the trace of the first of three seconds"
	fi
}
check "-d ends the recording, not the command" duration

max_size() {
	expect_status 0 gt record --max-size=64K -o trace -p main -p github.com/panjf2000/ants -- "$LIVE/workloads/ants" >out 2>err
	local bytes
	bytes=$(stat -c %s trace)
	[ "$bytes" -le $((64 * 1024)) ] || fail "$bytes bytes"
	grep -q '^multi pool with func: 1000 tasks' out || fail "the command did not end well"
	gt report trace >text
	expect_grep 'max-size' err
	expect_grep 'max-size|size limit|cut short|incomplete' text
}
check "--max-size bounds the file and leaves the command alone" max_size

full_disk() {
	mkdir mnt
	mount -t tmpfs -o size=64k tmpfs mnt || skip "no tmpfs can be mounted here"
	local got=0
	gt record -o mnt/trace -p main -p github.com/panjf2000/ants -- "$LIVE/workloads/ants" >out 2>err || got=$?
	cp mnt/trace trace
	umount mnt
	[ "$got" = 0 ] || { cat err; fail "status $got"; }
	expect_grep 'no space' err
	gt report trace >text
	expect_grep incomplete text
}
check "a full disk leaves a readable trace and the command's status" full_disk

# taken JOB: no SIGINT waits for it
taken() { grep -q '^ShdPnd:.*[014589cd]$' "/proc/$1/status"; }
# A program that ignores SIGINT: the first Ctrl-C is its own, the second ends gotrace.
second_interrupt() {
	local got=0 job target
	set -m
	"$GOTRACE" record -o trace -- "$LIVE/programs/default/ticker" 600s >out 2>err &
	job=$!
	calls_come trace main.tick
	target=$(pgrep -P "$job" -x ticker)
	kill -STOP "$target"
	kill -INT "$job"
	wait_for 60 taken "$job" # another one before that is the same one
	sleep 0.3
	kill -0 "$job" || fail "the first SIGINT ended gotrace"
	kill -INT "$job"
	wait "$job" || got=$?
	[ "$got" = 130 ] || fail "status $got, not that of SIGINT"
	kill -KILL "$target"
	gt report trace >text
	expect_grep 'main.tick' text
}
check "a second Ctrl-C ends at once and leaves a whole trace" second_interrupt

done_testing
