#!/bin/bash
# gotrace sample: programs whose shares are known, in every build of them. A share is an estimate:
# bounds are five standard deviations, which one test in a million misses by chance.
# Of 13,000 samples these are within 0.6429 to 0.6875 around two thirds: 1.8 to 2.2 to one.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

programs=$LIVE/programs

leaf_without_frame() { # VARIANT
	local seconds
	# A slow machine takes fewer samples a second than it is asked for. At 9999 Hz one that was busy lost six of ten, and the
	# share was 0.59 to 0.63.
	for seconds in 5 20 80; do
		gt sample -F 2999 -o trace -- "$programs/$1/leafs" $seconds >out
		paths trace >rows
		[ "$(count 'main.leaf$' <rows)" -lt 13000 ] || break
	done
	near "$(count 'main.two;main.leaf$' <rows)" "$(count 'main.one;main.leaf$' <rows)" 0.6667 13000
}
for variant in default stripped pie; do
	check "a leaf without a frame has its callers 1:2, $variant" leaf_without_frame $variant
done

# Where BP is no frame, the function tables give the callers: of the assembly, and of what runs after it.
register_without_frame() { # VARIANT
	local all
	gt sample -F 2999 -o trace -- "$programs/$1/clobbers" >out
	paths trace >rows
	all=$(count 'main.(clobber|plain)$' <rows)
	[ "$all" -ge 100 ] || fail "$all samples"
	[ "$(count 'main.main;main.work;main.(clobber|plain)$' <rows)" -ge $((all * 99 / 100)) ] || fail "$(sort rows | uniq -c | sort -rn | head)"
}
for variant in default stripped pie; do
	check "assembly that uses BP without a frame has its callers, $variant" register_without_frame $variant
done

# Both functions' time is in one loop: two that say the same may be laid out differently, and one take longer.
goroutines() { # OPTION...
	local rounds twice once
	mkdir -p src && cat >src/main.go <<-'END'
		package main

		import (
			"os"
			"strconv"
			"sync"
		)

		//go:noinline
		func spin(n int) (s uint64) {
			for i := 0; i < n; i++ {
				s = s*6364136223846793005 + 1442695040888963407
			}
			return
		}

		//go:noinline
		func once(n int) uint64 { return spin(n) + 1 }

		//go:noinline
		func twice(n int) uint64 { return spin(2*n) + 1 }

		//go:noinline
		func deep(d, n int) uint64 {
			if d == 0 {
				return once(n) + twice(n)
			}
			return deep(d-1, n) + 1
		}

		func main() {
			rounds, _ := strconv.Atoi(os.Args[1])
			var wg sync.WaitGroup
			sums := make(chan uint64, 16)
			for i := 0; i < 1000; i++ {
				wg.Add(1)
				go func() {
					defer wg.Done()
					for r := 0; r < rounds; r++ {
						sums <- deep(12, 50000)
					}
				}()
			}
			go func() {
				wg.Wait()
				close(sums)
			}()
			var sum uint64
			for v := range sums {
				sum += v
			}
			println(sum)
		}
	END
	printf 'module example.org/thousand\ngo 1.19\n' >src/go.mod
	(cd src && go build "$@" -o ../thousand .)
	for rounds in 20 80 320; do
		gt sample -F 9999 -o trace -- ./thousand $rounds 2>out
		paths trace >rows
		twice=$(count 'main.deep;main.twice;main.spin$' <rows) once=$(count 'main.deep;main.once;main.spin$' <rows)
		[ $((twice + once)) -lt 13000 ] || break
	done
	near "$twice" "$once" 0.6667 13000
	gt report trace --by=goroutine --format=csv -n 0 >report.csv
	[ "$(wc -l <report.csv)" -gt 900 ] || fail "$(wc -l <report.csv) goroutines"
}
check "1,000 goroutines, two functions 2:1" goroutines
check "1,000 goroutines, two functions 2:1, stripped" goroutines -ldflags='-s -w'

# The timer of a fixed period sees one function always, or never. Of 2,600 samples five deviations are 0.62 to 0.72.
in_step() {
	local seconds two one
	for seconds in 6 24 96; do # on a loaded machine it gets less of a processor
		gt sample -F 499 -o trace -- "$programs/default/instep" $seconds >out
		paths trace >rows
		two=$(count 'main.two(;|$)' <rows) one=$(count 'main.one(;|$)' <rows)
		[ $((two + one)) -lt 2600 ] || break
	done
	near "$two" "$one" "$(sed -n 's/^share //p' out)" 2600
}
for i in $([ -n "${LIVE_ALL:-}" ] && seq 5 || echo 1); do
	check "a program in step with the clock, $i" in_step
done

# A stack begins where a goroutine or a thread does, or in the scheduler: 99 % do, as far as so many
# samples can tell.
root='(runtime[.](goexit|mcall|mstart|morestack|rt0_go|clone)|_rt0_amd64(_linux)?|\[scheduler\])(;|$)'
roots() { # FREQUENCY PROGRAM [ARG...]
	local all named
	gt sample -F "$1" -o trace -- "${@:2}" >out
	paths trace >rows
	all=$(count . <rows)
	named=$(count "^$root" <rows)
	echo "$named of $all"
	[ "$all" -ge 200 ] || fail "too few samples"
	awk -v a="$named" -v n="$all" 'BEGIN { exit !(a >= 0.99 * n - 5 * sqrt(0.99 * 0.01 * n)) }' ||
		{ grep -Ev "^[0-9]+ $root" rows | sort -rn | head -20; fail "stacks without a root"; }
	gt info trace >info
	expect_grep '^end.samples_cut +0$' info
}
check "stacks have roots: goroutines that compute" roots 999 "$programs/default/shares" 20
check "stacks have roots: system stacks, growth, preemption" roots 9999 "$programs/default/preempt" 20
check "stacks have roots: the same, stripped" roots 9999 "$programs/stripped/preempt" 20
check "stacks have roots: cgo" roots 999 "$programs/default/cgochurn"

# time.now reads the clock on the system stack: in some of its code rsp is that one's, in some the goroutine's.
asks_the_time() { # VARIANT
	local all called seconds
	for seconds in 4 16 64; do
		gt sample -F 9999 -o trace -- "$programs/$1/instep" $seconds >out
		paths trace >rows
		all=$(count 'time[.]now$' <rows)
		[ "$all" -lt 400 ] || break
	done
	[ "$all" -ge 400 ] || fail "too few samples in time.now: $all"
	called=$(count '^runtime.goexit;runtime.main;main.main;(main.(one|two);)?time.Now;(time.runtimeNow;)?time.now$' <rows)
	[ $((100 * called)) -ge $((99 * all)) ] || { grep 'time[.]now$' rows | sort -rn | head -20; fail "$called of $all have their callers"; }
}
for variant in default stripped pie; do
	check "samples in time.now have its callers, $variant" asks_the_time $variant
done

cgo() {
	local all below
	[ -e "$programs/default/cgochurn" ] || skip "needs a C compiler"
	gt sample -F 999 -o trace -- "$programs/default/cgochurn" >out
	paths trace >rows
	all=$(count '(churn|outer)[^;]*$' <rows)
	below=$(count ';main.caller;.*;(churn|outer)[^;]*$' <rows)
	echo "$below of $all"
	[ "$all" -ge 300 ] || { cat rows; fail "too few samples in C"; }
	[ $((below * 100)) -ge $((all * 98)) ] || fail "C code without its Go caller"
}
check "C code without frame pointers is below its Go caller" cgo

labels() {
	gt sample -F 999 --labels -o trace -- "$programs/$1/labelled" >out
	gt report trace --by=label --format=csv >report.csv
	expect_grep 'request=r-a.*tenant=a|tenant=a.*request=r-a' report.csv
	near "$(awk -F, '/tenant=a/ { print $(NF - 1) }' report.csv)" \
		"$(awk -F, '/tenant=b/ { print $(NF - 1) }' report.csv)" 0.75 300
	gt sample -o trace -- "$programs/$1/labelled" >out
	! gt report trace --by=label | grep -q tenant || fail "labels that nobody asked for"
}
check "labels of goroutines" labels default
check "labels of goroutines, stripped" labels stripped

long_label() {
	mkdir -p src && cat >src/main.go <<-'END'
		package main

		import (
			"context"
			"runtime/pprof"
			"strings"
		)

		//go:noinline
		func work(n int) (s uint64) {
			for i := 0; i < n; i++ {
				s = s*6364136223846793005 + 1442695040888963407
			}
			return
		}

		func main() {
			labels := pprof.Labels("request", strings.Repeat("r", 200), "tenant", "a")
			pprof.Do(context.Background(), labels, func(context.Context) { println(work(500000000)) })
		}
	END
	printf 'module example.org/labels\ngo 1.19\n' >src/go.mod
	(cd src && go build -o ../labels .)
	gt sample -F 499 --labels -o trace -- ./labels
	gt report trace --by=label --format=csv >report.csv
	expect_grep "request=r{128}\\.\\.\\.[^r]" report.csv
	gt info trace >info
	expect_grep '^end.labels_cut +[1-9]' info
}
check "a label that is too long is cut, and says so" long_label

# A stack of 1,000 frames is whole, one of 5,000 is cut off, which is said.
deep() {
	gt sample -F 999 -o trace -- "$programs/default/leafs" 1 1000 >out
	gt info trace >info
	expect_grep '^end.samples_cut +0$' info
	gt report trace --by=function --format=csv >report.csv
	expect_grep '^main.main,' report.csv
	gt sample -F 999 -o trace -- "$programs/default/leafs" 1 5000 >out
	gt info trace >info
	expect_grep '^end.samples_cut +[1-9][0-9]+' info
	gt report trace >text
	expect_grep 'the stack of [1-9][0-9]* samples is cut off' text
}
check "deep stacks" deep

# samples TRACE: how many there are.
samples() { gt report "$1" --by=function --format=csv -n 0 | awk -F, 'NR > 1 { n += $(NF - 1) } END { print n + 0 }'; }

# What runs already, and two at once.
running() {
	"$programs/default/leafs" 0 >out1 &
	a=$!
	"$programs/pie/leafs" 0 >out2 &
	b=$!
	trap 'kill $a $b' EXIT # which knows no local variables
	wait_for 60 grep -q working out1
	wait_for 60 grep -q working out2
	local seconds
	for seconds in 2 8 32; do # on a loaded machine they get little of it
		gt sample -F 999 -d $seconds -o trace --pid "$a,$b" 2>err
		kill -0 "$a" || fail "it has ended"
		paths trace >rows
		[ "$(count 'main.(one|two);main.leaf$' <rows)" -lt 500 ] || break
	done
	gt info trace >info
	expect_grep "^sample.pids +$a,$b\$" info
	expect_grep '^end.reason +duration$' info
	near "$(count 'main.two;main.leaf$' <rows)" "$(count 'main.one;main.leaf$' <rows)" 0.6667 500
}
check "two processes that run already" running

# Each thread is started by the one before it while gotrace attaches: what it misses would be missing
# from then on, and what it opens twice would have twice the samples.
starting() {
	command -v cc >/dev/null || skip "needs a C compiler"
	cc -O2 -pthread -o starting "$TOP/fixtures/native/starting.c" || skip "cc cannot build it"
	local before after
	before=$(stolen)
	./starting 200 >out &
	target=$!
	trap 'kill -KILL $target 2>/dev/null || true' EXIT
	wait_for 60 grep -q working out
	"$GOTRACE" sample -F 999 -o trace --pid "$target" 2>err &
	local job=$!
	seen() { [ "$(samples trace 2>/dev/null || echo 0)" -gt 0 ]; }
	wait_for 60 seen
	kill -USR1 "$target"
	wait "$target"
	wait "$job"
	gt report trace --by=thread --format=csv -n 0 | sed -n 's/^thread \([0-9]*\),\([0-9]*\),.*/\1 \2/p' >threads
	[ -s threads ] || fail "no thread has samples"
	gt info trace >info
	! grep -E '^end.threads_late' info || fail "it never caught up"
	after=$(stolen)
	# Stolen time is in the samples and not in the process's account.
	awk -v cpu="$(awk '$1 == "end.sampled_cpu_ns" { print $2 }' info)" -v stolen=$((after - before)) '
		NR == FNR { samples[$1] = $2; next }
		$1 == "thread" { ns[$2] = $3; n++ }
		$1 == "process" { all = $2 }
		END {
			print n " threads, " cpu " ns sampled of " all ", " stolen " stolen"
			if (n < 2 || cpu < 0.99 * n * 200e6 || cpu > 1.01 * all + stolen) bad = 1
			for (t in ns) {
				if (!samples[t]) { print "thread " t " was missed"; bad = 1 }
				# 200 and more are expected, with a standard deviation of 19 at most. Each thread has its share of what is stolen.
				if (samples[t] > 1.5 * 0.999e-6 * ns[t] * cpu / all) { print "thread " t ": " samples[t] " samples"; bad = 1 }
			}
			exit bad
		}' threads out || fail "not each thread once"
}
check "threads that start while it attaches, one from the other" starting

# Nothing happens, so nothing wakes gotrace but the change of periods (25 times a second at most, at 99 Hz) and what
# it writes each second: it does not look for processes that begin.
idle() {
	sleep 1000 &
	target=$!
	"$GOTRACE" sample -o trace --pid "$target" 2>err &
	job=$!
	trap 'kill $job $target 2>/dev/null || true' EXIT
	wait_for 60 test -s trace
	wakeups() { awk '$1 == "voluntary_ctxt_switches:" { print $2 }' "/proc/$job/status"; }
	local from from_ms n ms
	from_ms=$(($(date +%s%N) / 1000000)) from=$(wakeups)
	sleep 4
	n=$(($(wakeups) - from)) ms=$(($(date +%s%N) / 1000000 - from_ms))
	echo "$n times in $ms ms"
	[ $n -le $((ms * 50 / 1000 + 20)) ] || fail "it wakes too often"
}
check "it sleeps while nothing happens" idle

interrupted() {
	"$programs/default/leafs" 0 >out &
	target=$!
	trap 'kill $target' EXIT
	wait_for 60 grep -q working out
	"$GOTRACE" sample -F 999 -o trace --pid "$target" 2>err &
	job=$!
	seen() { [ "$(samples trace 2>/dev/null || echo 0)" -gt 20 ]; }
	wait_for 60 seen
	kill -INT "$job"
	wait "$job"
	kill -0 "$target" || fail "the program has ended"
	gt info trace >info
	expect_grep '^end.reason +interrupted$' info
	[ "$(samples trace)" -gt 20 ] || fail "no samples"
}
check "Ctrl-C ends it, and not the program" interrupted

# Killed, it leaves what it has seen up to a second ago, and the program as it was.
killed() {
	"$programs/default/leafs" 4 >out &
	local target=$! job
	"$GOTRACE" sample -F 999 -o trace --pid "$target" 2>err &
	job=$!
	seen() { [ "$(samples trace 2>/dev/null || echo 0)" -gt 50 ]; }
	wait_for 60 seen
	kill -KILL "$job"
	wait "$job" || true
	wait "$target" || fail "the program ended with status $?"
	[ "$(samples trace)" -gt 50 ] || fail "no samples"
	gt report trace >text 2>&1
	[ ! -e gotrace.out ]
}
check "killed, it leaves a file that can be read, and the program unharmed" killed

children() {
	expect_status 3 gt sample -F 999 -o trace -- sh -c "$programs/default/leafs 1; $programs/pie/leafs 1; exit 3" >out
	paths trace >rows
	[ "$(count 'main.main;main.below;main.work;main.(one|two);main.leaf$' <rows)" -gt 300 ] || fail "children were not sampled"
	gt info trace >info
	expect_grep '^end.status +3$' info
}
check "processes that a command starts are sampled; its status is passed on" children

# The first samples of each program come before gotrace has read it. Frame pointers led through them, and their roots are known since.
first_samples() {
	local early broken
	mkdir -p src && cat >src/main.go <<-'END'
		package main

		import "time"

		//go:noinline
		func deep(n int, until time.Time) (sum int) {
			if n > 0 {
				return deep(n-1, until) + 1
			}
			for time.Now().Before(until) {
				for i := 0; i < 1000; i++ {
					sum = sum*31 + i
				}
			}
			return
		}

		func main() { println(deep(20, time.Now().Add(20*time.Millisecond))) }
	END
	printf 'module example.org/first\ngo 1.19\n' >src/go.mod
	(cd src && go build -o ../first .)
	for i in $(seq 40); do cp first "first$i"; done
	gt sample -F 2999 -o trace -- sh -c 'for i in $(seq 40); do ./first$i; done' 2>err
	gt info trace >info
	early=$(awk '$1 == "end.samples_no_binary" { print $2 }' info)
	broken=$(gt report trace --by=path --process='first*' -F csv -n 0 |
		awk -F, '/main[.]deep/ && /unreadable/ { n += $(NF - 1) } END { print n + 0 }')
	echo "$broken of $early that came before"
	[ "${early:-0}" -ge 20 ] || skip "gotrace was faster than the programs"
	[ $((broken * 10)) -le "$early" ] || { paths trace | grep unreadable | sort -rn | head; fail "stacks without a root"; }
}
check "the first samples of a Go program have their roots" first_samples

kernel_frames() {
	local megabytes
	for megabytes in 500 20000; do
		gt sample -F 999 --kernel -o trace -- dd if=/dev/zero of=/dev/null bs=1M count=$megabytes 2>err
		paths trace >rows
		[ "$(count . <rows)" -lt 50 ] || break
	done
	[ "$(count '(_read|read_|clear_user|iov)' <rows)" -gt 10 ] || { sort -rn rows | head; fail "no kernel functions"; }
}
check "the kernel's frames, of a program that is not Go's" kernel_frames

events() {
	gt sample -e page-faults -o trace -- "$programs/default/preempt" >out
	[ "$(samples trace)" -gt 100 ] || fail "no page fault"
	gt sample -e page-faults -c 10 -o tenth -- "$programs/default/preempt" >out
	gt report trace >text
	expect_grep 'samples? of page-faults in .*; they stand for [0-9.]+[kMG]? page-faults, no time' text
	[ $(($(samples tenth) * 3)) -lt "$(samples trace)" ] || fail "-c 10 takes as many"
	gt sample -e context-switches -o trace -- "$programs/default/shares" 5 >out
	[ "$(samples trace)" -gt 1 ] || fail "no context switch"
	gt info trace >info
	expect_grep '^sample.event +context-switches$' info
}
check "events that are no clock" events

hardware() {
	local status=0
	gt sample -e cpu-cycles -o trace -- "$programs/default/leafs" 1 >out 2>err || status=$?
	if [ "$status" = 0 ]; then
		[ "$(samples trace)" -gt 10 ] || fail "no cycles"
		return
	fi
	[ "$status" = 125 ] || fail "status $status"
	[ "$(cat err)" = "gotrace: cpu-cycles: this machine has no hardware counter for it, or its virtual machine passes none on (perf_event_open: No such file or directory); -e cpu-clock works everywhere" ] ||
		fail "it says: $(cat err)"
	[ ! -e trace ] && [ ! -s out ] || fail "the command ran"
}
check "a hardware event is sampled, or refused with the reason" hardware

done_testing
