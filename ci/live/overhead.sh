#!/bin/bash
# gotrace overhead: a command untraced and traced in turn. How much slower it gets is of the machine, and not tested.
# serial: measures
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
programs=$LIVE/programs/noinline
seven=$programs/status # exits with 7

# after SCRIPT ARG...: overhead ARG... of a shell that does this and becomes a program that ends with 7.
after() {
	local script=$1
	shift
	gt overhead "$@" --exe "$seven" -- sh -c "$script"'; exec "$0"' "$seven"
}
lines() { wc -l <"$1"; }

states_it() {
	expect_status 0 gt overhead -- "$programs/plain" >out 2>err
	expect_grep '^[^ ]*plain: (traced, it takes|within noise|not measurable here|invalid)' err
	expect_grep '^ +UNTRACED +TRACED +TIMES' err
	expect_grep '^wall clock +[0-9.]+[nmu]?s +[0-9.]+[nmu]?s +' err
	expect_grep '^processor time +' err
	expect_grep '^[0-9]+ events a run, none lost' err
	expect_grep '^medians of 5 rounds' err
	events=$(sed -n 's/ events a run.*//p' err)
	[ "$events" -ge 4000 ] || fail "few events"
	[ "$(grep -c '^count main.main 1' out)" = 18 ] || fail "it did not run 18 times"
	[ ! -e gotrace.out ] || fail "a trace was left"
}
check "the slowdown, its interval and the noise, after five rounds" states_it

few() {
	expect_status 7 after 'echo x >>runs' -r 2 >out 2>err
	[ "$(lines runs)" = 9 ] || fail "$(lines runs) runs"
	expect_grep 'fewer than 5 rounds, no interval' err
	expect_grep '^medians of 2 rounds' err
}
check "two rounds have no interval; the exit status is the command's" few

selects() {
	expect_status 0 gt overhead -r 1 --no-states -f main.outer --probe=emulated -- "$programs/plain" >out 2>err
	events=$(sed -n 's/ events a run.*//p' err)
	[ "$events" -ge 2000 ] || fail "$events events"
	expect_status 0 gt overhead -r 1 --min-duration 1h -- "$programs/plain" >out 2>err
}
check "options of record say what is traced" selects

# What a command gets from gotrace is the same in each run, and what it would get without.
look='{ ulimit -n; ulimit -c; grep -E "^Sig(Blk|Ign|Cgt)|^CapEff" /proc/$$/status; umask; pwd; } | paste -sd" " >>'
all_same() {
	[ "$(lines seen)" = "$1" ] || fail "$(lines seen) runs"
	[ "$(sort -u seen | wc -l)" = 1 ] || { cat seen; fail "not the same"; }
}
same() {
	sh -c "$look"seen
	expect_status 7 after "$look"seen -r 1 >out 2>err
	all_same 7
}
check "limits, signals and rights are the same in each run" same

# Signals 32 and 33, which the C library handles once gotrace has threads.
same_of_libc() {
	command -v gcc >/dev/null || skip "needs gcc"
	gcc -o ignoring "$TOP/fixtures/native/ignoring.c" || skip "gcc cannot build it"
	./ignoring sh -c "$look"seen
	grep -q 'SigIgn:.*180000000' seen || fail "it does not ignore them"
	expect_status 7 ./ignoring "$GOTRACE" overhead -r 1 --exe "$seven" -- sh -c "$look"'seen; exec "$0"' "$seven" >out 2>err
	expect_status 7 ./ignoring "$GOTRACE" record -o trace --exe "$seven" -- sh -c "$look"'seen; exec "$0"' "$seven" >out 2>err
	expect_status 7 ./ignoring "$GOTRACE" sample -o samples -- sh -c "$look"'seen; exec "$0"' "$seven" >out 2>err
	all_same 9
}
check "signals of the C library that are ignored stay so" same_of_libc

reads_a_file() {
	printf 'a\nb\n' >in
	expect_status 7 after 'cat >>got' -r 1 <in >out 2>err
	[ "$(lines got)" = 12 ] || fail "$(lines got) lines"
}
check "each run reads standard input from its begin, if it is a file" reads_a_file

reads_a_pipe() {
	printf 'a\nb\n' | expect_status 7 after 'cat >>got' -r 1 >out 2>err
	[ ! -s got ] || fail "one run has read it"
	expect_grep 'standard input can be read only once' err
}
check "a pipe on standard input is not read, and that is said" reads_a_pipe

other_status() {
	# shellcheck disable=SC2016 # for the inner shell
	expect_status 3 after 'echo x >>runs; [ $(wc -l <runs) -lt 5 ] || exit 3' >out 2>err
	[ "$(lines runs)" = 5 ] || fail "$(lines runs) runs"
	expect_grep 'measuring ended: the command ended with status 3, .*; in its first run it ended with status 7' err
	if grep -q TIMES err; then fail "something was stated of no round"; fi
}
check "it ends when the command ends otherwise than before" other_status

dies() {
	# shellcheck disable=SC2016 # for the inner shell
	expect_status 143 "$GOTRACE" overhead --exe "$seven" -- sh -c 'echo x >>runs; kill -TERM $$' >out 2>err
	[ "$(lines runs)" = 1 ] || fail "$(lines runs) runs"
	expect_grep 'measuring ended: died of signal 15' err
}
check "it dies of the signal that the command died of" dies

# signalled SIGNAL STATUS ARG...: sigcount, sent a signal by way of gotrace, ends; there is no second run.
signalled() {
	local signal=$1 want=$2 pid status=0
	shift 2
	"$GOTRACE" overhead -- "$programs/sigcount" "$@" >out 2>err &
	pid=$!
	wait_for 60 grep -q ready out
	kill "-$signal" "$pid"
	wait "$pid" || status=$?
	[ "$status" = "$want" ] || fail "status $status, not $want"
	[ "$(grep -c ready out)" = 1 ] || fail "it ran again"
	expect_grep 'measuring ended' err
}
check "a signal to gotrace ends the command and the measurement" signalled TERM 143 default
check "a signal that the command handles ends the measurement, too" signalled INT 0

refused() { # STATUS PATTERN ARG...
	local want=$1 pattern=$2
	shift 2
	expect_status "$want" gt overhead "$@" >out 2>err
	[ ! -s out ] || { cat out; fail "something ran"; }
	expect_grep "$pattern" err
}
check "a command that does not exist" refused 127 'not found' -- ./nowhere
check "a directory" refused 126 'directory|permission denied' -- /tmp
check "no Go program" refused 125 'not .*go|no go' -- sh -c 'echo ran'
check "no function matches: nothing runs" refused 125 'main\.outer' -f main.outre -- "$programs/plain"
check "no command" refused 2 'a command is needed' -r 3
check "--pid" refused 2 'a command is needed' --pid 1
check "--trial" refused 2 'do not go with overhead' --trial 1 -- "$programs/plain"
check "-d" refused 2 'do not go with overhead' -d 1 -- "$programs/plain"
check "-o" refused 2 'does not go with overhead' -o x -- "$programs/plain"
check "-r 0" refused 2 'not a number from 1 to' -r 0 -- "$programs/plain"

other_user() {
	expect_status 0 gt overhead -r 1 --user nobody -- "$programs/identity" >out 2>err
	[ "$(grep -c "^uid $(id -u nobody) " out)" = 6 ] || fail "not as nobody each time"
}
check "--user: each run is that user's" other_user

as_user() {
	"$GOTRACE" doctor | grep -q '^yes *uprobe_multi' || skip "no uprobe_multi links"
	install -m 755 "$GOTRACE" "$LIVE/gotrace-overhead"
	mkdir mine && chown nobody mine && cd mine
	expect_status 0 with_two_capabilities timeout -k 5 120 "$LIVE/gotrace-overhead" overhead -r 1 -- "$programs/plain" >../out 2>../err
	expect_grep '^[0-9]+ events a run, none lost' ../err
}
check "an ordinary user with two capabilities" as_user

no_room() {
	needs_namespace unshare --mount true
	expect_status 125 env TMPDIR=/nowhere unshare --mount sh -c '
		exec 3<"$0" # which may be in one of these
		mount --bind -o ro /proc/sys /tmp && mount --bind -o ro /proc/sys /var/tmp || exit 1
		exec /proc/self/fd/3 overhead -- "$1"' "$GOTRACE" "$programs/plain" >out 2>err
	[ ! -s out ] || fail "something ran"
	expect_grep 'no file for a trace can be made' err
}
check "nowhere to put a trace: nothing runs" no_room

done_testing
