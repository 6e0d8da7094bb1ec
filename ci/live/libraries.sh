#!/bin/bash
# Go code that a program loads: libraries of C programs, from the start and when they run already, and plugins.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
alive=$LIVE/programs/default/alive

library_file() {
	cat >lib.go <<-'END'
		package main

		import "C"

		//export Work
		func Work(n C.int) C.int {
			s := 0
			for i := 0; i < int(n); i++ {
				s += step(i)
			}
			return C.int(s)
		}

		//go:noinline
		func step(i int) int { return i & 3 }

		func main() {}
	END
	go build -buildmode=c-shared -o lib.so lib.go
}
library() {
	library_file
	cat >host.c <<-'END'
		#include <dlfcn.h>
		#include <stdio.h>
		int main(void)
		{
			int (*work)(int) = (int (*)(int))dlsym(dlopen("./lib.so", RTLD_NOW), "Work");
			printf("%d\n", work(1000));
			return 0;
		}
	END
	cc -o host host.c -ldl
	expect_status 125 gt record -o trace -- ./host 2>err
	expect_grep "or a Go library that it loads: gotrace record --exe BINARY -- ./host" err
	gt record -o trace --exe ./lib.so -- ./host >out
	[ "$(cat out)" = 1500 ] || fail "the program printed '$(cat out)'"
	[ "$(csv_calls trace main.Work) $(csv_calls trace main.step)" = "1 1000" ] || fail "not 1 and 1000 calls"
}
check "a Go library in a C program" library

# The C program runs already. It calls as often as each line says.
library_attached() {
	library_file
	cat >host.c <<-'END'
		#include <dlfcn.h>
		#include <stdio.h>
		int main(void)
		{
			int (*work)(int) = (int (*)(int))dlsym(dlopen("./lib.so", RTLD_NOW), "Work"), n;
			setbuf(stdout, NULL);
			printf("ready %d\n", work(3));
			while (scanf("%d", &n) == 1)
				printf("%d\n", work(n));
			return 0;
		}
	END
	cc -o host host.c -ldl
	cp lib.so other.so
	mkfifo in
	./host <in >>out &
	local target=$! job probes
	exec 9>in
	wait_for 60 grep -q ready out
	expect_status 125 gt record -o trace --pid "$target" 2>err
	expect_grep "the Go library that the process has loaded: gotrace record --pid $target --exe .*/lib.so --traps" err
	expect_status 125 gt record -o trace --pid "$target" --exe ./other.so 2>err
	expect_grep "process $target has not loaded this file; /proc/$target/maps names" err
	expect_status 125 gt record -o trace --pid "$target" --exe ./lib.so 2>err
	expect_grep "process $target cannot be recorded without traps: BINARY is a library there" err
	expect_grep 'probe=emulated records it with traps' err
	[ ! -e trace ] || fail "there is a trace all the same"
	for probes in --traps --probe=emulated; do
		"$GOTRACE" record -o trace --pid "$target" --exe ./lib.so --max-cost=off $probes 2>err &
		job=$!
		wait_for 60 begun "$job"
		: >out
		echo 1000 >&9
		wait_for 60 grep -q 1500 out
		kill -INT "$job"
		wait "$job" || fail "status $?"
		[ "$(csv_calls trace main.Work) $(csv_calls trace main.step)" = "1 1000" ] || fail "not 1 and 1000 calls, $probes"
		expect_grep "^binary.path +.*/lib.so$" <(gt info trace)
		expect_grep '^no event was lost$' <(gt report trace)
	done
	exec 9>&-
	wait "$target" || fail "the program ended with status $?"
}
check "a Go library that a running C program has loaded" library_attached

plugin() {
	cat >plug.go <<-'END'
		package main

		//go:noinline
		func Twice(i int) int { return 2 * i }
	END
	cat >main.go <<-'END'
		package main

		import (
			"fmt"
			"plugin"
		)

		//go:noinline
		func call(f func(int) int, n int) int { return f(n) }

		func main() {
			p, err := plugin.Open("./plug.so")
			if err != nil {
				panic(err)
			}
			twice, _ := p.Lookup("Twice")
			fmt.Println(call(twice.(func(int) int), 21))
		}
	END
	go build -buildmode=plugin -o plug.so plug.go
	go build -o program main.go
	gt record -o trace -- ./program >out
	[ "$(cat out)" = 42 ] || fail "the program printed '$(cat out)'"
	[ "$(csv_calls trace main.call)" = 1 ] || fail "main.call is not there"
	gt report trace >text
	expect_grep "^! functions of Go plugins that the program loads are not traced. Their time is their callers'$" text
	gt record -o trace -- "$alive" 1 >out
	gt report trace >text
	! grep -q plugins text || fail "plugins of a program that loads none"
}
check "a program with plugins is told what is not seen" plugin
done_testing
