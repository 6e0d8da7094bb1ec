#!/bin/bash
# What record says while it runs and at its end: to a terminal, and to a file.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
busy=$LIVE/programs/default/busy

# on_terminal COMMAND...: runs it with a terminal as stdout and stderr; prints what it wrote there.
on_terminal() {
	python3 - "$@" <<'EOF'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
out = b""
while True:
    try:
        got = os.read(fd, 65536)
    except OSError: # all have closed the terminal
        break
    if not got:
        break
    out += got
sys.stdout.write(out.decode().replace("\r\n", "\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
EOF
}
command -v python3 >/dev/null || on_terminal() { skip "no python3 for a terminal"; }

heavy_words='main.step makes [0-9]*% of all events, and its probes take about [0-9]*% of .* -x main.step$'
heavy() { # PROBE: once, between the lines of the program
	on_terminal "$GOTRACE" record --probe="$1" -o trace -- "$busy" 3s >seen
	expect_grep "^gotrace: warning: $heavy_words" seen
	[ "$(grep -c 'makes .* of all events' seen)" = 1 ] || fail "not said once"
	expect_grep '^count main.step [0-9]*$' seen
	expect_grep '^gotrace: trace: .* (none|[0-9]+) lost.* next: gotrace report trace$' seen
	if grep -q $'\r' seen; then fail "progress is written between the program's lines"; fi
}
check "the function that makes most events is named while it runs" heavy auto
check "... with inline stubs" heavy inline

left_out() { # as the sentence says: nothing more is to be said
	on_terminal "$GOTRACE" record -x main.step -o trace -- "$busy" 2s >seen
	if grep -q 'of all events' seen; then fail "said without a reason"; fi
}
check "... and is not when it is left out" left_out

in_scripts() { # stderr is the command's, too: one line, and none with -q, besides warnings
	gt record -o trace -- "$busy" 2s >out 2>err
	[ "$(grep -vc '^gotrace: warning: ' err)" = 1 ] || { cat err; fail "stderr has more than a line"; }
	expect_grep '^gotrace: trace: .* next: gotrace report trace$' err
	gt record -q -o trace -- "$busy" 2s >out 2>err
	if grep -v '^gotrace: warning: ' err; then fail "stderr has that with -q"; fi
}
check "where stderr is no terminal, one line names the trace, and none with -q" in_scripts

# What is left of the program besides its probes is measured by samples of its processor time.
sampled() {
	local probe all probes
	[ -r /sys/kernel/btf/vmlinux ] || skip "this kernel has no type information (BTF)"
	for probe in --probe=emulated --probe=auto --exclude=main.step; do
		gt record $probe -o trace -- "$busy" 2s >out
		gt info trace >info
		all=$(sed -n 's/^end.cpu_samples  *//p' info) probes=$(sed -n 's/^end.cpu_samples_probes  *//p' info)
		[ "${all:-0}" -ge 50 ] || fail "$probe: ${all:-no} samples"
		echo "$probe: $probes of $all"
		if [ $probe = --exclude=main.step ]; then # what it does hardly ever is probed
			[ $((10 * probes)) -lt "$all" ] || fail "what is not probed counts for the probes"
		else # it does nothing but call it
			[ $((4 * probes)) -gt "$all" ] || fail "what is probed counts for the program"
		fi
	done
}
check "samples of its processor time tell the program's from the probes'" sampled

progress() { # the program's output goes elsewhere
	# shellcheck disable=SC2016 # for sh
	on_terminal sh -c '"$0" record -o trace -- "$1" 1s >out' "$GOTRACE" "$busy" >seen
	expect_grep $'\r.*[0-9]* events, [0-9]*/s, [0-9.]* MB' seen
	expect_grep '^count main.step [0-9]*$' out
}
check "progress is shown when the program writes elsewhere" progress

dear_sites='of the time that probing took went into sites that could not be probed as cheaply as others: main.lone'
costly_sites() {
	on_terminal "$GOTRACE" record --probe=inline --max-cost=off -o trace -- "$busy" 10ms 20000 >seen
	"$GOTRACE" info trace >info
	grep -q '^probe.strategy *inline$' info || skip "no inline stubs here"
	expect_grep "^gotrace: .*$dear_sites.* -x main.lone$" seen
	expect_grep "^warn.load .*$dear_sites" info
	"$GOTRACE" report trace >text
	expect_grep "$dear_sites" text
	gt record --probe=inline -x main.lone -o trace -- "$busy" 10ms 20000 >out
	"$GOTRACE" info trace >info
	if grep '^warn.load' info; then fail "said without a reason"; fi
}
check "sites left at a trap among inline stubs are named" costly_sites

of_info() { # what info says of inline stubs
	gt record --probe=inline --ring=4K -o trace -- "$busy" 200ms >out
	"$GOTRACE" info trace >info
	grep -q '^probe.strategy *inline$' info || skip "no inline stubs here"
	for key in cost.inline_ns end.events_inline end.inline_traps end.ring_most_bytes \
		end.signals_in_stubs end.signals_rolled_back inline.rings inline.ring_bytes; do
		expect_grep "^$key  *[0-9]" info
	done
	# A ring of 4K is full all the time.
	expect_grep '^end.inline_traps  *[1-9]' info
	traps=$(awk '$1 ~ /^end.events_/ && $1 != "end.events_inline" { n += $2 } END { print n }' info)
	expect_grep "^Probes  *inline: .*; $traps took a trap$" info
	expect_grep '^end.ring_most_bytes  *40[0-9][0-9]$' info
}
check "info knows overflow traps, signals and the most that waited in a ring" of_info

# shellcheck disable=SC2016 # for bash
limited_files() { # a limit that gotrace may not raise: springboard is there all the same
	expect_status 0 setpriv --bounding-set=-sys_resource --inh-caps=-sys_resource \
		bash -c 'ulimit -f 4096 && exec "$@"' - "$GOTRACE" record --probe=inline -o trace -- "$busy" 10ms >out 2>err
	expect_grep 'warning: inline is not used: files may not be as large as the rings.*ulimit -f.*; using springboard$' err
	"$GOTRACE" info trace >info
	expect_grep '^probe.strategy *springboard$' info
	setpriv --bounding-set=-sys_resource --inh-caps=-sys_resource \
		bash -c 'ulimit -f 4096 && exec "$@"' - "$GOTRACE" record -o trace -- "$busy" 10ms >out 2>err
	expect_grep 'warning: inline is not used: .*ulimit -f.*; using springboard$' err
	setpriv --bounding-set=-sys_resource --inh-caps=-sys_resource \
		bash -c 'ulimit -f 4096 && exec "$@"' - "$GOTRACE" record --probe=inline --ring=64K -o trace -- "$busy" 10ms >out 2>err
	if grep 'ulimit' err; then fail "smaller rings do not fit either"; fi
}
check "a limit on files below the rings' size: springboard, and why" limited_files


opened() { # of the go command only package main is selected by default
	real_go=$(go env GOROOT)/bin/go
	[ -x "$real_go" ] || skip "no go command here"
	gt record -o trace -- "$real_go" list std >/dev/null
	gt report trace >text
	expect_grep '^main.invoke has [0-9.]*% of the time as its own: to open it, record with -p main .*-p cmd/go$' text
	gt record -o trace -p main -p cmd/go -- "$real_go" list std >/dev/null
	gt report trace >text
	if grep -q '^main.invoke has' text; then fail "it is still the heaviest: $(grep '^main.invoke has' text)"; fi
}
check "the -p that opens the heaviest function is named" opened
done_testing
