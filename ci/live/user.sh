#!/bin/bash
# An ordinary user with CAP_BPF and CAP_PERFMON and no more: uprobe_multi links ask for nothing else.
# Where there are none, perf-event uprobes ask for CAP_SYS_ADMIN, and record says so.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
programs=$LIVE/programs/noinline
install -m 755 "$GOTRACE" "$LIVE/gotrace-user"

as_user() { with_two_capabilities timeout -k 5 "${LIVE_TIMEOUT:-300}" "$LIVE/gotrace-user" "$@"; }
own_folder() { mkdir mine && chown nobody mine && cd mine; }

if ! "$GOTRACE" doctor | grep -q '^yes *uprobe_multi'; then
	refused() {
		own_folder
		expect_status 1 as_user doctor >../said
		expect_grep '^no +CAP_SYS_ADMIN' ../said
		expect_status 125 as_user record -o trace -- "$programs/plain" >../out 2>../err
		[ ! -s ../out ] || fail "the command ran"
		expect_grep 'root|sudo|CAP_SYS_ADMIN' ../err
	}
	check "without uprobe_multi links the two capabilities do not do, and record says so" refused
	done_testing
fi

counts_agree() { # PROGRAM STRATEGY
	[ -e "$programs/$1" ] || skip "$1 was not built: no C compiler"
	has_these_names "$1" noinline
	own_folder
	expect_status 0 as_user record --max-cost=off -o trace --probe="$2" -- "$programs/$1" >../printed
	[ "$(stat -c '%U %a' trace)" = "nobody 600" ] || fail "trace: $(stat -c '%U %a' trace)"
	as_user report trace --format=csv >../csv
	compare_counts ../printed ../csv
}
for strategy in $strategies; do
	for program in plain recursion growth hop preempt goexit panics reexec cgo; do
		check "counts of $program as a user, $strategy" counts_agree "$program" "$strategy"
	done
done

running() { # STRATEGY
	own_folder
	setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups "$LIVE/programs/default/ticker" 600s >../out &
	local target=$! seconds
	wait_for 60 grep -q ready ../out
	for seconds in 1 4 16; do # on a busy machine it ticks less
		expect_status 0 as_user record --pid "$target" --probe="$1" --traps -d $seconds -o trace
		[ "$(csv_calls trace main.tick)" -lt 50 ] || break
	done
	kill -TERM "$target"
	wait "$target"
	[ "$(csv_calls trace main.tick)" -ge 50 ] || fail "few calls of their own running process"
}
for strategy in $pid_strategies; do
	check "--pid of the user's own process, $strategy" running "$strategy"
done

done_testing
