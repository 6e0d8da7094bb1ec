#!/bin/bash
# Kinds of binaries, and sizes: what is built in other ways, and what is not Go's toolchain's; many
# goroutines, threads and Ps at once.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
alive=$LIVE/programs/default/alive

many() { # N PROBE [ARG]
	gt record --probe="$2" -o trace -- "$alive" "$1" ${3:+"$3"} >out
	[ "$(cat out)" = "$1" ] || fail "the program printed '$(cat out)'"
	[ "$(csv_calls trace main.worker) $(csv_calls trace main.step)" = "$1 $((2 * $1))" ] || fail "not $1 and $((2 * $1))"
	gt report trace >text
	expect_grep '^no event was lost$' text
}
check "300,000 goroutines alive at once" many 300000 inline
check "... with springboard" many 300000 springboard
check "2,000 threads at once" many 2000 inline threads
check "... with springboard" many 2000 springboard threads
# As many as the limits leave, 10,000 at most: a thread takes a process ID and two mappings.
can_be() {
	local n=10000 limit f
	own=$(sed -n 's/^[0-9]*:\(.*,\)\{0,1\}pids\(,.*\)\{0,1\}:\(.*\)$/\3/p; s/^0:://p' /proc/self/cgroup | head -n 1)
	for f in /proc/sys/kernel/threads-max /proc/sys/kernel/pid_max /proc/sys/vm/max_map_count \
		"/sys/fs/cgroup/pids$own/pids.max" "/sys/fs/cgroup$own/pids.max"; do
		[ -e "$f" ] && limit=$(cat "$f") && [ "$limit" != max ] || continue
		[ $((limit / 3)) -ge $n ] || n=$((limit / 3))
	done
	limit=$(ulimit -u)
	[ "$limit" = unlimited ] || [ $((limit / 3)) -ge $n ] || n=$((limit / 3))
	echo $n
}
threads=$(can_be)
for strategy in inline emulated; do
	check "$threads threads at once, $strategy" many "$threads" $strategy threads
done

# As many goroutines are 2.7 GB of stacks. What a report takes of memory is a share of that.
million() {
	[ "${LIVE_SLOW:-}" != 1 ] || skip "too many for a VM"
	[ "$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)" -gt 7000000 ] || skip "not 7 GB of memory"
	gt record --probe=inline -o trace -- "$alive" 1000000 >out
	[ "$(cat out)" = 1000000 ] || fail "the program printed '$(cat out)'"
	(ulimit -v 4000000 && gt report trace --format=csv >csv)
	awk -F, '{ n[$1] = $2 } END { exit n["main.worker"] != 1000000 || n["main.step"] != 2000000 }' csv || fail "$(cut -d, -f1,2 csv)"
	gt info trace >info
	expect_grep '^end.lost_events +0$' info
}
check "a million goroutines alive at once, reported in 4 GB" million
ps() { GOMAXPROCS=64 many 20000 inline; }
check "64 Ps on a machine with few processors" ps

# A memory cgroup of this process's own, in $group, limited to so many bytes.
limited() { # BYTES
	local own
	own=$(sed -n 's/^[0-9]*:\(.*,\)\{0,1\}memory\(,.*\)\{0,1\}:\(.*\)$/\3/p' /proc/self/cgroup)
	if [ -n "$own" ]; then
		group=/sys/fs/cgroup/memory${own%/}/gotrace-live-$$
		limit=memory.limit_in_bytes
	else
		group=/sys/fs/cgroup/gotrace-live-$$
		limit=memory.max
	fi
	mkdir "$group" 2>err || skip "no memory cgroup can be made here"
	trap 'wait_for 60 rmdir "$group" 2>err' EXIT # gone a moment after its last process
	echo "$1" 2>err >"$group/$limit" || skip "no memory limit can be set here"
}
in_cgroup() { # PROBE: rings take half of what there is at most, and the run is whole
	limited 100000000
	# shellcheck disable=SC2016
	sh -c 'echo $$ >"$1" && shift && exec "$@"' sh "$group/cgroup.procs" \
		timeout 60 "$GOTRACE" record --probe="$1" -o trace -- "$alive" 1000 >out || fail "not recorded"
	[ "$(cat out)" = 1000 ] || fail "the program printed '$(cat out)'"
	[ "$(csv_calls trace main.worker) $(csv_calls trace main.step)" = "1000 2000" ] || fail "not 1000 and 2000"
	gt info trace >info
	bytes=$(awk '$1 == "inline.rings" { n = $2 } $1 == "inline.ring_bytes" { print n * $2; exit }' info)
	bytes=${bytes:-$(($(awk '$1 == "ring.bytes" { print $2 }' info) * $(nproc)))}
	[ "$bytes" -gt 0 ] && [ "$bytes" -le 50000000 ] || fail "rings take $bytes bytes of 100 MB"
}
check "in a memory cgroup of 100 MB" in_cgroup inline

# The least address space, in steps of 8 MB, with which the program runs eight times: with half a step more it is recorded. How
# many threads Go starts, and so how much it needs, differs from run to run.
in_little_space() {
	local least=64 most=8192 middle # MB
	space() { (ulimit -v $(($1 * 1024)) && shift && "$@"); }
	runs() {
		local i
		for i in 1 2 3 4 5 6 7 8; do space "$1" "$alive" 10 >out 2>&1 || return; done
	}
	runs $most || skip "8 GB of address space are not enough for the program alone"
	while [ $((most - least)) -gt 8 ]; do
		middle=$(((least + most) / 2))
		if runs $middle; then most=$middle; else least=$middle; fi
	done
	echo "the program needs $most MB"
	space $((most + 12)) timeout 60 "$GOTRACE" record -o trace -- "$alive" 10 >out 2>err || fail "status $?: $(cat err)"
	[ "$(cat out)" = 10 ] || fail "the program printed '$(cat out)'"
	[ "$(csv_calls trace main.worker) $(csv_calls trace main.step)" = "10 20" ] || fail "not 10 and 20"
	grep -q 'address space is limited' err || [ $most -gt 4096 ] || fail "not said: $(cat err)"
}
check "in little address space" in_little_space
check "... with emulated" in_cgroup emulated

built() { # FLAG...
	CGO_ENABLED=1 go build "$@" -o program "$TOP/fixtures/programs/alive/main.go"
	alive=./program many 1000 auto
}
check "built with -race" built -race
check "built with -cover" built -cover
v4() {
	since 18 "there is no GOAMD64"
	grep -qw avx512vl /proc/cpuinfo || skip "the processor has no AVX-512"
	local probe
	for probe in inline springboard emulated; do
		GOAMD64=v4 go build -o program "$TOP/fixtures/programs/alive/main.go"
		alive=./program many 1000 $probe
	done
}
check "built with GOAMD64=v4" v4
asan() {
	since 18 "there is no -asan"
	echo 'int main(void) { return 0; }' >empty.c
	cc -fsanitize=address -o empty empty.c && ./empty || skip "no AddressSanitizer for C here"
	for probe in inline springboard emulated; do
		CGO_ENABLED=1 go build -asan -o program "$TOP/fixtures/programs/alive/main.go"
		alive=./program many 1000 $probe
	done
}
check "built with -asan" asan
check "built as PIE" built -buildmode=pie
check "built with -ldflags=-linkmode=external" built -ldflags=-linkmode=external
profiled() {
	cat >burn.go <<-'END'
		package main

		import (
			"os"
			"runtime/pprof"
			"time"
		)

		func main() {
			f, _ := os.Create("profile.pgo")
			pprof.StartCPUProfile(f)
			for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); {
			}
			pprof.StopCPUProfile()
			f.Close()
		}
	END
	go run burn.go
	built -pgo="$PWD/profile.pgo"
}
if [ "$go_minor" -ge 20 ]; then check "built with a profile" profiled; fi

# While it runs, the pages of its heap are made one huge page and small ones again, over and over.
moved_pages() {
	cat >mover.c <<-'END'
		#define _GNU_SOURCE
		#include <stdio.h>
		#include <stdlib.h>
		#include <sys/syscall.h>
		#include <sys/uio.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			int fd = syscall(SYS_pidfd_open, atoi(argv[1]), 0), rounds = 0;
			char *heap = (char *)strtoul(argv[2], NULL, 16);
			struct iovec all = { heap, 2 << 20 }, part = { heap + 4096, 4096 };
			/* MADV_COLLAPSE; MADV_COLD of a part splits */
			for (int i = 0; i < 400; i++)
				if (syscall(SYS_process_madvise, fd, &all, 1, 25, 0) >= 0 &&
				    syscall(SYS_process_madvise, fd, &part, 1, 20, 0) >= 0)
					rounds++;
			return printf("%d\n", rounds) < 0;
		}
	END
	cat >moved.go <<-'END'
		package main

		import (
			"fmt"
			"os"
		)

		var sink int

		//go:noinline
		func step(i int) { sink += i }

		func main() {
			fmt.Println("pid", os.Getpid())
			n := 0
			for ; n%10000 != 0 || len(os.Args) < 2 || !exists(os.Args[1]); n++ {
				step(n)
			}
			fmt.Println("steps", n)
		}

		func exists(name string) bool {
			_, err := os.Stat(name)
			return err == nil
		}
	END
	cc -O1 -o mover mover.c
	go build -o moved moved.go
	gt record --probe=emulated -f main.step -o trace -- ./moved done >out 2>err &
	wait_for 60 grep -q pid out
	pid=$(sed -n 's/^pid //p' out)
	heap=$(while read -r range rights _; do # the one of 4 MiB
		[ "$rights" != rw-p ] || [ $((0x${range#*-} - 0x${range%-*})) != 4194304 ] || { echo "${range%-*}" && break; }
	done <"/proc/$pid/maps")
	rounds=0
	[ -z "$heap" ] || rounds=$(./mover "$pid" "$heap")
	touch done
	wait
	[ "$rounds" -ge 100 ] || skip "this kernel has made no huge pages of a heap"
	steps=$(sed -n 's/^steps //p' out) shown=$(csv_calls trace main.step)
	lost=$(gt info trace | awk '$1 == "end.dropped_fault" { print $2 }')
	[ "$shown" -le "$steps" ] && [ $((steps - shown)) -le "$lost" ] || fail "$steps calls, $shown shown, $lost events lost"
	[ "$lost" = 0 ] || { gt report trace >text && expect_grep "^! $lost events? (was|were) lost" text; }
}
check "events lost while the kernel moves the page of g are counted" moved_pages

# Programs that other compilers than gc have built, and packed ones: each prints "ready" and works until there is a file
# `done`, then "steps N".
sources() {
	cat >kind.go <<-'END'
		package main

		import (
			"fmt"
			"os"
		)

		var sink int

		//go:noinline
		func step(i int) { sink += i }

		func main() {
			fmt.Println("ready")
			n := 0
			for done := false; !done; {
				for i := 0; i < 1000; i++ {
					step(i)
					n++
				}
				_, err := os.Stat("done")
				done = err == nil
			}
			fmt.Println("steps", n)
		}
	END
	cat >kind.c <<-'END'
		#include <stdio.h>
		#include <unistd.h>
		void tinygo_longjmp(void) {}
		int main(void)
		{
			puts("ready");
			fflush(stdout);
			while (access("done", F_OK))
				;
			return 0;
		}
	END
}
one_line() { # PATTERN: that is all it says, and there is no trace
	expect_grep "$1" err
	[ "$(wc -l <err)" = 1 ] || { cat err; fail "not one line"; }
	[ ! -e trace ] || fail "there is a trace"
}
# refused BINARY PATTERN: by plan, record and record --pid; samples can be taken of it, what was said then is in err.
refused() {
	local target seconds
	rm -f done
	expect_status 1 gt plan "$1" >out 2>err
	one_line "$2"
	expect_status 125 gt record -o trace -- "$1" >out 2>err
	one_line "$2"
	[ ! -s out ] || fail "the command ran"
	"$1" >out &
	target=$!
	wait_for 60 grep -q ready out
	expect_status 125 gt record -o trace --pid $target 2>err
	one_line "$2"
	for seconds in 1 4 16; do # a machine that is busy may leave it without a sample
		expect_status 0 gt sample -o samples --pid $target -d $seconds 2>err
		gt report samples >text
		! grep -qE '^[1-9][0-9]* samples' text || break
	done
	touch done
	wait $target || fail "the program ended with status $?"
	expect_grep '^[1-9][0-9]* samples' text
}
of_gccgo() {
	local compiler file
	compiler=$(compgen -c gccgo | grep -E -m 1 '^gccgo(-[0-9]+)?$' || true)
	[ -n "$compiler" ] || skip "no gccgo here (ci/deps.sh test)"
	sources
	"$compiler" -g -o shared kind.go
	"$compiler" -g -static-libgo -o static kind.go
	strip -o shared.stripped shared
	strip -o static.stripped static
	for file in shared static shared.stripped static.stripped; do
		refused ./$file "built by gccgo, and only programs of the Go toolchain's own compiler, gc, can be traced"
		case $file in
		*.stripped) ;;
		*) expect_grep 'main\.main$' text ;; # its symbols tell
		esac
	done
}
check "a program of gccgo is refused in one line, and sampled" of_gccgo
# No package registry has TinyGo: C programs with its marks, the symbols or the producer that DWARF names.
of_tinygo() {
	sources
	cc -o symbol kind.c
	cc -g -S -o kind.s kind.c
	sed -i 's/"GNU C[^"]*"/"TinyGo"/; s/"[^"]*clang version[^"]*"/"TinyGo"/; s/tinygo_longjmp/other/g' kind.s
	cc -o producer kind.s
	refused ./symbol 'built by TinyGo, and only programs of'
	refused ./producer 'built by TinyGo, and only programs of'
}
check "a program with the marks of TinyGo is refused in one line" of_tinygo
packed() {
	command -v upx >/dev/null || skip "no upx here (ci/deps.sh test)"
	sources
	go build -o whole kind.go
	upx -q -o packed whole >said 2>&1 || { cat said; skip "upx cannot pack what this Go builds"; }
	refused ./packed 'packed by UPX\. .* unpack it \(upx -d\)'
	expect_grep 'packed by UPX: samples will not name its functions; unpack it \(upx -d\)$' err
	gt sample -o samples -- ./packed >out 2>err # there is the file that ends it
	expect_grep 'packed: packed by UPX: samples will not name' err
	upx -q -d -o unpacked packed >said
	gt record -f main.step -o trace -- ./unpacked >out
	[ "steps $(csv_calls trace main.step)" = "$(tail -n 1 out)" ] || fail "$(cat out)"
}
check "a packed program is refused in one line that says what to do, which helps" packed
done_testing
