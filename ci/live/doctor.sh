#!/bin/bash
# Every line of doctor against what really works here.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
programs=$LIVE/programs/noinline

says() { # yes|no WHAT
	"$GOTRACE" doctor | grep -q "^$1 *$2"
}
exact() { # PROGRAM OPTION...
	local program=$programs/$1
	shift
	expect_status 0 gt record --max-cost=off -o trace "$@" -- "$program" >printed
	gt report trace --format=csv >csv
	compare_counts printed csv
}

multi() {
	if says yes 'uprobe_multi links'; then
		exact plain --attach=multi
		exact plain
		gt info trace | grep -Eq 'attach.kind +multi' || fail "auto does not use them"
	else
		expect_status 125 gt record --attach=multi -o trace -- "$programs/plain" 2>err >out
		[ ! -s out ] || fail "the command ran"
		exact plain
		gt info trace | grep -Eq 'attach.kind +perf' || fail "auto does not use perf-event links"
	fi
}
check "uprobe_multi links are there if doctor says so" multi

perf() {
	! says no 'perf-event uprobes' || skip "doctor says that there are none"
	exact plain --attach=perf
	exact hop --attach=perf
}
check "perf-event uprobes work" perf

threads() { # whichever way the kernel filters
	says yes 'uprobe_multi links' || skip "no uprobe_multi links"
	exact hop --attach=multi
	gt info trace >facts
	if says yes 'their filter is per process'; then
		! grep -q '^attach.open_to_all' facts || fail "the program filters, and need not"
	else # then links are open to all, and the program drops what is of other processes
		expect_grep '^attach.open_to_all +1' facts
	fi
	"$LIVE/programs/default/ticker" 600s >out &
	local target=$! seconds
	wait_for 60 grep -q ready out
	for seconds in 1 4 16; do # on a busy machine it ticks less
		gt record --pid "$target" --traps -d $seconds --attach=multi -o trace
		[ "$(csv_calls trace main.tick)" -lt 50 ] || break
	done
	kill -TERM "$target"
	wait "$target"
	[ "$(csv_calls trace main.tick)" -ge 50 ] || fail "few calls of a running process"
}
check "every thread of a process is seen" threads

# What is known of kernels, the first pattern that fits: RELEASE; whether there are uprobe_multi links
# (6.6 and newer); whether they filter by process (6.10 and newer, before by thread); programs perform RETs
# (stock 6.18 and newer); 5-byte nops become calls (6.18 to 7.1); 10-byte nops do (from 7.2). The last one is
# ci/vm/build-kernel.sh's.
known_kernels='
6.1.*-amd64       no  no  no  no  no
6.12.*-amd64      yes yes no  no  no
6.18.*-fc-*       yes yes no  yes no
7.[01].*-amd64    yes yes yes yes no
[7-9].*-amd64     yes yes yes no  yes
6.12.*-perthread  yes no  no  no  no'
features() {
	local release multi filter rets nop5 nop10 running
	running=$(uname -r)
	while read -r release multi filter rets nop5 nop10; do
		# shellcheck disable=SC2254 # it is a pattern
		case "$running" in $release) break ;; esac
	done < <(echo "$known_kernels" | tail -n +2)
	"$GOTRACE" doctor >said
	cat said
	# shellcheck disable=SC2254
	case "$running" in $release) ;; *) skip "nothing is known of $running" ;; esac
	said_as "$multi" 'uprobe_multi links'
	said_as "$filter" 'their filter is per process'
	said_as "$rets" 'programs perform RETs'
	said_as "$nop5" '5-byte nops become calls'
	said_as "$nop10" '10-byte nops become calls'
}
said_as() { # yes|no WHAT; where there is no line, it is no
	if [ "$1" = yes ]; then expect_grep "^yes +$2" said; fi
	if [ "$1" = no ]; then ! grep -q "^yes *$2" said || fail "$2: the kernel cannot"; fi
}
check "doctor's kernel features are those of this kernel" features

how_rets() { # performed|stepped OPTION...: how they end, all of them, and the counts are exact
	local how=$1 rets steps
	shift
	for program in plain panics hop; do exact "$program" "$@"; done
	gt info trace >facts
	expect_grep "^probe.ret +$how" facts
	rets=$(awk '$1 == "end.events_ret" { print $2 }' facts) steps=$(awk '$1 == "end.events_step" { print $2 }' facts)
	if [ "$how" = performed ]; then
		[ "${rets:-0}" -ge 1000 ] || fail "only ${rets:-no} RETs were performed"
	elif [ "${rets:-0}" != 0 ] || [ "${steps:-0}" -lt 1000 ]; then
		fail "${rets:-no} RETs performed, ${steps:-no} steps"
	fi
}
rets() {
	local how=stepped
	! says yes 'programs perform RETs' || how=performed
	how_rets "$how" --probe=emulated
	how_rets "$how" --probe=emulated --attach=perf
	how_rets stepped --probe=emulated --rets=step
	how_rets stepped --probe=thesis
}
check "RETs are performed if doctor says so, and not when told to step" rets

type_information() {
	gt record -o trace -- "$LIVE/programs/default/spawn" >out
	gt report trace >text
	if says yes 'kernel type information'; then
		expect_grep 'child' text
	elif gt info trace | grep -q end.children; then
		fail "children were counted after all"
	fi
}
check "children are counted if doctor says so" type_information

verdict() {
	if "$GOTRACE" doctor >said; then
		expect_grep 'record works here' said
		exact plain
	else
		expect_grep '^no ' said
		expect_status 125 gt record -o trace -- "$programs/plain"
	fi
}
check "record works if doctor says so" verdict

# An ordinary user with CAP_BPF and CAP_PERFMON: enough for uprobe_multi, not for perf-event uprobes.
two_capabilities() {
	local got=0
	install -m 755 "$GOTRACE" "$LIVE/gotrace-two"
	mkdir mine && chown nobody mine
	cd mine || return
	with_two_capabilities "$LIVE/gotrace-two" doctor >../said || got=$?
	cat ../said
	expect_grep '^no +CAP_SYS_ADMIN' ../said
	expect_grep '^yes +CAP_BPF and CAP_PERFMON' ../said
	if [ "$got" = 0 ]; then
		expect_status 0 with_two_capabilities "$LIVE/gotrace-two" record --max-cost=off -o trace -- "$programs/plain" >../printed
		gt report trace --format=csv >../csv
		compare_counts ../printed ../csv
		grep -q '^yes *uprobe_multi' ../said || fail "record works without uprobe_multi and CAP_SYS_ADMIN"
	else
		! says yes 'uprobe_multi links' || fail "there is uprobe_multi, and these capabilities do not do"
		expect_status 125 with_two_capabilities "$LIVE/gotrace-two" record -o trace -- "$programs/plain" 2>../err
		expect_grep 'root|sudo|CAP_SYS_ADMIN' ../err
	fi
}
check "CAP_BPF and CAP_PERFMON alone, as doctor says" two_capabilities

done_testing
