#!/bin/bash
# Outputs that are no file, that are full, and standard descriptors that are closed at the start.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
program=$LIVE/programs/default/plain

one_line() { # PATTERN FILE: that, and nothing else
	expect_grep "^gotrace: .*$1" "$2"
	[ "$(wc -l <"$2")" = 1 ] || { cat "$2"; fail "more than a line"; }
}

full() { # /dev/full as a file, and as standard output
	local format verb
	gt record -o trace -- "$program" >/dev/null
	for format in folded pprof otlp perfetto chrome perun csv sqlite html; do
		expect_status 1 gt export -F $format -o /dev/full trace 2>err
		one_line 'no space left' err
		expect_status 1 gt export -F $format trace 2>err >/dev/full
		one_line 'no space left' err
	done
	for verb in 'report trace' 'report --help' 'info trace' 'dump trace' "plan $program" doctor --version --help; do
		# shellcheck disable=SC2086
		expect_status 1 gt $verb >/dev/full 2>err
		one_line 'no space left' err
	done
	expect_status 125 gt record -o /dev/full -- "$program" >out 2>err
	one_line '/dev/full is not a regular file' err
	[ ! -s out ] || fail "the command ran"
}
check "/dev/full is told by every verb and format" full

fifo() {
	mkfifo fifo
	expect_status 125 gt record -o fifo -- "$program" >out 2>err
	one_line 'fifo is not a regular file' err
	[ ! -s out ] || fail "the command ran"
	gt record -o trace -- "$program" >/dev/null
	gt export -F folded --weight=calls trace >want
	cat fifo >got &
	expect_status 0 gt export -F folded --weight=calls -o fifo trace
	wait $!
	cmp want got
	gt report -F csv trace >want
	cat trace >fifo &
	expect_status 0 gt report -F csv fifo >got
	cmp want got
	[ -p fifo ] || fail "the FIFO was replaced"
	# A reader that goes away is none of gotrace's faults.
	gt export -F folded trace >/dev/null
}
check "a FIFO is written and read by the verbs that can, and refused by record" fifo

# closed WHICH COMMAND...: with those descriptors closed. What is printed goes to `out` and `err`.
closed() {
	local which=$1
	shift
	rm -f out err
	case $which in
	0) "$@" <&- >out 2>err ;;
	1) "$@" >&- 2>err ;;
	2) "$@" >out 2>&- ;;
	01) "$@" <&- >&- 2>err ;;
	02) "$@" <&- >out 2>&- ;;
	12) "$@" >&- 2>&- ;;
	012) "$@" <&- >&- 2>&- ;;
	esac
}
closed_at_start() {
	local which format
	gt record -o trace -- "$program" >/dev/null
	for format in folded sqlite perfetto; do
		gt export -F $format -o "want.$format" trace
	done
	gt report -F csv trace >want
	for which in 0 1 2 01 02 12 012; do
		# It warns, which must not get into a file of its own.
		rm -f new*
		expect_status 0 closed $which gt record -p main -p none -o new -- "$program"
		gt info new >info
		expect_grep '^complete +yes' info
		[ "$(csv_calls new main.outer)" = 1000 ] || fail "$which: not 1000 calls"
		for format in folded sqlite perfetto; do
			expect_status 0 closed $which gt export -F $format -o "new.$format" trace
			cmp "want.$format" "new.$format"
		done
		case $which in
		*1*) expect_status 1 closed $which gt report -F csv trace
			[ ! -e err ] || one_line 'bad file descriptor' err ;;
		*) expect_status 0 closed $which gt report -F csv trace
			cmp want out ;;
		esac
	done
}
check "standard descriptors that are closed: nothing is written to what takes their numbers" closed_at_start

# The command finds closed what was closed.
closed_for_command() {
	local which
	for which in 0 1 2 01 02 12 012; do
		# shellcheck disable=SC2016
		closed $which sh -c 'for n in 0 1 2; do [ ! -e /proc/$$/fd/$n ] || echo $n; done >"$1"' sh want
		# shellcheck disable=SC2016
		closed $which gt record --exe "$program" -o trace -- \
			sh -c 'for n in 0 1 2; do [ ! -e /proc/$$/fd/$n ] || echo $n; done >"$1"; exec "$2" >/dev/null' sh got "$program"
		cmp want got || { cat got; fail "$which"; }
	done
}
check "the command's standard descriptors are closed as they were" closed_for_command

# A file size limit ends whoever does not expect it, without a word, and leaves files behind.
limited() { # KIBIBYTES COMMAND...: what it says, then its status
	(
		got=0
		ulimit -f "$1"
		shift
		"$@" >out || got=$?
		echo "status $got" >&2
	) 2>&1 | cat >err
}
too_large() {
	local verb agent
	gt record -o trace -- "$program" >/dev/null
	mkdir made
	for verb in 'export -F html -o made/x trace' 'export -F sqlite -o made/x trace' 'export -F folded -o made/x trace' \
		'report -F json trace' 'diff trace trace' 'dump trace' 'info -F json trace' "plan --list $program" doctor; do
		# shellcheck disable=SC2086 # words
		limited 0 gt $verb
		expect_grep '^status 1$' err
		sed -i '/^status/d' err
		one_line 'file too large' err
		[ -z "$(ls -A made)" ] || fail "left behind: $(ls -A made)"
	done
	# Half of the trace: its tables fit, which come first, and its events do not.
	limited $(($(stat -c %s trace) / 2048)) gt record -o cut -- "$program"
	expect_grep '^status 0$' err
	expect_grep 'was cut short: file too large' err
	expect_grep '^gotrace: cut: [0-9]+ events in [0-9.]+ KB, the rest lost;' err
	gt report cut >text 2>&1
	expect_grep incomplete text
	echo '{ "interval": "1s", "store": { "directory": "store" } }' >agent.json
	rm err
	# shellcheck disable=SC2016
	limited 100 sh -c 'echo $$ >&2; exec "$0" agent --config agent.json' "$GOTRACE" &
	wait_for 60 grep -q sampling err
	agent=$(head -n 1 err)
	kill -TERM "$agent"
	wait
	expect_grep '^status [01]$' err
}
check "a file size limit is told in one line, and nothing is left behind" too_large

quota() {
	command -v mkfs.btrfs btrfs >/dev/null || skip "no mkfs.btrfs here"
	truncate -s 120M image
	mkfs.btrfs -q image >said 2>&1 && mkdir mnt && mount -o loop image mnt 2>>said || skip "no btrfs can be mounted here"
	trap 'umount mnt' EXIT
	btrfs quota enable mnt && btrfs qgroup limit 1M 0/5 mnt || skip "no quota can be set here"
	expect_status 0 gt record -o mnt/trace -- "$LIVE/programs/default/busy" 1s 2>err >out || { cat out err; false; }
	expect_grep 'quota exceeded' err
	grep -q '^count main.step ' out || fail "the command's output is cut off"
	gt report mnt/trace >text
	expect_grep incomplete text
	expect_status 1 gt export -F perfetto -o mnt/x mnt/trace 2>err
	one_line 'quota exceeded' err
	[ "$(ls -A mnt)" = trace ] || fail "left behind: $(ls -A mnt)"
}
check "a quota is told as that, the trace is readable and the command unharmed" quota

done_testing
