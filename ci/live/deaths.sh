#!/bin/bash
# --record-signals: where the threads of a process were when it died.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# What runs is told of with its thread: main is to run whenever it is killed, not to be preempted just then.
export GODEBUG=asyncpreemptoff=1

# A program that dies as it is told.
build() { # OPTIONS...
	mkdir -p src && cat >src/main.go <<-'END'
		package main

		import (
			"os"
			"syscall"
			"time"
		)

		var nothing *int

		//go:noinline
		func strike(how string) int {
			switch how {
			case "nil":
				return *nothing
			case "panic":
				panic("struck")
			case "later":
				func() {
					defer func() { recover() }()
					_ = strike("nil")
				}()
				panic("after a nil that was recovered from")
			case "abort":
				syscall.Kill(syscall.Getpid(), syscall.SIGABRT)
				time.Sleep(time.Hour)
			case "wait":
				os.Stdout.WriteString("waiting\n")
				for tick(1e7) >= 0 {
				}
			}
			return 0
		}

		//go:noinline
		func tick(n int) int {
			for i := 0; i < n; i++ {
				if i < 0 {
					return i
				}
			}
			return n
		}

		//go:noinline
		func below(how string) int { return strike(how) + 1 }

		func main() { os.Exit(below(os.Args[1])) }
	END
	printf 'module example.org/strike\ngo 1.19\n' >src/go.mod
	(cd src && go build "$@" -o ../strike .)
}
plain() { CGO_ENABLED=0 build "$@"; }

# The status is the program's own, with and without, and the sums are those of its end record.
dies() { # VERB STATUS TEXT ARG
	expect_status "$2" ./strike "$4" 2>/dev/null
	expect_status "$2" gt "$1" --record-signals -o trace -- ./strike "$4" 2>err
	gt info trace >info
	expect_grep "^death +strike [0-9]+ $3 \(thread [0-9]+, goroutine 1\)\$" info
	gt info -F json trace >json
	[ "$(grep -c '"kind"' json)" = "$(awk '$1 == "end.deaths" { print $2 }' info)" ] || fail "not as many as end.deaths"
	! grep -q '^end.deaths_lost' info || fail "some had no room"
	gt report trace >text
	expect_grep "^strike [0-9]+ $3" text
}
in_go='(main.tick < )?main.strike < main.below < main.main < runtime.main < runtime.goexit'

panics() { # VERB OPTIONS...
	local verb=$1
	plain "${@:2}"
	dies "$verb" 2 "died of a Go panic in $in_go" panic
	dies "$verb" 2 "died of SIGSEGV \(a Go panic\) in $in_go" nil
	dies "$verb" 2 "died of a Go panic in $in_go" later
	dies "$verb" 2 "died of SIGABRT \(ended by Go's runtime\) in .*syscall.Kill < $in_go" abort
}
check "panics, a nil dereference, abort: sample" panics sample
check "panics, a nil dereference, abort: sample, stripped PIE" panics sample -buildmode=pie -ldflags=-s
check "panics, a nil dereference, abort: record" panics record
check "panics, a nil dereference, abort: record, stripped" panics record -ldflags=-s

# With GOTRACEBACK=crash the runtime's end is a signal.
crash() { # VERB
	plain
	expect_status 134 env GOTRACEBACK=crash timeout 60 "$GOTRACE" "$1" --record-signals -o trace -- ./strike panic 2>err
	gt info trace >info
	expect_grep "^death +strike [0-9]+ died of a Go panic in $in_go " info
	expect_grep '^end.signal +6$' info
}
check "a panic that ends in SIGABRT: sample" crash sample
check "a panic that ends in SIGABRT: record" crash record

# Others kill it: it has all its threads' stacks, that of the one which runs main among them.
killed() { # VERB SIGNAL NUMBER
	plain
	(
		ulimit -c 0
		exec "$GOTRACE" "$1" --record-signals -o trace -- ./strike wait >out
	) &
	local job=$! status=0
	wait_for 60 grep -q waiting out
	kill -"$2" "$(pgrep -P "$job" -x strike)"
	wait "$job" || status=$?
	[ "$status" = $((128 + $3)) ] || fail "status $status"
	gt info trace >info
	expect_grep "^end.signal +$3\$" info
	expect_grep "^death +strike [0-9]+ died of SIG$2" info
	expect_grep "goroutine 1.*$in_go|$in_go.*goroutine 1" info
}
check "killed by others: sample" killed sample KILL 9
check "killed by others: record" killed record KILL 9
check "ended by others: sample" killed sample TERM 15
check "ended by others: record" killed record TERM 15

# Goroutines that wait have no thread; the program waits until Go itself says that they do.
parked() { # VERB OPTIONS...
	mkdir -p src && cat >src/main.go <<-'END'
		package main

		import (
			"os"
			"runtime"
			"strings"
			"sync"
			"time"
		)

		var mu sync.Mutex

		//go:noinline
		func worker(c chan int) { <-c }

		//go:noinline
		func locker() { mu.Lock() }

		//go:noinline
		func sleeper() { time.Sleep(time.Hour) }

		//go:noinline
		func strike(p *int) int { return *p }

		func main() {
			c := make(chan int)
			mu.Lock()
			for i := 0; i < 100; i++ {
				go worker(c)
			}
			go locker()
			go sleeper()
			all := make([]byte, 1<<20)
			for {
				s := string(all[:runtime.Stack(all, true)])
				if strings.Count(s, "[chan receive") == 100 && strings.Count(s, "[sleep") == 1 &&
					strings.Count(s, "[sync.Mutex.Lock")+strings.Count(s, "[semacquire") == 1 {
					break
				}
				time.Sleep(time.Millisecond)
			}
			os.Exit(strike(nil))
		}
	END
	printf 'module example.org/parked\ngo 1.19\n' >src/go.mod
	(cd src && CGO_ENABLED=0 go build "${@:2}" -o ../parked .)
	expect_status 2 gt "$1" --record-signals -o trace -- ./parked 2>err
	gt info trace >info
	expect_grep '^death +parked [0-9]+ died of SIGSEGV \(a Go panic\) in main.strike < main.main < ' info
	expect_grep '^death +100 goroutines were then in runtime.gopark < runtime.chanrecv.* < main.worker < runtime.goexit$' info
	expect_grep '^death +goroutine [0-9]+ was then in runtime.gopark < .* < main.locker < runtime.goexit$' info
	expect_grep '^death +goroutine [0-9]+ was then in runtime.gopark < time.Sleep < main.sleeper < runtime.goexit$' info
	gt info -F json trace >json
	[ "$(grep -c '"kind"' json)" = "$(awk '$1 == "end.deaths" { print $2 }' info)" ] || fail "not as many as end.deaths"
}
check "goroutines that wait: sample" parked sample
check "goroutines that wait: record, stripped PIE" parked record -buildmode=pie -ldflags=-s

# A running process, several processes, and an end that is none of that.
running() {
	plain
	./strike wait >out &
	local target=$!
	wait_for 60 grep -q waiting out
	"$GOTRACE" record --max-cost=off --record-signals -o trace --pid "$target" 2>err &
	local job=$!
	recording() { [ "$(gt info trace 2>/dev/null | awk '$1 == "events" { print $2 }')" -gt 0 ]; }
	wait_for 60 recording
	kill -KILL "$target"
	wait "$job" || fail "status $?"
	gt info trace >info
	expect_grep "^death +strike $target died of SIGKILL" info
	expect_grep "$in_go" info
}
check "a process that runs already" running

# Threads that each start the next one while gotrace attaches: what a thread maps that it does not
# follow would have no names. Each of those that are there at the end maps a library of its own.
build_starting() {
	command -v cc >/dev/null || skip "needs a C compiler"
	mkdir -p src libs
	cat >lib.c <<-'END'
		#include <sys/syscall.h>
		/* In itself: below libc nothing is known without frame pointers. */
		long FUNCTION(void)
		{
			long n = SYS_pause;
			__asm__ volatile("syscall" : "+a"(n) : : "rcx", "r11", "memory");
			return n;
		}
	END
	cat >src/chain.c <<-'END'
		#include <dlfcn.h>
		#include <pthread.h>
		#include <stdatomic.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <unistd.h>

		enum { THREADS = 64, LIBRARIES = 100 };
		static atomic_uint newest, alive, enough, taken;

		static void *one(void *arg)
		{
			unsigned number = ++newest;
			pthread_t id;

			usleep(200);
			if (!enough) {
				alive++;
				if (pthread_create(&id, NULL, one, NULL) || pthread_detach(id))
					abort();
			}
			while (!enough && newest - number < THREADS)
				usleep(5000);
			unsigned mine = enough ? taken++ : LIBRARIES;
			if (mine < LIBRARIES) {
				char name[40];
				snprintf(name, sizeof(name), "libs/lib%u.so", mine);
				void *lib = dlopen(name, RTLD_NOW);
				snprintf(name, sizeof(name), "library_%u", mine);
				long (*f)(void) = lib ? (long (*)(void))dlsym(lib, name) : NULL;
				if (!f)
					abort();
				printf("library_%u\n", mine);
				fflush(stdout);
				f();
			}
			alive--;
			return arg;
		}

		void start(void) { alive++; one(NULL); }
		void stop(void) { enough = 1; }
	END
	cat >src/main.go <<-'END'
		package main

		// #cgo LDFLAGS: -ldl
		// void start(void);
		// void stop(void);
		import "C"
		import (
			"os"
			"time"
		)

		//go:noinline
		func tick() { time.Sleep(time.Millisecond) }

		func main() {
			go C.start()
			go func() {
				for {
					tick()
				}
			}()
			println("working")
			os.Stdin.Read(make([]byte, 1))
			C.stop()
			select {}
		}
	END
	[ -e src/go.mod ] || (cd src && go mod init starting) 2>/dev/null
	(cd src && CGO_ENABLED=1 go build -o ../starting .) >build.log 2>&1 || { cat build.log; fail "it is not built"; }
	for i in $(seq 0 99); do
		cc -O1 -shared -fPIC "-DFUNCTION=library_$i" -o "libs/lib$i.so" lib.c
	done
}
starting() {
	build_starting
	mkfifo input
	./starting <input >out 2>err &
	target=$!
	trap 'kill -KILL $target 2>/dev/null || true' EXIT
	exec 3>input
	wait_for 60 grep -q working err
	"$GOTRACE" record --max-cost=off --record-signals -o trace --pid "$target" 2>said &
	local job=$!
	recording() { [ "$(gt info trace 2>/dev/null | awk '$1 == "events" { print $2 }')" -gt 0 ]; }
	wait_for 60 recording
	echo >&3
	settled() { [ -s out ] && [ "$(wc -l <out)" = "$(cat count)" ] || { wc -l <out >count; false; }; }
	echo 0 >count
	wait_for 60 settled
	kill -KILL "$target"
	wait "$job"
	gt info -F json trace >info
	[ "$(wc -l <out)" -ge 2 ] || fail "no thread has mapped anything"
	while read -r name; do
		grep -q "\"$name\"" info || fail "$name is in no stack"
	done <out
}
check "threads that start while it attaches, each with a library of its own" starting

# Two at once.
several() {
	plain
	./strike wait >out1 &
	local a=$!
	./strike wait >out2 &
	local b=$!
	wait_for 60 grep -q waiting out1
	wait_for 60 grep -q waiting out2
	"$GOTRACE" sample -F 999 --record-signals -o trace --pid "$a,$b" 2>err &
	local job=$!
	sampling() { [ "$(gt info trace 2>/dev/null | awk '$1 == "samples" { print $2 }')" -gt 0 ]; }
	wait_for 60 sampling
	kill -KILL "$a"
	kill -SEGV "$b"
	wait "$job" || fail "status $?"
	gt info trace >info
	expect_grep "^death +strike $a died of SIGKILL" info
	expect_grep "^death +strike $b died of SIGSEGV \(ended by Go's runtime\) in " info
}
check "of several processes, those that died" several

survives() { # VERB
	plain
	expect_status 1 gt "$1" --record-signals -o trace -- ./strike none
	gt info trace >info
	expect_grep '^end.deaths +0$' info
	! grep -q '^death' info || fail "nobody died"
	expect_status 1 gt "$1" -o trace -- ./strike none
	! gt info trace | grep -q '^end.deaths' || fail "nobody asked"
}
check "an ordinary end is no death: sample" survives sample
check "an ordinary end is no death: record" survives record

refused() {
	plain
	expect_status 2 gt record --record-signals --trial 1 -- ./strike none 2>err
	expect_status 2 gt record --record-signals --keep-last 1s -- ./strike none 2>err
	expect_grep 'does not go with' err
}
check "what it does not go with is refused" refused

done_testing
