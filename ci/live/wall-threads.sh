#!/bin/bash
# gotrace sample --wall of threads that execute no goroutines: waits of known length in programs of C, C++ and
# Rust. A snapshot stands for the time since the one before it, so what is seen of a wait is off by the longest
# time between two snapshots at most, whatever the load; where a thread changes by itself, by chance.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

key() { gt info "$1" | awk -v k="$2" '$1 == k { print $2 }'; }

# The kernel tells of threads that wait from 5.18 on.
release=$(uname -r)
minor=${release#*.}
told=0
[ $((${release%%.*} * 1000 + ${minor%%[!0-9]*})) -lt 5018 ] || told=1
can() { [ "$told" = 1 ] || skip "Linux $release does not tell of threads that wait"; }

# build NAME COMPILER OPTION...: the program whose waits are known
build() {
	local name=$1
	shift
	can
	command -v "$1" >/dev/null || skip "needs $1"
	"$@" -g -pthread -o "$name" "$TOP/fixtures/native/waits.c" || skip "$1 cannot build it"
}

# reports TRACE: functions.csv, reasons.csv, paths.csv; gap
reports() {
	gt report "$1" --format=csv -n 0 >functions.csv
	gt report "$1" --by=reason --format=csv -n 0 >reasons.csv
	gt report "$1" --by=path --format=csv -n 0 >paths.csv
	gap=$(key "$1" end.snapshots_gap_ns)
	[ -n "$gap" ] || fail "no gap is known"
}

# of FUNCTION: its total ns running, runnable, waiting, in system calls, unknown. C++ says what it takes.
of() {
	awk -F, -v f="$1" '{ sub(/\(\)$/, "", $1) } $1 == f { print $(NF - 4), $(NF - 3), $(NF - 2), $(NF - 1), $NF; seen = 1 }
		END { if (!seen) print "0 0 0 0 0" }' functions.csv
}

# Each function of the program took as long as it says, in the system call that it says.
known_waits() {
	[ "$(grep -c '^wait' out)" = 7 ] || fail "$(wc -l <out) waits"
	while read -r _ name call ns _; do
		[ "$call" != - ] || continue
		# shellcheck disable=SC2046 # numbers
		set -- $(of "$name")
		awk -v seen=$(($1 + $2 + $3 + $4 + $5)) -v ns="$ns" -v gap="$gap" 'BEGIN {
			off = seen > ns ? seen - ns : ns - seen
			exit off > ns / 10 + gap
		}' || fail "$name: $* of $ns, gap $gap"
		awk -F, -v f="$name" -v r="$call" '{ sub(/\(\)$/, "", $1) }
			$1 == f { all += $NF; if ($2 == r) of += $NF } END { exit !(of && of > all / 2) }' reasons.csv ||
			fail "$name does not wait in $call: $(grep "^$name" reasons.csv)"
	done <out
}

# Stacks are whole: of the process's first thread down to _start, of others down to what they were started for.
# Until the first snapshot after it has begun, what a process has mapped may not be known.
rooted() {
	awk -F, -v gap="$gap" '
		!/(^|;)(holds|sleeps_one|sleeps_two|locks|reads|polls)(\(\))?[;,]/ { next }
		{ n++ }
		/(^|;)holds/ ? !/^_start;/ : !/;measures(\(void\*\))?;[a-z_]+/ {
			print
			for (i = 0; i < 5; i++)
				ns += $(NF - 5 - i)
		}
		END { exit ns > 6 * gap || n < 6 }' paths.csv || fail "stacks without a root"
}

# What computes is never seen waiting, but for a processor. Where it had one nearly all the time by its own clock,
# it waited for it as long as it had none, within five standard deviations for so many snapshots. Where others
# compete, nothing is known of that: gotrace gets to look when they do. The clock of samples goes on while the
# machine's host takes a processor away, the thread's own does not.
computing() {
	grep '^wait computes' out | awk -v snapshots="$(key trace end.threads_snapshots)" -v all_ns="$(key trace end.snapshots_ns)" \
		-v gap="$gap" -v seen="$(of computes)" '
		{ n++; ns += $4; cpu += $5 }
		END {
			split(seen, s, " ")
			p = (ns - cpu) / ns
			looks = snapshots * (ns / n) / all_ns # at each; threads are looked at together
			p = p < 1 / looks ? 1 / looks : p
			most = ns - cpu + 5 * ns * sqrt(p * (1 - p) / looks)
			most = (cpu > ns * 0.9 ? most : ns) + ns / 10 + n * gap
			print n, "threads computed for", cpu, "of", ns ": seen", seen, ", ready for at most", most
			if (s[3] + s[4] + s[5] > n * gap) exit 1 # to begin with, and as it ends
			exit s[2] > most || s[1] < cpu * 0.9 - gap || s[1] > ns * 1.1 + gap
		}' || fail "not what it did"
}

whole() { # COMPILER OPTION...
	build waits "$@"
	gt sample --wall -F 999 -o trace -- ./waits >out
	reports trace
	known_waits
	rooted
	computing
}
check "waits of known length, C without frame pointers" whole gcc -O2 -fomit-frame-pointer
check "waits of known length, C with frame pointers" whole gcc -O1 -fno-omit-frame-pointer
check "waits of known length, C, static" whole gcc -O2 -fomit-frame-pointer -static
check "waits of known length, C++" whole g++ -x c++ -O2 -fomit-frame-pointer

# gotrace itself takes a processor to look: whom it takes it from does not wait.
crowd() {
	build waits gcc -O2
	gt sample --wall -F 999 -o trace -- ./waits 0 $(($(nproc) - 1)) >out
	reports trace
	computing
}
check "as many threads compute as there are processors" crowd

# Threads that wake each other all the time are runnable for no longer than the kernel says, whatever gotrace meets when
# it looks, nor for a small part of that, and together do not live longer than they did. A clock tick is for what two
# processors' clocks differ.
account() { # PAIRS
	can
	command -v gcc >/dev/null || skip "needs gcc"
	gcc -O1 -pthread -o pingpong "$TOP/fixtures/native/pingpong.c" || skip "gcc cannot build it"
	local seconds
	for seconds in 3 10 30; do # a busy machine may leave gotrace no processor to look
		gt sample --wall -F 999 -o trace -- ./pingpong $seconds "$1" >out
		[ "$(gt info trace | awk '$1 == "end.snapshots" { print $2 }')" -lt 50 ] || break
	done
	reports trace
	[ -s out ] || fail "it printed nothing"
	awk -v gap="$gap" -v n=$((2 * $1)) -v seen="$(of plays)" '{
		split(seen, s, " ")
		print $0 ": seen", seen, "gap", gap
		all = s[1] + s[2] + s[3] + s[4] + s[5]
		exit s[2] > $4 * 1.02 + n * 10e6 || s[2] < $4 / 3 - n * gap || all > $6 * 1.1 + n * gap || all < $6 / 2 || !s[4]
	}' out || fail "not by the kernel's account"
}
check "threads that wake each other, one pair" account 1
check "threads that wake each other, more than processors" account 3

# More threads than are looked at: they add up to as many as there are.
drawn() {
	build waits gcc -O2
	gt sample --wall -o trace -- ./waits 1500 >out
	reports trace
	gt report trace >text
	expect_grep 'threads each on average looked at [0-9.]+% of them' text
	listed=$(key trace end.threads_listed) seen=$(key trace end.threads_drawn) n=$(key trace end.threads_snapshots)
	[ "$seen" -lt "$listed" ] && [ "$seen" -le $((256 * n)) ] || fail "$seen drawn of $listed"
	# shellcheck disable=SC2046 # numbers
	set -- $(of parks)
	awk -v seen=$(($1 + $2 + $3 + $4 + $5)) -v ns="$(awk '$2 == "parks" { print $4 }' out)" -v gap="$gap" 'BEGIN {
		off = seen > ns ? seen - ns : ns - seen
		exit !ns || off > ns / 10 + 1500 * gap }' || fail "parks: $* of $(grep parks out), gap $gap"
}
check "threads that are drawn stand for all" drawn

rust() {
	can
	command -v rustc >/dev/null || skip "needs rustc"
	cat >waits.rs <<-'END_RUST'
		use std::io::Write;
		use std::sync::{Arc, Mutex};
		use std::time::{Duration, Instant};
		#[inline(never)]
		fn sleeps() { std::thread::sleep(Duration::from_millis(1000)); std::hint::black_box(1); }
		#[inline(never)]
		fn locks(m: &Mutex<u32>) -> u32 { *m.lock().unwrap() + 1 }
		fn measure(name: &str, call: &str, wait: impl FnOnce()) {
		    let start = Instant::now();
		    wait();
		    let line = format!("wait {} {} {}\n", name, call, start.elapsed().as_nanos());
		    std::io::stdout().write_all(line.as_bytes()).unwrap();
		}
		fn main() {
		    let m = Arc::new(Mutex::new(1));
		    let held = m.lock().unwrap();
		    let other = m.clone();
		    let a = std::thread::spawn(move || measure("sleeps", "clock_nanosleep", sleeps));
		    let b = std::thread::spawn(move || measure("locks", "futex", || { std::hint::black_box(locks(&other)); }));
		    std::thread::sleep(Duration::from_millis(1500));
		    drop(held);
		    a.join().unwrap();
		    b.join().unwrap();
		}
	END_RUST
	rustc -O -g -o waits waits.rs 2>err || skip "rustc cannot build it"
	gt sample --wall -o trace -- ./waits >out
	reports trace
	while read -r _ name call ns; do
		awk -F, -v f="waits.*$name" -v r="$call" -v ns="$ns" -v gap="$gap" '$1 ~ f && $2 == r { seen = $NF }
			END { off = seen > ns ? seen - ns : ns - seen; exit !seen || off > ns / 10 + gap }' reasons.csv ||
			fail "$name: $ns, gap $gap: $(grep "$name" reasons.csv)"
	done <out
	[ "$(grep -c '^wait' out)" = 2 ] || fail "$(cat out)"
	# Inlined functions have commas in their names, so the path is in quotes.
	grep -Eq '^"?_start;.*;[^;]*waits[^;]*main[^;]*;' paths.csv || fail "main is not below _start"
}
check "waits of known length, Rust" rust

# Processes that are started, none of them Go's: each sleeps for so long.
others() {
	can
	gt sample --wall -o trace -- sh -c 'sleep 1 & sleep 2; wait'
	reports trace
	gt report trace >text
	expect_grep '^threads were seen for ' text
	! grep 'goroutines were' text || fail "there are none"
	awk -F, -v gap="$gap" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["total_wait_ns"] > most[$2] { most[$2] = $at["total_wait_ns"] }
		END {
			for (name in most) if (name ~ /nanosleep/) ns += most[name]
			off = ns > 3e9 ? ns - 3e9 : 3e9 - ns
			print ns " ns asleep"
			exit off > 3e8 + 3 * gap
		}' reasons.csv || fail "$(cat reasons.csv)"
}
check "processes that are started" others

stopped() {
	can
	sleep 1000 &
	target=$!
	# shellcheck disable=SC2064 # now
	trap "kill -KILL $target 2>/dev/null || true" EXIT
	kill -STOP $target
	is_stopped() { awk '$1 == "State:" { exit $2 != "T" }' /proc/$target/status; }
	wait_for 60 is_stopped
	gt sample --wall -d 1 -o trace --pid $target
	reports trace
	awk -F, 'NR > 1 { n++; if ($2 != "stopped") bad = 1 } END { exit bad || !n }' reasons.csv || fail "$(cat reasons.csv)"
}
check "a process that is stopped" stopped

# A thread of C's in a Go program: no goroutine tells of it, but while it executes Go. Those of Go are not told
# of twice; one that Go has just started is C's for a moment.
cgo() {
	can
	[ -e "$LIVE/programs/default/cwaits" ] || skip "needs a C compiler"
	# Before it has started, there is nothing of which a snapshot would be missing.
	for _ in 1 2 3 4 5; do
		gt sample --wall -o trace -- "$LIVE/programs/default/cwaits" >out
		reports trace
		[ "$gap" -ge 1400000000 ] || break
	done
	[ "$gap" -lt 1400000000 ] || fail "gap $gap"
	gt report trace --by=goroutine --format=csv -n 0 >goroutines.csv
	awk -v gap="$gap" -v c="$(of c_waits)" -v go="$(of main.goWaits)" -v called="$(of main.goCalled)" '
		{ ns[$2] = $4 }
		function far(seen, is) { return (seen > is ? seen - is : is - seen) > is / 10 + gap }
		END {
			split(c, of_c, " ")
			split(go, of_go, " ")
			split(called, of_called, " ")
			exit far(of_c[4], ns["c_waits"]) || far(of_go[3], ns["main.goWaits"]) ||
				far(of_called[4], ns["main.goCalled"])
		}' out || fail "$(cat out): $(of c_waits), $(of main.goWaits), $(of main.goCalled)"
	# Those of the runtime are there only with what they executed.
	awk -F, -v gap="$gap" -v ns="$(awk '$2 == "c_waits" { print $4 }' out)" '
		/^"thread [0-9]*, no goroutine"/ && $(NF - 2) + $(NF - 1) > 2 * gap { n++; seen = $(NF - 2) + $(NF - 1) }
		END { off = seen > ns ? seen - ns : ns - seen; exit n != 1 || off > ns / 10 + 2 * gap }' goroutines.csv ||
		fail "$(cat out goroutines.csv), gap $gap"
}
check "a thread of C in a Go program" cgo

# The thread is the same one, and was Go's.
executes() {
	can
	gt sample --wall -o trace -- "$LIVE/programs/default/executes" sleep 2
	reports trace
	awk -F, -v gap="$gap" '$2 ~ /nanosleep/ && $NF > ns { ns = $NF }
		END { off = ns > 2e9 ? ns - 2e9 : 2e9 - ns; exit off > 2e8 + gap }' reasons.csv || fail "gap $gap: $(cat reasons.csv)"
}
check "a Go program that executes another" executes

# Where the kernel does not tell, one line says so, and so do reports; the rest is there.
not_told() {
	[ "$told" = 0 ] || skip "Linux $release tells of threads that wait"
	gt sample --wall -F 999 -o trace -- sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done' 2>err
	[ "$(grep -c 'Linux 5.18' err)" = 1 ] || fail "$(cat err)"
	gt report trace >text
	expect_grep 'only execution is known' text
	[ "$(key trace end.samples)" -gt 0 ] || fail "no samples"
}
check "a kernel that does not tell" not_told

done_testing
