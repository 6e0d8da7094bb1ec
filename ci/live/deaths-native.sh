#!/bin/bash
# --record-signals: stacks of processes that die in C, or in Go that C has called.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# A Go program that dies in C, which keeps no frame pointers; rbp is used for something else, or left as the caller had it.
build_cgo() { # CC-OPTION...
	command -v gcc >/dev/null || skip "needs a C compiler"
	mkdir -p src && cat >src/main.go <<-'END'
		package main

		// #cgo LDFLAGS: -ldl
		// int outer_c(const char *how);
		import "C"
		import "os"

		//go:noinline
		func below(how string) int { return int(C.outer_c(C.CString(how))) + 1 }

		func main() { os.Exit(below(os.Args[1])) }
	END
	cat >src/below.c <<-'END'
		#include <dlfcn.h>
		#include <stdlib.h>
		static int *nothing;
		__attribute__((noinline)) int crash_in_c(volatile int *p) { return *p + 1; }
		__attribute__((noinline)) int own_rbp(volatile int *p)
		{
			register long own __asm__("rbp") = 12345;
			__asm__ volatile("" : "+r"(own));
			int got = crash_in_c(p);
			__asm__ volatile("" : "+r"(own));
			return got + own;
		}
		__attribute__((noinline)) int loaded(void)
		{
			void *lib = dlopen("./late.so", RTLD_NOW);
			int (*f)(int *) = lib ? (int (*)(int *))dlsym(lib, "late") : NULL;
			return f ? f(nothing) + 1 : 0;
		}
		__attribute__((noinline)) int aborts(void) { abort(); }
		__attribute__((noinline)) int middle_c(const char *how)
		{
			if (*how == 'a')
				return aborts() + 1;
			if (*how == 'l')
				return loaded() + 1;
			return (*how == 'r' ? own_rbp(nothing) : crash_in_c(nothing)) + 1;
		}
		int outer_c(const char *how) { return middle_c(how) + 1; }
	END
	cat >late.c <<-'END'
		__attribute__((noinline)) int late_crash(volatile int *p) { return *p + 1; }
		int late(int *p) { return late_crash(p) + 1; }
	END
	gcc -O2 -fomit-frame-pointer -shared -fPIC -o late.so late.c
	printf 'module example.org/cgodies\ngo 1.19\n' >src/go.mod
	(cd src && CGO_ENABLED=1 CGO_CFLAGS="-O2 -fomit-frame-pointer -fno-optimize-sibling-calls $*" go build -o ../cgodies .)
}
dies_in() { # VERB SIGNAL STACK ARG
	expect_status 2 ./cgodies "$4" 2>/dev/null
	expect_status 2 gt "$1" --record-signals -o trace -- ./cgodies "$4" 2>err
	gt info trace >info
	expect_grep "^death +cgodies [0-9]+ died of $2 \(ended by Go's runtime\) in $3 \(thread [0-9]+, goroutine 1\)\$" info
}
to_go='_cgo_[0-9a-f]+_Cfunc_outer_c < runtime.asmcgocall < runtime.cgocall < main._Cfunc_outer_c < main.below < main.main < runtime.main < runtime.goexit'
no_tables_to_go='(runtime.asmcgocall < )?runtime.cgocall < main._Cfunc_outer_c < main.below < main.main < runtime.main < runtime.goexit'
in_cgo() { # VERB
	build_cgo
	dies_in "$1" SIGSEGV "crash_in_c < middle_c < outer_c < $to_go" segv
	dies_in "$1" SIGSEGV "crash_in_c < own_rbp < middle_c < outer_c < $to_go" rbp
	dies_in "$1" SIGABRT "([^<]*libc[^<]* < )?(raise|[^<]*pthread_kill[^<]*) < (raise < )?abort < aborts < middle_c < outer_c < $to_go" abort
}
check "a fault and abort in C called from Go: sample" in_cgo sample
check "a fault and abort in C called from Go: record" in_cgo record

# No edge is shown that is not there. A library that is loaded later and crashes at once may be walked before its tables
# are known; record reads them at the end only.
edges() { # VERB
	build_cgo
	local known="late_crash < late < loaded < middle_c < outer_c < $to_go" gap="late_crash < \[missing\] < (.* < )?$no_tables_to_go"
	[ "$1" = record ] || gap="($known|$gap)"
	dies_in "$1" SIGSEGV "$gap" late
	build_cgo -fno-asynchronous-unwind-tables -fno-unwind-tables
	dies_in "$1" SIGSEGV "crash_in_c < \[missing\] < $no_tables_to_go" segv
	dies_in "$1" SIGSEGV "crash_in_c < \[missing\] < $no_tables_to_go" rbp
}
check "where frames of C cannot be known, a gap: sample" edges sample
check "where frames of C cannot be known, a gap: record" edges record

# Go that C has called, which Go has called: C's frames are on another stack, which a panic writes over as it ends. Twice within
# each other, and one that is recovered from before.
build_callback() {
	command -v gcc >/dev/null || skip "needs a C compiler"
	mkdir -p src && cat >src/main.go <<-'END'
		package main

		// #cgo CFLAGS: -O2 -fomit-frame-pointer
		// int outer_c(int depth);
		import "C"
		import "os"

		var nothing *int

		//go:noinline
		func strike(how string) int {
			if how == "panic" {
				panic("struck")
			}
			return *nothing
		}

		//export goback
		func goback(depth C.int) C.int {
			switch {
			case depth > 0:
				return calls(depth-1) + 1
			case os.Args[1] == "later":
				func() {
					defer func() { recover() }()
					_ = strike("panic")
				}()
			}
			return C.int(strike(os.Args[1]))
		}

		//go:noinline
		func calls(depth C.int) C.int { return C.outer_c(depth) + 1 }

		func main() { os.Exit(int(calls(1))) }
	END
	cat >src/back.c <<-'END'
		int goback(int depth);
		__attribute__((noinline)) int inner_c(int depth) { return goback(depth) + 1; }
		__attribute__((noinline)) int middle_c(int depth) { return inner_c(depth) + 1; }
		int outer_c(int depth) { return middle_c(depth) + 1; }
	END
	printf 'module example.org/callback\ngo 1.19\n' >src/go.mod
	(cd src && CGO_ENABLED=1 go build "$@" -o ../callback .)
}
# Of the first death, all frames.
first_stack() {
	awk -F '"' '/"stack": \[/ { on = 1; next } on && /\]/ { exit }
		on { printf "%s%s", sep, $2; sep = " < " } END { print "" }'
}
in_callback() { # VERB OPTIONS...
	build_callback "${@:2}"
	local how text to_go='main.goback < _cgoexp_[0-9a-f]+_goback < runtime.cgocallbackg1 < runtime.cgocallbackg < runtime.cgocallback < crosscall2'
	local in_c='goback < inner_c < middle_c < outer_c < _cgo_[0-9a-f]+_Cfunc_outer_c < runtime.asmcgocall < runtime.cgocall < main._Cfunc_outer_c < main.calls'
	for how in nil panic later; do
		text='a Go panic'
		[ "$how" = panic ] || text='SIGSEGV \(a Go panic\)'
		expect_status 2 gt "$1" --record-signals -o trace -- ./callback "$how" 2>err
		gt info trace >info
		expect_grep "^death +callback [0-9]+ died of $text in main.strike < $to_go < $in_c < $to_go < " info
		gt info -F json trace | first_stack >stack
		expect_grep "^runtime.startpanic_m < .*runtime.gopanic < .*main.strike < $to_go < $in_c < $to_go < $in_c < main.main < runtime.main < runtime.goexit\$" stack
	done
}
check "Go called by C called by Go: sample" in_callback sample
check "Go called by C called by Go: record" in_callback record

# C alone, at once: the signal is taken by itself, another thread waits.
in_c() { # CC-OPTION...
	command -v gcc >/dev/null || skip "needs a C compiler"
	cat >c.c <<-'END'
		#include <pthread.h>
		#include <signal.h>
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>
		static int ready[2];
		__attribute__((noinline)) int deref(volatile int *p) { return *p + 1; }
		__attribute__((noinline)) int outer(volatile int *p) { return deref(p) + 1; }
		static void *waits(void *a) { (void)!write(ready[1], "x", 1); pause(); return a; }
		static void another(void)
		{
			pthread_t t;
			char c;
			(void)!pipe(ready);
			pthread_create(&t, 0, waits, 0);
			(void)!read(ready[0], &c, 1);
		}
		int main(int argc, char **argv)
		{
			if (argc == 3)
				another();
			if (!strcmp(argv[1], "abort"))
				abort();
			if (!strcmp(argv[1], "raise"))
				raise(SIGTERM);
			if (!strcmp(argv[1], "kill"))
				kill(getpid(), SIGKILL);
			return outer(0) + 1;
		}
	END
	gcc "$@" -fno-optimize-sibling-calls -o prog c.c -lpthread
	local from='main(\.cold)? < ([^<]*libc[^<]* < )?(__libc_start_main[^<]*|[^<]*libc[^<]*) < _start' how status
	expect_status 139 gt sample --record-signals -o trace -- ./prog segv thread 2>err
	gt info trace >info
	expect_grep "^death +prog [0-9]+ died of SIGSEGV in deref < outer < $from \\(" info
	expect_grep '^end.deaths +2$' info
	expect_grep '^end.signal +11$' info
	for _ in 1 2 3; do
		while read -r how status text; do
			expect_status "$status" gt sample --record-signals -o trace -- ./prog "$how" 2>err
			gt info trace >info
			expect_grep "^death +prog [0-9]+ died of $text < $from \\(" info
			expect_grep "^end.signal +$((status - 128))\$" info
		done <<-'END'
			segv 139 SIGSEGV in deref < outer
			abort 134 SIGABRT in [^<]+( < [^<]*raise[^<]*)? < (__GI_)?abort
			raise 143 SIGTERM in [^<]+( < [^<]*pthread_kill[^<]*)?( < (__GI_)?raise)?
			kill 137 SIGKILL in [^<]*kill
		END
	done
}
check "C: a fault, abort, raise and kill as it begins" in_c -O0 -g -fno-omit-frame-pointer
check "C: the same without frame pointers" in_c -O2 -fomit-frame-pointer
check "C: the same, static" in_c -O2 -fomit-frame-pointer -static

# A library's constructor: slow, or dead at once. PROGRAM and its library.
with_library() { # BODY-OF-THE-CONSTRUCTOR
	command -v gcc >/dev/null || skip "needs a C compiler"
	cat >lib.c <<-END
		#include <unistd.h>
		__attribute__((noinline)) int deref(volatile int *p) { return *p + 1; }
		__attribute__((constructor, noinline)) void starts(void) { $1; }
	END
	cat >uses.c <<-'END'
		#include <stdio.h>
		#include <unistd.h>
		int main(void) { usleep(300000); return puts("to its end") < 0; }
	END
	gcc -O2 -fomit-frame-pointer -shared -fPIC -o libstarts.so lib.c &&
		gcc -O2 -o uses uses.c -L. -Wl,--no-as-needed -lstarts -Wl,-rpath,"$PWD"
}
killed_while_libraries_start() {
	local job
	with_library 'usleep(900000)'
	"$GOTRACE" sample --record-signals -o trace -- ./uses >out 2>err &
	job=$!
	wait_for 60 here uses >/dev/null
	sleep 0.4
	kill -KILL $job
	wait $job || true
	wait_for 60 grep -q 'to its end' out || fail "the program did not come to its end"
}
check "SIGKILL to gotrace while libraries of the command start" killed_while_libraries_start
slow_library() {
	with_library 'usleep(2500000)' # longer than gotrace looks
	expect_status 0 gt sample --record-signals -o trace -- ./uses >out 2>err
	expect_grep 'to its end' out
}
check "a library that starts slowly" slow_library
dies_in_a_library() {
	with_library 'deref(0)'
	sed -i 's/{ deref(0); }/{ if (deref(0)) _exit(3); _exit(4); }/' lib.c
	gcc -O2 -fomit-frame-pointer -shared -fPIC -o libstarts.so lib.c
	expect_status 139 gt sample --record-signals -o trace -- ./uses 2>err
	gt info trace >info
	expect_grep '^death +uses [0-9]+ died of SIGSEGV in deref < starts < [^<]*(call_init|ld-linux)' info
	! grep 'deref < starts.*missing' info || fail "callers in the linker are missing"
}
check "a library that dies as it starts" dies_in_a_library

done_testing
