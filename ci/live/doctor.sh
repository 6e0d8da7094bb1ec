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
	expect_status 0 gt record -o trace "$@" -- "$program" >printed
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
	if says yes 'their filter is per process'; then echo "per process"; else echo "per thread"; fi
	exact hop --attach=multi
	"$LIVE/programs/default/ticker" 20s >out &
	local target=$!
	wait_for 10 grep -q ready out
	gt record --pid "$target" -d 1 --attach=multi -o trace
	kill -TERM "$target"
	wait "$target"
	[ "$(csv_calls trace main.tick)" -ge 50 ] || fail "few calls of a running process"
}
check "every thread of a process is seen" threads

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
	as_two() {
		setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups --inh-caps=-all,+cap_38,+cap_39 \
			--ambient-caps=-all,+cap_38,+cap_39 --bounding-set=-all,+cap_38,+cap_39 "$@"
	}
	as_two "$LIVE/gotrace-two" doctor >../said || got=$?
	cat ../said
	expect_grep '^no +CAP_SYS_ADMIN' ../said
	expect_grep '^yes +CAP_BPF and CAP_PERFMON' ../said
	if [ "$got" = 0 ]; then
		expect_status 0 as_two "$LIVE/gotrace-two" record -o trace -- "$programs/plain" >../printed
		gt report trace --format=csv >../csv
		compare_counts ../printed ../csv
		grep -q '^yes *uprobe_multi' ../said || fail "record works without uprobe_multi and CAP_SYS_ADMIN"
	else
		! says yes 'uprobe_multi links' || fail "there is uprobe_multi, and these capabilities do not do"
		expect_status 125 as_two "$LIVE/gotrace-two" record -o trace -- "$programs/plain" 2>../err
		expect_grep 'root|sudo|CAP_SYS_ADMIN' ../err
	fi
}
check "CAP_BPF and CAP_PERFMON alone, as doctor says" two_capabilities

done_testing
