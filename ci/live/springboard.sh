#!/bin/bash
# Springboard changes a program's code: what must not come of it. The longer
# version of these tests is experiments/springboard-safety.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck disable=SC2034 # used by tests.sh
programs=$LIVE/programs strike=$LIVE/strike meddle=$LIVE/meddle
# shellcheck source=../../experiments/springboard-safety/tests.sh
. "$TOP/experiments/springboard-safety/tests.sh"
[ -x "$strike" ] || "${CC:-cc}" -O2 -D_GNU_SOURCE -o "$strike" "$TOP/experiments/springboard-safety/strike.c" || true
[ -x "$meddle" ] || "${CC:-cc}" -O2 -D_GNU_SOURCE -I"$TOP/core" -o "$meddle" "$TOP/experiments/springboard-safety/meddle.c" || true
# Where the processors are emulated by one, the collector is kept waiting: rings that hold it all.
# Their clocks would be refused, but nothing here is about time.
# shellcheck disable=SC2034 # used by tests.sh
[ "${LIVE_SLOW:-}" != 1 ] || { RECORD=(-m 64M); export GOTRACE_CLOCK_UNCHECKED=1; }

# A program that a signal cannot stop in time hangs: the limit is all that this needs.
for kind in jump nop inline drop; do
	check "a loop of functions without a stack check lets others run, $kind" exact $kind "$hazards" flag 20
	check "the collector runs beside such loops, $kind" exact $kind "$hazards" collect 100
	check "8 goroutines with moving stacks, $kind" exact $kind "$hazards" crowd 8 6000
	check "signals at 1 kHz and a CPU profile, $kind" exact $kind "$hazards" signals 4 6000
	check "a system call filter that kills, $kind" exact $kind "$hazards" seccomp
	check "a panic shows the same frames, $kind" tracebacks $kind
	check "descriptors, signals and privileges are the same, $kind" same_state $kind
done
for kind in inline drop; do
	check "jumps on flags that are set before the stub, with signals, $kind" exact $kind "$programs/default/jumps" 20000
done
check "64 goroutines" exact jump "$hazards" crowd 64 6000
check "64 goroutines, PIE" exact jump "$programs/pie/hazards" crowd 64 6000
check "8 goroutines, no symbols" exact jump "$programs/stripped/hazards" crowd 8 6000
GODEBUG=asyncpreemptoff=1 check "without asynchronous preemption" exact jump "$hazards" crowd 8 6000
check "every package, and code that checks itself (fips140=on)" everything jump
# shellcheck disable=SC2086 # a list of words
check "the same counts in every strategy" same_counts 600 $every_strategy
for kind in jump inline; do
	check "SIGQUIT shows every goroutine's frames, $kind" quits $kind 7 14 21 28 35
	check "children of the same binary and others, $kind" with_children $kind
	check "another tool's probes were there before, $kind" others_probes before 2000 $kind
	check "another tool's probes come and go, $kind" others_probes during 160000 $kind
done
for kind in inline drop; do
	check "more processors than rings, $kind" exact $kind --rings=1 "$hazards" crowd 8 6000
done
check "what was recorded and what was lost add up" adds_up
check "64 Ps, the ring of each full" many_processors
check "a thread that is stopped in a stub" held_in_a_stub
check "a ring whose head the program spoils" spoilt_ring head
check "a ring whose tail the program spoils" spoilt_ring tail
check "SIGKILL to gotrace while stubs write events" goes_on_alone --probe=inline
check "a new image behind the library's back is said" raw_exec jump
for kind in jump inline; do check "a program that executes itself is counted in both images, $kind" executes_itself $kind; done
check "a program whose path its memory map shows in another way is patched" odd_path
check "a set-uid program is not patched" set_uid
check "a program with a file capability is not patched" file_capability
check "where something else traces it, it is not patched" traced_already
check "where files in memory may not be executed" no_executable_memory_files

for when in held exec; do
	for whom in target group; do
		check "SIGCONT to the $whom, $when" goes_on $when $whom 18
		check "SIGSTOP and SIGCONT to the $whom, $when" goes_on $when $whom 19,18
		check "SIGTERM and SIGCONT to the $whom, $when" struck 143 $when $whom 15,18
	done
	check "SIGINT to the group, $when" struck 130 $when group 2
	check "SIGKILL to the program, $when" struck 137 $when target 9
	check "SIGKILL to gotrace, $when" orphaned $when
done
links=--attach=perf check "SIGKILL to the program, held, perf-event links" struck 137 held target 9
check "SIGKILL to gotrace while the program runs" goes_on_alone

done_testing
