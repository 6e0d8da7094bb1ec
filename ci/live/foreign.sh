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
	expect_grep 'is not a regular one, is another user' info
}
for kind in fifo sparse zero; do check "a perf map that is none: $kind" no_map $kind; done

# Its callers are not known, which the stack says.
frameless() {
	needs_cc
	made
	gt sample -F 999 -o trace -- ./made frameless >out
	rm -f "$(cat out)"
	gt export -F folded -o rows trace
	grep -q '^\[unreadable\];made at run time ' rows || fail "not marked: $(head -5 rows)"
	# It takes gotrace a moment to see what is mapped where.
	awk '/^made at run time / { whole += $NF } { all += $NF } END { exit whole > all / 20 }' rows || fail "stacks look whole: $(head -5 rows)"
	gt sample -F 999 -o trace -- ./made names >out
	rm -f "$(cat out)"
	gt export -F folded -o rows trace
	grep -q '^_start;.*main;made at run time ' rows || fail "$(head -5 rows)"
}
check "code made at run time without a frame" frameless

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

# ---- names of what is gone when recording ends

spin() { # FILE...: rows say main.spin, which its program was for nearly all of its time
	gt report "$@" --by=function --format=csv >report.csv 2>said
	awk -F, '$1 == "main.spin" { n = $2 } $1 ~ /\+0x/ { bad += $(NF - 1) } END { exit !(n > 50 && bad < n / 10) }' report.csv ||
		{ head report.csv; cat said; fail "names are missing"; }
}
# A program that takes so much processor time: on a busy machine it runs longer.
spinning() {
	mkdir -p src
	cat >src/main.go <<-'END'
		package main

		import (
			"os"
			"syscall"
			"time"
		)

		func used() time.Duration {
			var u syscall.Rusage
			syscall.Getrusage(syscall.RUSAGE_SELF, &u)
			return time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}

		//go:noinline
		func spin(until time.Duration) (s int) {
			for used() < until {
				for i := 0; i < 1000000; i++ {
					s += i * i
				}
			}
			return
		}

		func main() {
			d, _ := time.ParseDuration(os.Args[1])
			if spin(used()+d) == 3 {
				println()
			}
		}
	END
	(cd src && { [ -e go.mod ] || go mod init spinning 2>/dev/null; } && go build "$@" -o ../spinning .) || fail "it cannot be built"
}
go_run() {
	spinning
	(cd src && gt sample -F 499 -o ../trace -- go run . 2s) 2>err || fail "$(cat err)"
	spin trace --process 'spinning*'
}
check "go run: its program is removed as it ends" go_run
# The program that go test builds is removed as well.
go_test() {
	mkdir src
	cat >src/spin_test.go <<-'END'
		package spinning

		import (
			"testing"
			"time"
		)

		//go:noinline
		func spin(end time.Time) int {
			s := 0
			for time.Now().Before(end) {
				for i := 0; i < 1000; i++ {
					s += i * i
				}
			}
			return s
		}

		func TestSpin(t *testing.T) {
			if spin(time.Now().Add(2*time.Second)) == 3 {
				t.Fail()
			}
		}
	END
	(cd src && go mod init spinning 2>/dev/null && gt sample -F 499 -o ../trace -- go test ./...) >out 2>err || fail "$(cat err)"
	gt report trace --by=path --process='spinning.test' --format=csv -n 0 >rows.csv
	expect_grep 'testing.tRunner;spinning.TestSpin' rows.csv
	! grep -F '[spinning.test+' rows.csv || fail "addresses without names"
}
check "go test ./...: its program is removed as it ends" go_test
# It has ended and its file is removed before gotrace comes to look, as a test binary of some milliseconds has.
removed_unseen() {
	spinning
	cat >runs <<-'END'
		#!/bin/sh
		kill -STOP $PPID
		cp spinning unseen
		./unseen 500ms
		rm unseen
		kill -CONT $PPID
	END
	chmod +x runs
	gt sample -F 499 -o trace -- ./runs 2>err || fail "$(cat err)"
	spin trace --process 'unseen*'
}
check "a program that is gone before gotrace looks keeps its names" removed_unseen
# Its name is another file's before gotrace attaches, as after an upgrade. Its tables are read from /proc/PID/exe, which takes no
# right but to look at the process.
upgraded() { # COMMAND...: that samples
	command -v cc >/dev/null || skip "needs a C compiler"
	local pid all rooted
	chmod 777 .
	cc -O2 -fomit-frame-pointer -o deployed "$TOP/fixtures/native/shares.c"
	setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups ./deployed 600 >/dev/null &
	pid=$!
	wait_for 60 eval '[ "$(stat -L -c %i /proc/$pid/exe)" = "$(stat -c %i deployed)" ]'
	cp /bin/true new
	mv new deployed
	"$@" sample -F 499 -d 2 -o trace --pid "$pid"
	kill "$pid"
	paths trace >rows
	all=$(count . <rows)
	rooted=$(count '^_start;.*;main(;|$)' <rows)
	echo "$rooted of $all are whole"
	awk -v a="$rooted" -v n="$all" 'BEGIN { exit !(n > 50 && a >= 0.98 * n - 5 * sqrt(0.98 * 0.02 * n)) }' || { sort -rn rows | head; fail "stacks without a root"; }
}
check "a program that was upgraded before gotrace attaches" upgraded gt
check "the same with two capabilities" upgraded with_two_capabilities "$GOTRACE"
removed() { # GO-BUILD-OPTION...
	spinning "$@"
	gt sample -F 499 -o trace -- ./spinning 3s 2>err &
	local gotrace=$!
	wait_for 20 test -s trace
	sleep 1.5
	rm spinning
	wait $gotrace || fail "$(cat err)"
	spin trace
}
check "a program that is removed while it runs" removed
# Before Go 1.24 no program has one (cmd/link, -B).
no_build_id() { [ "$go_minor" -lt 24 ] || echo -ldflags=-B=none; }
# shellcheck disable=SC2046 # an option or nothing
check "the same without a build id" removed $(no_build_id)
# Another file takes its place: by its name, or by its very inode when the process has ended.
replaced() { # COMMAND...
	spinning
	cp spinning deployed
	./deployed 60s &
	local pid=$! gotrace other
	sleep 60 &
	other=$! # the recording does not end with the program
	gt sample -F 499 -d 7 -o trace --pid $pid,$other 2>err &
	gotrace=$!
	wait_for 20 test -s trace
	sleep 3
	"$@" $pid
	wait $gotrace || fail "$(cat err)"
	kill $other
	spin trace
}
by_name() { cp /bin/true new && mv new deployed && kill "$1"; }
in_place() { # once its names were read, a second after its end
	kill "$1"
	sleep 2.5
	cp /bin/true deployed
}
check "another file takes the program's name" replaced by_name
check "another file is copied over the program" replaced in_place
# An unmount is not held up by what the agent has read, and nothing of it is lost.
unmounted() {
	needs_namespace unshare --mount true
	command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
	spinning
	mkdir -p app
	echo '{ "interval": "300s", "frequency": 199, "store": { "directory": "'"$PWD"'/store" }, "others": "drop",
		"rules": [{"match": {"executable": "*/spinning"}}] }' >agent.json
	"$GOTRACE" agent --config agent.json >out 2>err &
	local agent=$!
	wait_for 60 grep -q 'sampling' err
	mount -t tmpfs none app
	cp spinning app/
	app/spinning 3s
	wait_for 60 umount app || { umount -l app; fail "the file system stays busy"; }
	kill -TERM $agent
	wait $agent || fail "the agent ended with status $?: $(cat err)"
	spin store --service spinning
}
check "a file system is unmounted below the agent" unmounted

# ---- one file in another's place

# Leaf functions without a frame, whose callers only tables tell; KB: how far behind another with a large frame they lie.
generation() { # NAME KB: builds NAME
	mkdir -p "src.$1"
	{
		cat <<-'END'
			package main

			import (
				"os"
				"syscall"
				"time"
			)

			var table [256]int

			// Processor time: on a busy machine there are as many samples.
			func used() time.Duration {
				var r syscall.Rusage
				syscall.Getrusage(syscall.RUSAGE_SELF, &r)
				return time.Duration(r.Utime.Nano() + r.Stime.Nano())
			}

			//go:noinline
			func other(n int) int {
				var frame [100]int
		END
		for ((i = 0; i < $2 * 16; i++)); do echo "	frame[(n+$i)%100] += table[n&$((i % 256))] * $((i + 3))"; done
		cat <<-'END'
				return frame[n%100]
			}

			//go:noinline
			func NAME3(n int) (s int) {
				for i := 0; i < n; i++ {
					s += table[i&255] ^ i
				}
				return
			}

			//go:noinline
			func NAME2(n int) int { return NAME3(n) + NAME3(n/2) }

			//go:noinline
			func NAME1(n int) int { return NAME2(n) + 1 }

			func main() {
				d, _ := time.ParseDuration(os.Args[1])
				for used() < d {
					table[0] += NAME1(100000)
				}
				table[1] = other(table[2])
			}
		END
	} | sed "s/NAME/$1/g" >"src.$1/main.go"
	(cd "src.$1" && { [ -e go.mod ] || go mod init "$1" 2>/dev/null; } && go build -ldflags='-s -w' -o "../$1" .) || fail "it cannot be built"
}
two_generations() { # alpha and gamma, of equal size
	generation alpha 1
	generation gamma 40
	local size
	size=$(stat -c %s alpha gamma | sort -n | tail -1)
	truncate -s "$size" alpha gamma
}
callers_of() { # GENERATION TRACE: its leaf is called by its own, in nearly all samples
	paths "$2" >rows
	local all right early
	all=$(count "(^|;)$1[123](;|\$)|(^|;)main.$1[123](;|\$)" <rows)
	# Before gotrace knows the program, frame pointers leave out who calls a leaf without a frame, and the stack says so. That is a
	# moment, longer on a busy machine. With the tables of another file all would be so.
	early=$(count "[[]unreadable[]];(.*;)?main.$1[123](;|\$)" <rows)
	right=$(count "^([[]([^];]*/)?deployed[]];)?runtime.goexit;runtime.main;main.main;main.$1"'1;(main.'"$1"'2;)?main.'"$1"'3(;|$)' <rows)
	echo "$1: $right of $all whole, $early before it was known"
	[ "$all" -gt 100 ] && awk -v r="$right" -v n="$all" -v e="$early" 'BEGIN { exit !(r >= 0.9 * (n - e) - 4 && r >= n / 3) }' || { sort -rn rows | head -8; fail "wrong callers"; }
}
overwritten() {
	two_generations
	cp alpha deployed
	gt sample -F 997 -o trace -- sh -c './deployed 1s; sleep 2.5; cp gamma deployed; ./deployed 1s; sleep 2.5; cp alpha deployed; ./deployed 1s' 2>err || fail "$(cat err)"
	callers_of alpha trace
	callers_of gamma trace
}
check "a program that is copied over another of equal size" overwritten
# With the time of the one before, too: file systems of images do that. It takes gotrace a moment to see it.
same_time() {
	two_generations
	touch -d '2001-01-01' alpha gamma
	cp -p alpha deployed
	gt sample -F 997 -o trace -- sh -c './deployed 1s; sleep 2.5; cp -p gamma deployed; ./deployed 4s' 2>err || fail "$(cat err)"
	callers_of alpha trace
	callers_of gamma trace
}
check "the same with equal times" same_time
# Two file systems give the same inode numbers.
two_file_systems() {
	needs_namespace unshare --mount true
	two_generations
	mkdir -p one two
	export -f callers_of paths count fail gt
	unshare --mount bash -c 'mount -t tmpfs none one && mount -t tmpfs none two && cp alpha one/deployed && cp gamma two/deployed &&
		{ [ "$(stat -c %i one/deployed)" = "$(stat -c %i two/deployed)" ] || echo "other numbers"; } &&
		gt sample -F 997 -o trace -- sh -c "one/deployed 1s; two/deployed 1s" 2>err && callers_of alpha trace && callers_of gamma trace' || fail "status $?"
}
check "two file systems with the same inode numbers" two_file_systems

# A stranger has made a program of the build ID of another one, and chose the names in it.
chosen_build_id() {
	local name
	needs_cc
	cat >spin.c <<-'END'
		#include <stdlib.h>
		#include <time.h>
		volatile unsigned long x;
		__attribute__((noinline)) void NAME(void) { for (int i = 0; i < 1000000; i++) x += i; }
		int main(int argc, char **argv) { for (time_t end = time(NULL) + atoi(argv[argc - 1]); time(NULL) < end;) NAME(); }
	END
	for name in stranger victim; do
		cc -O1 -Wl,--build-id=0x1122334455667788990011223344556677889900 -DNAME=of_$name -o $name spin.c || skip "cc cannot build it"
	done
	gt sample -F 499 -o trace -- sh -c './stranger 100 & other=$!; ./victim 3; kill $other' 2>err || fail "$(cat err)"
	for name in stranger victim; do
		gt report trace --by=function --process=$name --format=csv -n 0 >functions.csv
		grep -o '^of_[a-z]*' functions.csv >names
		[ "$(cat names)" = of_$name ] || fail "$name has $(cat names)"
	done
}
check "two programs of one build ID" chosen_build_id

# Its page of the list of goroutines never comes. Each reader ends, and says why.
unanswered() {
	local at pid status=0
	at=$(go tool nm "$programs/unanswered" | awk '$3 == "runtime.allgs" { print $1 }')
	"$programs/unanswered" "$at" >out &
	pid=$!
	wait_for 20 test -s out
	grep -q ready out || skip "userfaultfd: $(cat out)"
	"$GOTRACE" sample --wall --pid $pid -d 3 -o trace 2>err &
	sleep 1
	touch silent
	wait $! || fail "sample: status $?: $(cat err)"
	expect_grep "process $pid: its memory does not answer" err
	gt report trace >text 2>said
	expect_grep 'the memory of 1 process did not answer' text
	LIVE_TIMEOUT=20 gt goroutines --pid $pid 2>err && fail "goroutines took it"
	expect_grep "process $pid: its memory does not answer" err
	LIVE_TIMEOUT=60 gt record --pid $pid -d 1 -o trace2 2>err || status=$?
	[ $status = 125 ] || fail "record: status $status: $(cat err)"
	expect_grep 'cannot be recorded without traps: ' err
	kill -KILL $pid
}
check "memory that never answers" unanswered

# Two plugins by turns at the same addresses, each with half of the work.
plugins() {
	local name
	for name in one two; do
		cat >plugin.c <<-END
			volatile long sum;
			__attribute__((noinline)) void ${name}_hot(long n) { while (n--) sum += n; }
			void work(long n) { ${name}_hot(n); sum++; }
		END
		"${CC:-gcc}" -O1 -shared -fPIC -o $name.so plugin.c
	done
	cat >host.c <<-'END'
		#include <dlfcn.h>
		#include <stdio.h>

		int main(void)
		{
			static const char *const names[] = { "./one.so", "./two.so" };
			void *first = NULL;

			for (int i = 0; i < 10; i++) {
				void *plugin = dlopen(names[i % 2], RTLD_NOW);
				void (*work)(long) = (void (*)(long))dlsym(plugin, "work");

				if (first && (void *)work != first)
					printf("other addresses\n");
				first = (void *)work;
				work(60000000);
				dlclose(plugin);
			}
			return 0;
		}
	END
	"${CC:-gcc}" -O1 -o host host.c -ldl
	gt sample -F 499 -o trace -- ./host >out
	! grep -q other out || skip "the libraries lie elsewhere each time"
	paths trace >rows
	local one two
	one=$(count one_hot <rows) two=$(count two_hot <rows)
	[ $((one + two)) -ge 100 ] || fail "$one and $two samples"
	[ $((5 * one)) -gt $((one + two)) ] && [ $((5 * two)) -gt $((one + two)) ] || fail "$one and $two samples are no halves"
}
check "a library that takes the addresses of another" plugins
done_testing
