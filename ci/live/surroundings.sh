#!/bin/bash
# Odd surroundings: another pid namespace, no kernel type information, signals
# ignored from the start, users without an account, starts that fail.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
seven=$LIVE/programs/noinline/status # exits with 7

# What `gotrace record ARG... -- status` must give: status 7 and both calls.
expect_status_traced() {
	expect_status 7 "$@"
	[ "$(csv_calls trace main.decide)" = 1 ] || fail "main.decide was not seen"
}

# The target's number is one thing here and another in its own namespace.
container() { # PROGRAM
	needs_namespace unshare --pid --fork true
	unshare --pid --fork "$LIVE/programs/default/$1" 10s >out &
	wait_for 60 grep -q ready out
	local pid
	pid=$(here "$1")
	expect_status 0 gt record -d 1 --traps --pid "$pid" -o trace
	kill -TERM "$pid"
	wait
	[ "$(csv_calls trace main.tick)" -ge 100 ] || fail "few calls of main.tick"
}
check "--pid into another pid namespace" container ticker

# Its numbers would be those of other processes.
others_proc() {
	needs_namespace unshare --pid --fork true
	echo '{ "store": { "directory": "store" } }' >agent.json
	local -a verb=("$@")
	expect_status 125 unshare --pid --fork timeout 60 "$GOTRACE" "${verb[@]}" >out 2>err
	[ "$(wc -l <err)" = 1 ] || { cat err; fail "not one line"; }
	expect_grep "/proc does not show the processes of gotrace's PID namespace" err
	[ ! -e trace ] && [ ! -e ran ] && [ ! -e store ] || fail "something was done all the same"
}
check "record below the /proc of another pid namespace" others_proc record -o trace -- touch ran
check "... record --pid" others_proc record -o trace --pid 1
check "... sample --pid" others_proc sample -o trace --pid 1 -d 1
check "... sample" others_proc sample -o trace -- touch ran
check "... goroutines" others_proc goroutines --pid 1
check "... the agent" others_proc agent --config agent.json

# A process outside of it has no number there: 0 from the kernel, and no name in /proc.
host_from_inside() {
	needs_namespace unshare --pid --fork --mount-proc true
	cp "$(command -v bash)" outsider
	cp outsider insider
	./outsider -c 'while :; do :; done' &
	local outsider=$!
	# shellcheck disable=SC2016 # the inner shell expands them
	expect_status 0 unshare --pid --fork --mount-proc sh -c '
		./insider -c "while :; do :; done" &
		"$0" sample -a -d 2 -o trace
		status=$?
		kill $!
		exit $status' "$GOTRACE" >out 2>err
	kill "$outsider"
	wait
	expect_grep 'no names for processes outside of its PID namespace' err
	gt report --by=program trace >text
	expect_grep '^ .*/insider$' text
	expect_grep '^ .* \[outside of the PID namespace\]$' text
	! grep -E '\[\]|outsider' text || fail "a process outside has another's name, or none"
}
check "sample -a inside of a pid namespace" host_from_inside

# A program that executes outside of it is none of the processes that were asked for.
some_from_inside() {
	needs_namespace unshare --pid --fork --mount-proc true
	cp "$(command -v bash)" outsider
	cp outsider insider
	while :; do timeout 0.5 ./outsider -c 'while :; do :; done' || true; done &
	local outsider=$!
	# shellcheck disable=SC2016 # the inner shell expands them
	expect_status 0 unshare --pid --fork --mount-proc sh -c '
		./insider -c "while :; do :; done" &
		"$0" sample --pid $! -d 3 -o trace
		status=$?
		kill $!
		exit $status' "$GOTRACE" >out 2>err
	kill "$outsider"
	wait
	gt report --by=program trace >text
	! grep -E 'outside' text || fail "an outside process has samples"
	[ "$(gt report trace --by=program --format=csv -n 0 | awk -F, 'NR > 1 { n += $2 } END { print n + 0 }')" -gt 20 ] || fail "few samples"
}
check "sample --pid inside of a pid namespace" some_from_inside

recorded_without_btf() {
	needs_hidden_btf
	expect_status 7 without_btf "$GOTRACE" record -o trace -- "$seven" >out 2>err
	[ "$(csv_calls trace main.decide)" = 1 ] || fail "main.decide was not seen"
	gt info trace >info
	if grep -Eq 'end.children|end.cpu_samples' info; then fail "there was type information after all"; fi
}
# The kernel does not tell then when a program executes itself anew: it traps from the start, which the first line says.
executes_without_btf() {
	needs_hidden_btf
	expect_status 0 without_btf "$GOTRACE" record --max-cost=off -o trace -- "$LIVE/programs/default/reexec" >out 2>err
	head -n 1 err >first
	expect_grep 'warning: each call traps .* can execute itself anew.* gotrace sample needs no probe' first
	gt info trace >info
	expect_grep 'probe.strategy +emulated' info
	! grep -q '^states ' info || fail "states would trap, and were not asked for"
	gt report trace --format=csv >report.csv
	compare_counts out report.csv
}
sampled_without_btf() {
	local status=0
	needs_hidden_btf
	without_btf "$GOTRACE" doctor >doctor || status=$?
	expect_grep '^no +kernel type information \(BTF\) +gotrace sample needs it' doctor
	expect_status 125 without_btf "$GOTRACE" sample -o trace -- touch ran >out 2>err
	[ "$(wc -l <err)" = 1 ] || fail "not one line"
	expect_grep 'sampling needs the kernel.s type information' err
	expect_status 125 without_btf "$GOTRACE" sample -o trace -d 1 --pid $$ >out 2>err
	expect_grep 'sampling needs the kernel.s type information' err
	[ ! -e ran ] && [ ! -e trace ] || fail "something was done all the same"
}
if [ -d /sys/kernel/btf ]; then
	check "a kernel without type information" recorded_without_btf
	check "... cannot sample, and says so" sampled_without_btf
	check "... does not tell when a program executes itself: it traps, and gotrace says so" executes_without_btf
fi

# ...SIGNAL COMMAND [ARG...]
# shellcheck disable=SC2016
ignoring=(sh -c 'trap "" "$1"; shift; exec "$@"' sh)
sigchld_ignored() { expect_status_traced "${ignoring[@]}" CHLD timeout 60 "$GOTRACE" record -o trace -- "$seven"; }
check "SIGCHLD ignored by whoever started gotrace" sigchld_ignored

hangup_ignored() {
	"${ignoring[@]}" HUP "$GOTRACE" record -o trace -- "$LIVE/programs/default/ticker" 600s >out 2>err &
	local job=$!
	wait_for 60 grep -q ready out
	kill -HUP "$job"
	sleep 0.2
	kill -HUP "$job"
	calls_come trace main.tick 20 # it goes on
	kill -TERM "$job"
	wait "$job" || fail "status $?"
	gt report trace >text
	expect_grep 'main.tick' text
}
check "under nohup two hang-ups end nothing" hangup_ignored

no_account() {
	chmod 777 .
	SUDO_UID=4242 SUDO_GID=4243 expect_status 7 gt record -o trace --exe "$seven" -- \
		sh -c "id -u; id -g; exec $seven" >out
	[ "$(head -n 2 out | tr '\n' ' ')" = '4242 4243 ' ] || { cat out; fail "not the user of SUDO_UID"; }
	[ "$(stat -c %u:%g trace)" = 4242:4243 ] || fail "the trace belongs to $(stat -c %u:%g trace)"
	SUDO_UID=root expect_status 125 gt record -o trace2 -- "$seven" >out 2>err
	[ ! -s out ] || fail "the command ran"
}
check "sudo by a user without an account is not root" no_account

failed_start() {
	expect_status 7 gt record -o trace -- "$seven"
	printf 'no interpreter\n' >script
	chmod 755 script
	expect_status 126 gt record -o trace --exe "$seven" -- ./script 2>err
	[ "$(csv_calls trace main.decide)" = 1 ] || fail "the earlier trace is gone"
	[ ! -e trace.old ] || fail "trace.old stays"
}
check "a command that cannot be started leaves an earlier trace alone" failed_start

# One SIGTERM to the whole group is one to the command.
group_signal() {
	set -m
	"$GOTRACE" record -o trace -- "$LIVE/programs/default/interrupt" >out 2>err &
	local job=$!
	wait_for 60 grep -q ready out
	kill -INT -- "-$job"
	wait "$job" || true
	[ "$(grep -ci 'got interrupt' out)" -le 1 ] || { cat out; fail "the command got it twice"; }
	cat out
}
check "a signal to the process group reaches the command once" group_signal

done_testing
