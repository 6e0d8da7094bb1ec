#!/bin/bash
# Attaching to what runs already, and what is left when gotrace is killed.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
ticker=$LIVE/programs/default/ticker

start_ticker() { # DURATION; sets target
	"$ticker" "$1" >out 2>err.target &
	target=$!
	wait_for 60 grep -q ready out
}
# Called within the program's life: fewer than all calls, and tick calls tock twice.
check_part() {
	local all ticks tocks
	all=$(awk '$2 == "main.tick" { print $3 }' out)
	ticks=$(csv_calls trace main.tick)
	tocks=$(csv_calls trace main.tock)
	[ "$ticks" -ge 20 ] || fail "only $ticks calls of main.tick"
	[ "$ticks" -lt "$all" ] || fail "$ticks calls of main.tick, of $all in all"
	if [ "$tocks" -lt $((2 * ticks - 2)) ] || [ "$tocks" -gt $((2 * ticks + 2)) ]; then
		fail "$ticks calls of main.tick and $tocks of main.tock"
	fi
}

# record_ticks TRACE ARG...: for a second, or as long as a busy machine takes for 20 of them
record_ticks() {
	local trace=$1 seconds
	shift
	for seconds in 1 4 16; do
		expect_status 0 gt record --pid "$target" --traps -d $seconds -o "$trace" "$@"
		[ "$(csv_calls "$trace" main.tick)" -lt 20 ] || break
	done
}

attach_detach() { # STRATEGY
	start_ticker 600s
	set -m
	"$GOTRACE" record --pid "$target" --probe="$1" --traps -o trace 2>err &
	local job=$! got=0
	calls_come trace main.tick 20
	# It is more urgent only while it sets up, and the target never.
	[ "$(ps -o ni= -p "$job") $(ps -o ni= -p "$target")" = "$(ps -o ni= -p $$) $(ps -o ni= -p $$)" ] ||
		fail "priorities are $(ps -o ni= -p "$job") and $(ps -o ni= -p "$target")"
	kill -INT "$job"
	wait "$job" || got=$?
	[ "$got" = 0 ] || { cat err; fail "status $got"; }
	kill -0 "$target" || fail "the target is gone"
	sleep 0.3 # it goes on without probes
	kill -TERM "$target"
	wait "$target" || fail "the target ended with status $?"
	check_part
}
for strategy in $pid_strategies; do
	check "--pid, Ctrl-C detaches and the target goes on, $strategy" attach_detach "$strategy"
done

target_ends() {
	start_ticker 600s
	"$GOTRACE" record --pid "$target" --traps -o trace &
	local job=$!
	calls_come trace main.tick 20
	kill -TERM "$target" # it ends when it likes
	expect_status 0 wait "$job"
	wait "$target"
	check_part
}
check "--pid, the target ends by itself" target_ends

# poll refuses more descriptors than the limit allows.
wait_fails() {
	start_ticker 600s
	"$GOTRACE" record --pid "$target" --traps -o trace 2>err &
	local job=$! got=0
	calls_come trace main.tick 20
	prlimit --pid "$job" --nofile=2:
	wait "$job" || got=$?
	[ "$got" = 0 ] || { cat err; fail "status $got"; }
	expect_grep 'cannot wait for the process' err
	kill -0 "$target" || fail "the target is gone"
	kill -TERM "$target"
	wait "$target"
	check_part
	gt info trace >facts
	expect_grep 'end.reason +failed' facts
	gt report trace >text
	expect_grep 'ended by an error of gotrace' text
}
check "an error while waiting is the end's reason, not the process's exit" wait_fails

pid_duration() {
	start_ticker 600s
	record_ticks trace 2>err
	kill -0 "$target" || fail "the target is gone"
	expect_grep '^gotrace: trace: .* next: gotrace report trace$' err
	gt report trace >text
	expect_grep "untraced.* \(probes .* of .* of processor time[;)]" text
	gt dump trace | grep -E '^@set end.own_cpu_ns [1-9]' >/dev/null || fail "gotrace's own time is not told"
	gt info trace >facts
	expect_grep 'end.host_idle_ns +[0-9]' facts
	! [ -e /proc/self/schedstat ] || expect_grep 'end.target_run_delay_ns +[0-9]' facts
	kill -TERM "$target"
	wait "$target"
	check_part
}
check "--pid with -d" pid_duration

pid_wrong() {
	expect_status 125 gt record --pid 999999999 -o trace 2>err
	[ "$(wc -l <err)" = 1 ] || { cat err; fail "not one line"; }
	sleep 30 &
	local other=$!
	expect_status 125 gt record --pid "$other" -o trace 2>err
	kill "$other"
	expect_grep 'not .*go|no go' err
}
check "--pid of nothing, and of a C program" pid_wrong

replaced_binary() { # the file a process runs may have been replaced on disk
	cp "$ticker" mine
	./mine 600s >out 2>err.target &
	target=$!
	wait_for 60 grep -q ready out
	rm mine
	cp /bin/true mine
	record_ticks trace
	kill -TERM "$target"
	wait "$target"
	check_part
}
check "--pid of a process whose file was replaced" replaced_binary

# One thread makes no call: another is asked. No thread makes any: it is said why, and nothing is left.
thread_fails() {
	[ "${LIVE_SLOW:-}" != 1 ] || skip "each system call is asked about: too slow in a VM that is emulated"
	command -v cc >/dev/null || skip "no C compiler"
	cc -O1 -o call "$TOP/ci/faults/call.c"
	local n
	start_ticker 600s
	for n in 1 2 3 5 6 7 9; do
		./call list pwrite64:$n "$GOTRACE" record --pid "$target" -d 0.1 -o trace 2>err || { cat err; fail "refused after failure $n"; }
		[ "$(grep -c 'pwrite64 failed' list)" = 1 ] || fail "no failure $n"
		! grep -q "/memfd:gotrace" "/proc/$target/maps" || fail "maps are left after failure $n"
	done
	./call list pwrite64:5+ "$GOTRACE" record --pid "$target" -d 0.1 -o none 2>err && fail "no refusal"
	cat err
	expect_grep "cannot be recorded without traps: its thread [0-9]+ [(]ticker[)] makes no system calls for gotrace: its text cannot be written, No space left" err
	[ "$(grep -c 'pwrite64 failed' list)" -ge 20 ] || fail "it gave up early"
	! grep -q "/memfd:gotrace" "/proc/$target/maps" || fail "maps are left"
	kill -TERM "$target"
	wait "$target"
}
check "--pid where a thread makes no system calls" thread_fails

killed() {
	"$GOTRACE" record -o trace -- "$ticker" 600s >out 2>err &
	local job=$! got=0
	wait_for 60 grep -q ready out
	target=$(pgrep -P "$job" -x ticker)
	calls_come trace main.tick 20
	gt report trace >text
	expect_grep 'still being recorded' text
	kill -KILL "$job"
	wait "$job" || got=$?
	[ "$got" = 137 ] || fail "gotrace ended with $got before it was killed"
	sleep 1
	kill -TERM "$target" || fail "the target died with gotrace"
	wait_for 60 grep -q '^count main.tock ' out
	gt report trace >text
	expect_grep incomplete text
	check_part
}
check "kill -9 of gotrace: the target finishes, the trace reads and says so" killed

# A large binary, so that gotrace is still preparing when it is killed.
killed_before_exec() {
	local delay job go
	go=$(go env GOROOT)/bin/go
	for delay in 0.4 0.2 0.1 0.05; do
		"$GOTRACE" record -p all -o "$PWD/trace" -- "$go" version >out 2>err &
		job=$!
		sleep "$delay"
		kill -KILL "$job" || true
		wait "$job" || true
		[ -s out ] || break # else it had run already: sooner
	done
	[ ! -s out ] || fail "gotrace could not be killed before the command ran"
	for _ in $(seq 240); do
		pgrep -f "$PWD/trace" >left || return 0
		sleep 0.25
	done
	fail "processes are left: $(cat left)"
}
check "kill -9 of gotrace before the command runs: it never does" killed_before_exec

other_process() { # a second process of the same binary is not in the trace
	"$LIVE/programs/default/ticker" 600s >other &
	local other=$!
	wait_for 60 grep -q ready other
	gt record --max-cost=off -o trace -- "$ticker" 1s >printed
	kill -TERM "$other"
	wait "$other"
	gt report trace --format=csv >report.csv
	compare_counts printed report.csv
}
check "another process of the same binary stays out" other_process

no_suspect() { # TRACE
	local n
	n=$(gt report "$1" --format=csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "suspect") column = i }
		NR > 1 { n += $column } END { print column ? n + 0 : "unknown" }')
	[ "$n" = 0 ] || fail "$1: $n suspect calls"
}
two_at_once() { # STRATEGY
	start_ticker 600s
	"$GOTRACE" record --pid "$target" --probe=emulated -o trace 2>err &
	local first=$!
	wait_for 60 begun "$first"
	record_ticks second --probe="$1"
	kill -TERM "$first"
	wait "$first"
	kill -TERM "$target"
	wait "$target" || fail "the target ended with status $?"
	check_part
	no_suspect trace
	mv second trace
	check_part
	no_suspect trace
}
for strategy in $pid_strategies; do
	check "two recordings of one process at once, $strategy beside emulated" two_at_once "$strategy"
done

same_byte() { # selected functions that the recording probes for its own sake as well
	expect_status 0 gt record --max-cost=off -f runtime.newproc1 -f runtime.gdestroy -f 'main.*' -o trace -- \
		"$LIVE/programs/default/spawn" >printed
	gt report trace --format=csv | grep -v '^runtime' >report.csv
	compare_counts printed report.csv
	[ "$(csv_calls trace runtime.newproc1)" -gt 1 ] || fail "newproc1 was not seen"
}
check "two probes of one recording on one byte" same_byte

# Whenever the target ends: it ends well, and gotrace with a trace or one line.
ends_meanwhile() { # PROBE
	for ms in 20 40 60 80 100 150 200 300 400 600; do
		"$LIVE/programs/default/ticker" "${ms}ms" >out &
		target=$!
		status=0
		until [ "$(readlink "/proc/$target/exe")" != "$(readlink /proc/$$/exe)" ]; do sleep 0.001; done # its shell's
		gt record --probe="$1" --traps -o trace --pid "$target" >/dev/null 2>err || status=$?
		wait "$target" || fail "a program of $ms ms ended with status $?"
		grep -q '^count main.tick ' out || fail "the output of a program of $ms ms is cut off"
		case $status in
		0) gt report trace >/dev/null ;;
		125) [ "$(grep -v '^gotrace: warning: \|sites one by one$' err | grep -c '^gotrace: ')" = 1 ] || fail "$(cat err)" ;;
		*) fail "status $status: $(cat err)" ;;
		esac
		rm -f trace trace.old
	done
}
for strategy in $pid_strategies; do
	check "--pid of programs that end meanwhile, $strategy" ends_meanwhile "$strategy"
done

# A debugger writes its instruction where a jump or a trap of gotrace's is, and steps over it.
debugged() { # STRATEGY
	command -v gdb >/dev/null || skip "gdb is not installed"
	"$GOTRACE" record --max-cost=off --probe="$1" -o trace -- "$ticker" 600s >out 2>err &
	local job=$! pid
	wait_for 60 grep -q ready out
	pid=$(pgrep -P "$job" -x ticker)
	timeout 100 gdb -q -batch -p "$pid" -ex 'handle SIGURG nostop noprint' -ex 'break main.tock' \
		-ex continue -ex continue -ex continue -ex delete -ex detach >gdb.out 2>&1 || fail "$(tail gdb.out)"
	[ "$(grep -c 'Breakpoint 1, main.tock' gdb.out)" = 3 ] || fail "$(tail gdb.out)"
	kill -TERM "$pid"
	wait "$job" || fail "status $?: $(cat err)"
	gt report trace --format=csv >report.csv
	compare_counts out report.csv
}
for strategy in inline emulated; do check "a debugger stops it at a traced function, $strategy" debugged $strategy; done

done_testing
