#!/bin/bash
# Whoever signals gotrace, and however: a launched command gets each signal exactly once.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
sigcount=$LIVE/programs/default/sigcount
terminal=$LIVE/programs/default/terminal
export sigcount terminal

# in_session SCRIPT: in a session of its own, where nobody else is signalled; no job control. The
# script starts gotrace with `start`, sends something, and ends with `ended`.
in_session() {
	cat >script <<'END'
start() { # COMMAND...: in the background, then $job is its number and $target the command's
	"$@" >out 2>err &
	job=$!
	for _ in $(seq 600); do ! grep -q ready out 2>/dev/null || break; sleep 0.05; done
	target=$(awk '$1 == "ready" { print $2 + 0 }' out)
	sleep 0.3
}
attached() { # until the trace says so
	for _ in $(seq 600); do
		! "$GOTRACE" info trace 2>/dev/null | grep -q '^attach.time_ns' || return 0
		sleep 0.05
	done
	echo "not attached"
}
ended() { # STATUS
	wait "$job"
	status=$?
	while kill -0 "$job" 2>/dev/null; do wait "$job"; status=$?; done # wait ends at a trapped signal
	[ "$status" = "$1" ] || echo "status $status, not $1"
}
END
	echo "$1" >>script
	setsid -w bash script >said 2>&1
	[ ! -s said ] || { cat said err; fail "as said"; }
}

# once SIGNAL...: each of these came once, nothing else did; and the trace is whole.
once() {
	for s in "$@"; do echo "got $s 1"; done | sort >want
	sed -n 's|^\(\^[C\\]\)\{0,1\}\(got .*[0-9]\).*|\2|p' out | sort >got
	diff want got || { cat err; fail "not what was sent"; }
	[ "$(csv_calls trace main.count)" = $# ] || fail "main.count: $(csv_calls trace main.count)"
}

from_same_group() { # NAME AS_GO_CALLS_IT
	in_session 'start "$GOTRACE" record -o trace -- "$sigcount"; kill -'"$1"' $job; ended 0'
	once "$2"
}
check "kill -TERM from the script that started gotrace" from_same_group TERM terminated
# A background job of a script: the shell had it ignore these two.
check "... -INT" from_same_group INT interrupt
check "... -QUIT" from_same_group QUIT quit
check "... -HUP" from_same_group HUP hangup
check "... -USR1" from_same_group USR1 'user defined signal 1'
check "... -USR2" from_same_group USR2 'user defined signal 2'

from_elsewhere() {
	in_session 'start "$GOTRACE" record -o trace -- "$sigcount"; setsid kill -TERM $job; ended 0'
	once terminated
}
check "kill from another session" from_elsewhere

nohup_reload() { # the command wants the signal although it was ignored when it started
	in_session 'trap "" HUP; start "$GOTRACE" record -o trace -- "$sigcount"; kill -HUP $job; ended 0'
	once hangup
}
check "a signal that was ignored from the start" nohup_reload

whole_group() {
	in_session 'trap : TERM; start "$GOTRACE" record -o trace -- "$sigcount"; kill -TERM 0; ended 0'
	once terminated
}
check "kill 0" whole_group
group_from_elsewhere() {
	in_session 'trap : TERM; start "$GOTRACE" record -o trace -- "$sigcount"; setsid kill -TERM -- -$$; ended 0'
	once terminated
}
check "kill -- -PGID" group_from_elsewhere

no_btf() { # who is sent signals cannot be seen
	needs_hidden_btf
	in_session "start ${without_btf[*]@Q}"' "$GOTRACE" record -o trace -- "$sigcount"; kill -TERM $job; ended 0'
	once terminated
}
check "kill, on a kernel without type information" no_btf

each_by_itself() { # as a supervisor does that signals all processes it knows
	in_session 'start "$GOTRACE" record -o trace -- "$sigcount"; kill -TERM '"$1"'; ended 0'
	once terminated
}
# shellcheck disable=SC2016 # of the script
check "both one by one, gotrace first" each_by_itself '$job $target'
# shellcheck disable=SC2016
check "both one by one, the command first" each_by_itself '$target $job'

two_senders() { # they are two requests
	in_session 'start "$GOTRACE" record -o trace -- "$sigcount"
		setsid kill -USR1 $target; kill -USR1 $job; ended 0'
	grep -q '^got user defined signal 1 2$' out || { cat out err; fail "not both"; }
}
check "one to the command, another to gotrace" two_senders

# Its time is over once the command is ready: timeout takes a SIGALRM for that, whoever sends it. A real second may be over before.
by_timeout() { # ARG... NAME
	local name=${!#}
	in_session 'start timeout '"${*:1:$#-1}"' 600 "$GOTRACE" record -o trace -- "$sigcount"; kill -ALRM $job; ended 124'
	once "$name"
}
check "timeout" by_timeout terminated
check "timeout, in the foreground" by_timeout --foreground terminated
check "timeout -s INT is one Ctrl-C" by_timeout -s INT interrupt

by_sudo() {
	command -v sudo >/dev/null || skip "no sudo"
	sudo -n true || skip "sudo asks for a password"
	in_session 'start sudo -n "$GOTRACE" record -o trace -- "$sigcount"; setsid kill -TERM $job; ended 0'
	once terminated
}
check "kill of sudo" by_sudo

by_systemd() { # KILLMODE
	[ -d /run/systemd/system ] || skip "systemd does not run"
	systemd-run --quiet --wait --pipe --collect -p KillMode="$1" -p Type=exec --unit="gotrace-live-$$" \
		-p WorkingDirectory="$PWD" "$GOTRACE" record -o trace -- "$sigcount" >out 2>err &
	wait_for 60 grep -q ready out
	sleep 0.3
	systemctl stop "gotrace-live-$$"
	wait $! || true
	once terminated
}
check "systemctl stop" by_systemd control-group
check "systemctl stop, KillMode=mixed" by_systemd mixed

killed() {
	in_session 'start "$GOTRACE" record -o trace -- "$sigcount" default; kill -TERM $job; ended 143'
}
check "a command that dies of it" killed

early() { # while probes are attached: it dies of it, or counts it, but does not run on
	local delay
	for delay in 0 0.02 0.05 0.1 0.2 0.4; do
		in_session '"$GOTRACE" record -o trace -- "$sigcount" >out 2>err & job=$!
			sleep '"$delay"'; kill -TERM $job; wait $job; status=$?
			[ $status = 143 ] || [ $status = 0 ] || echo "status $status"'
		! grep -q '^count main.count [02-9]' out || { cat out; fail "$delay s: not once"; }
	done
}
check "before the command has begun" early

after_recording() {
	in_session 'trap : TERM; start "$GOTRACE" record -d 0.1 -o trace -- "$sigcount"; kill -'"$1"'; ended 0'
	grep -q '^got terminated 1$' out || { cat out err; fail "not once"; }
	[ "$(grep -c "^got " out)" = 1 ] || { cat out; fail "more came"; }
}
# shellcheck disable=SC2016
check "once the recording is over" after_recording 'TERM $job'
check "... to the group" after_recording 'TERM 0'

on_terminal() { # KEY NAME STATUS [SHELL...]
	local key=$1 name=$2
	shift 2
	timeout 60 "$terminal" "$key" "$@" "$GOTRACE" record -o trace -- "$sigcount" >out 2>err || fail "status $?"
	once "$name"
}
check "Ctrl-C" on_terminal c interrupt
check "Ctrl-\\" on_terminal \\ quit
check "Ctrl-C, below a shell" on_terminal c interrupt sh -c 'trap : INT; "$@"; exit $?' sh
check "Ctrl-C, with job control" on_terminal c interrupt bash -c 'set -m; "$@"; exit $?' sh

hangup() { # SCRIPT...: the terminal goes, so what is printed goes to a file
	timeout 60 "$terminal" hangup sh -c "$1" >/dev/null 2>err
	wait_for 60 grep -q '^count main.count' out
	wait_for 60 gt info trace
	once hangup
}
# shellcheck disable=SC2016
ready='{ until grep -q ready out; do sleep 0.05; done; cat out; } &'
check "the terminal hangs up" hangup "$ready"' exec "$GOTRACE" record -o trace -- "$sigcount" >out 2>err2'
check "... below a shell" hangup "$ready"' "$GOTRACE" record -o trace -- "$sigcount" >out 2>err2; exit $?'

stop_pid() { # NAME: from a script
	: >ticked
	"$LIVE/programs/default/ticker" 60s >ticked &
	local target=$!
	wait_for 60 grep -q ready ticked
	# shellcheck disable=SC2016
	in_session '"$GOTRACE" record --max-cost=off -o trace --pid '"$target"' >out 2>err & job=$!; attached; kill -'"$1"' $job; ended 0'
	kill -TERM "$target"
	wait "$target" || fail "the process ended with status $?"
	gt info trace | grep -q '^end.reason *interrupted' || fail "not ended by the signal"
}
check "--pid: kill -INT of a script's background job detaches" stop_pid INT
check "--pid: kill -TERM" stop_pid TERM

done_testing
