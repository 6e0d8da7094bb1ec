#!/bin/bash
# Files that others name: those of sampled processes, binaries and traces.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

programs=$LIVE/programs/default

needs_cc() { command -v cc >/dev/null && command -v objcopy >/dev/null || skip "needs a C compiler"; }
made() { cc -O1 -fno-omit-frame-pointer -o made "$TOP/fixtures/native/made.c" || skip "cc cannot build it"; }
# For a process that must not take the tests' memory.
within() { (ulimit -v 3000000; gt "$@"); }

# What bears the name of a perf map and is none: samples are taken, their addresses have no name, which is said.
no_map() { # KIND
	needs_cc
	made
	LIVE_TIMEOUT=60 within sample -F 999 -o trace -- ./made "$1" >out 2>err || fail "status $?: $(cat err)"
	rm -f "$(cat out)"
	gt report trace --by=function --format=csv >report.csv 2>said
	expect_grep '(made|perf-[0-9]*.map)\+0x' report.csv
	gt info trace >info
	expect_grep 'is no regular one, is another user' info
}
for kind in fifo sparse zero; do check "a perf map that is none: $kind" no_map $kind; done

# Nobody else's file names the code of a process.
of_another() {
	needs_cc
	made
	./made names 20 >out &
	local pid=$! map
	wait_for 20 test -s out
	map=$(cat out)
	chown 12345 "$map"
	gt sample -F 499 -d 1 --pid $pid -o trace 2>err
	gt report trace >text 2>said
	grep -q 'made at run time' text && fail "another user's names are taken"
	chown 0 "$map"
	gt sample -F 499 -d 1 --pid $pid -o trace 2>err
	kill $pid
	rm -f "$map"
	gt report trace >text 2>said
	expect_grep 'made at run time' text
}
check "a perf map of another user" of_another

# The agent goes on beside it, names what else runs, and ends when it is told to.
agent_goes_on() {
	needs_cc
	command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
	made
	echo '{ "interval": "1s", "frequency": 199, "store": { "directory": "'"$PWD"'/store" }, "others": "drop",
		"rules": [{"match": {"executable": "*/made"}}, {"match": {"executable": "*/leafs"}}] }' >agent.json
	"$GOTRACE" agent --config agent.json >out 2>err &
	local agent=$! kind pids=() samples
	wait_for 60 grep -q 'sampling' err
	for kind in fifo sparse zero; do
		./made $kind 8 >>maps &
		pids+=($!)
	done
	"$programs/leafs" 8 >/dev/null
	wait "${pids[@]}"
	kill -TERM $agent
	wait $agent || fail "the agent ended with status $?: $(cat err)"
	xargs rm -f <maps
	samples=$(sqlite3 store/index.db "SELECT coalesce(sum(samples), 0) FROM profiles WHERE service = 'made'")
	[ "$samples" -gt 100 ] || fail "$samples samples"
	gt report store --service leafs >text
	expect_grep 'main.leaf' text
}
check "the agent beside perf maps that are none" agent_goes_on

# The file that .gnu_debuglink names: without end, a FIFO, a device.
debug_link() { # COMMAND: makes native.debug
	needs_cc
	cc -O2 -fno-omit-frame-pointer -o native -Wl,--build-id=none "$TOP/fixtures/native/shares.c" || skip "cc cannot build it"
	objcopy --only-keep-debug native native.debug
	strip native
	objcopy --add-gnu-debuglink=native.debug native
	"$@"
	LIVE_TIMEOUT=60 within sample -F 499 -o trace -- ./native 1 >out 2>err || fail "status $?: $(cat err)"
	gt report trace >text 2>said
	expect_grep 'native\+0x' text
}
sparse_link() { truncate -s 3T native.debug; }
long_link() { truncate -s 3G native.debug; } # is read, and has another sum
fifo_link() { rm native.debug && mkfifo native.debug; }
zero_link() { ln -sf /dev/zero native.debug; }
for kind in sparse long fifo zero; do check "a file of debugging symbols that is none: $kind" debug_link ${kind}_link; done

# report does not open what a trace names, if that is no file.
named_by_trace() { # COMMAND: makes "prog"
	cp "$programs/leafs" prog
	gt record -p main -o trace -- ./prog 1 >out 2>err || fail "$(cat err)"
	rm prog
	"$@"
	LIVE_TIMEOUT=30 strace -f -e trace=open,openat -o calls timeout 30 "$GOTRACE" report trace >text || fail "status $?"
	grep '/prog"\|/dev/' calls | grep -v 'O_PATH\|/dev/null\|/dev/tty' && fail "it is opened"
	true
}
fifo_prog() { mkfifo prog; }
device_prog() { ln -s /dev/loop-control prog; }
if command -v strace >/dev/null; then
	check "a trace that names a FIFO as its binary" named_by_trace fifo_prog
	check "a trace that names a device as its binary" named_by_trace device_prog
fi
done_testing
