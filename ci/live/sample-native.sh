#!/bin/bash
# gotrace sample: code that is not Go's and keeps no frame pointers.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# Code that keeps no frame pointers. The linker's start is what a dynamic program begins with; libraries
# are known some milliseconds after they are mapped.
native() { # CC-OPTION...
	command -v cc >/dev/null || skip "needs a C compiler"
	cc -O2 -fomit-frame-pointer "$@" -o native "$TOP/fixtures/native/shares.c" || skip "cc cannot build it"
	gt sample -F 1999 -o trace -- ./native 4 >out
	paths trace >rows
	near "$(count ';main;two(;leaf)?$' <rows)" "$(count ';main;one(;leaf)?$' <rows)" 0.6667 2000
	local all rooted
	all=$(count . <rows)
	rooted=$(count '^(_start|\[ld-linux[^;]*)(;|$)' <rows)
	echo "$rooted of $all begin at _start"
	awk -v a="$rooted" -v n="$all" 'BEGIN { exit !(a >= 0.99 * n - 5 * sqrt(0.99 * 0.01 * n)) }' ||
		{ grep -Ev '^[0-9]+ _start' rows | sort -rn | head -20; fail "stacks without a root"; }
}
check "C without frame pointers" native
check "C without frame pointers, static" native -static

# Assembly whose tables do not say what it has pushed, so that it is taken for the return address: the stack ends there, and
# says so.
nowhere() {
	command -v cc >/dev/null || skip "needs a C compiler"
	cat >nowhere.c <<-'END'
		#include <time.h>
		void spin(long n);
		__asm__(".globl spin\n.type spin, @function\nspin: .cfi_startproc\n movabs $0xa6fc156837c14eff, %rax\n push %rax\n"
			"1: dec %rdi\n jnz 1b\n pop %rax\n ret\n.cfi_endproc\n.size spin, .-spin\n");
		int main(void)
		{
			while (clock() < CLOCKS_PER_SEC)
				spin(1000000);
			return 0;
		}
	END
	cc -O2 -o nowhere nowhere.c || skip "cc cannot build it"
	gt sample -F 499 -o trace -- ./nowhere
	paths trace >rows
	sort -rn rows | head -5
	[ "$(count '^\[unreadable\];spin$' <rows)" -gt 100 ] || fail "the end is not marked"
	[ "$(count 'kernel|a6fc' <rows)" = 0 ] || fail "a frame that is none"
}
check "tables that lead nowhere" nowhere

# The first thread has ended, another one goes on.
leaderless() {
	command -v cc >/dev/null || skip "needs a C compiler"
	cat >leaderless.c <<-'END'
		#include <pthread.h>
		#include <time.h>
		#include <unistd.h>
		volatile unsigned turns = 20000, sum;
		__attribute__((noinline)) static unsigned leaf(unsigned n)
		{
			for (unsigned i = turns; i; i--)
				n = n * 31 + i;
			return n;
		}
		static void *work(void *first)
		{
			pthread_join(*(pthread_t *)first, NULL);
			sleep(3); /* so that gotrace knows of that end */
			for (const clock_t end = clock() + 2 * CLOCKS_PER_SEC; clock() < end;)
				sum += leaf(1);
			return NULL;
		}
		int main(void)
		{
			static pthread_t first;
			pthread_t other;

			first = pthread_self();
			pthread_create(&other, NULL, work, &first);
			pthread_exit(NULL);
		}
	END
	cc -O2 -fomit-frame-pointer -o leaderless leaderless.c -pthread
	gt sample -F 499 -o trace -- ./leaderless
	paths trace >rows
	sort -rn rows | head -5
	awk -v a="$(count '^(__clone|clone3?|__clone3);.*work;leaf' <rows)" -v n="$(count leaf <rows)" 'BEGIN { exit !(n > 300 && a >= 0.99 * n) }' ||
		fail "stacks without a root"
}
check "a program whose first thread has ended" leaderless

# What was stripped from a program is in a file apart, found by build id or by name, and only if it is of this program.
stripped() { # NAMES-WANTED COMMAND...: puts native.debug somewhere
	local want=$1 named
	shift
	command -v cc >/dev/null || skip "needs a C compiler"
	cc -O2 -o native -Wl,--build-id=sha1 "$TOP/fixtures/native/shares.c" || skip "cc cannot build it"
	objcopy --only-keep-debug native native.debug
	strip native
	"$@"
	gt sample -F 499 -o trace -- ./native 1 >out
	paths trace >rows
	named=$(count '(^|;)main(;|$)' <rows)
	echo "$named of $(count . <rows) have main"
	[ $((named > 0)) = "$want" ] || { sort -rn rows | head -5; fail "names, or none"; }
}
# Functions without a symbol have the name of their file, and of where they begin: nm tells that of the program that has symbols.
starts() {
	command -v cc >/dev/null || skip "needs a C compiler"
	cc -O2 -fomit-frame-pointer -o native "$TOP/fixtures/native/shares.c" || skip "cc cannot build it"
	local leaf one two
	read -r leaf one two < <(nm native | awk '{ sub(/^0+/, "", $1); at[$3] = $1 }
		END { print at["leaf"] ? at["leaf"] : at["leaf.constprop.0"], at["one"] ? at["one"] : at["one.constprop.0"], at["two"] ? at["two"] : at["two.constprop.0"] }')
	strip native
	gt sample -F 1999 -o trace -- ./native 2 >out
	paths trace >rows
	sort -rn rows | head -5
	near "$(count "native.0x$two.;.native.0x$leaf.\$" <rows)" "$(count "native.0x$one.;.native.0x$leaf.\$" <rows)" 0.6667 1000
}
check "functions of a stripped program" starts
linked() { objcopy --add-gnu-debuglink=native.debug native && mkdir -p .debug && mv native.debug .debug/; }
# A function that was inlined has its own time, below the functions that it is inlined in. The linker knows one of the three.
inlines() { # COMMAND...: moves the DWARF of native elsewhere
	command -v gcc >/dev/null || skip "needs gcc"
	gcc -O2 -g -fomit-frame-pointer -o native "$TOP/fixtures/native/inlined.c" || fail "gcc cannot build it"
	[ "$(nm native | grep -c -E ' (leaf|middle|outer)$')" = 1 ] || fail "nothing is inlined"
	"$@"
	gt sample -F 1999 -o trace -- ./native 2 >out
	paths trace >rows
	sort -rn rows | head -5
	awk -v a="$(count ';main;outer;middle;leaf$' <rows)" -v n="$(count . <rows)" 'BEGIN { exit !(n > 1000 && a > 0.9 * n) }' ||
		fail "stacks do not end in outer, middle and leaf"
	gt report --format=csv trace | grep '^leaf,' || fail "leaf has no row"
}
moved() {
	objcopy --only-keep-debug native native.debug
	strip native
	linked
}
check "functions that were inlined" inlines true
check "functions that were inlined, in a stripped program" inlines moved
of_another() {
	linked
	cc -O1 -o other -Wl,--build-id=sha1 "$TOP/fixtures/native/shares.c"
	objcopy --only-keep-debug other .debug/native.debug
}
installed() {
	local id
	id=$(readelf -n native | sed -n 's/.*Build ID: //p')
	mkdir -p "debug/.build-id/${id:0:2}"
	mv native.debug "debug/.build-id/${id:0:2}/${id:2}.debug"
}
# With a folder of debug files of our own.
by_build_id() {
	needs_namespace unshare --mount true
	export -f stripped installed count paths gt fail skip
	unshare --mount bash -c 'mkdir -p debug && mkdir -p /usr/lib/debug && mount --bind debug /usr/lib/debug &&
		stripped 1 installed'
}
check "symbols of a stripped program, none anywhere" stripped 0 rm native.debug
check "symbols of a stripped program, in a file that it names" stripped 1 linked
check "symbols of a stripped program, in a file of another" stripped 0 of_another
check "symbols of a stripped program, in a file found by build id" by_build_id

# A large program of many libraries, one of which has data only.
compiler() {
	command -v clang >/dev/null || skip "no clang here"
	local n all rooted
	for n in 500 2000 8000; do # a fast machine, or a loaded one, takes fewer samples
		awk -v n=$n 'BEGIN { while (i++ < n)
			printf "int f%d(int *a, int n) { int s = %d; while (n--) s += a[n] * (s >> %d) ^ a[s & n]; return s; }\n", i, i, i % 31 }' >large.c
		gt sample -F 499 -o trace -- clang -O2 -c -o /dev/null large.c
		paths trace >rows
		all=$(count . <rows)
		[ "$all" -lt 1000 ] || break
	done
	rooted=$(count '^(_start|\[ld-linux[^;]*)(;|$)' <rows)
	echo "$rooted of $all begin at _start"
	awk -v a="$rooted" -v n="$all" 'BEGIN { exit !(n > 0 && a >= 0.98 * n - 5 * sqrt(0.98 * 0.02 * n)) }' ||
		{ grep -Ev '^[0-9]+ _start' rows | sort -rn | head -20 | cut -c1-300; fail "stacks without a root"; }
	gt info trace >info
	! grep warn.natives info || fail "no room"
}
check "clang compiling" compiler

# C calls Go, which computes: with the frames of C that keep no frame pointer, and of Go that has called C.
callbacks() {
	command -v gcc >/dev/null || skip "needs a C compiler"
	mkdir -p src && cat >src/main.go <<-'END'
		package main

		// #cgo CFLAGS: -O2 -fomit-frame-pointer
		// int outer_c(int n);
		import "C"
		import "os"

		//export goback
		func goback(n C.int) C.int {
			for i := C.int(1); i < 1<<20; i++ {
				n ^= n*i + i
			}
			return n
		}

		//go:noinline
		func calls(n C.int) C.int { return C.outer_c(n) + 1 }

		func main() {
			n := C.int(0)
			for i := C.int(0); i < 1000; i++ {
				n += calls(i)
			}
			os.Stdout.WriteString(string(rune('a' + n%26)))
		}
	END
	# rbp is used for something else, so that it leads nowhere.
	cat >src/back.c <<-'END'
		int goback(int n);
		__attribute__((noinline)) int middle_c(int n)
		{
			register int own __asm__("rbp") = n + 2;
			__asm__ volatile("" : "+r"(own));
			int got = goback(n);
			__asm__ volatile("" : "+r"(own));
			return got + own;
		}
		int outer_c(int n) { return middle_c(n) + 1; }
	END
	printf 'module example.org/callbacks\ngo 1.19\n' >src/go.mod
	(cd src && CGO_ENABLED=1 go build -o ../callbacks .)
	gt sample -F 999 -o trace -- ./callbacks >out
	paths trace >rows
	local all whole
	all=$(count '(^|;)main.goback(;|$)' <rows)
	whole=$(count '^runtime.goexit;runtime.main;main.main;main.calls;main._Cfunc_outer_c;runtime.cgocall;runtime.asmcgocall;_cgo_[0-9a-f]*_Cfunc_outer_c;outer_c;middle_c;goback;crosscall2;runtime.cgocallback;runtime.cgocallbackg;runtime.cgocallbackg1;_cgoexp_[0-9a-f]*_goback;main.goback(;|$)' <rows)
	echo "$whole of $all in main.goback have all frames"
	[ "$all" -ge 300 ] && awk -v a="$whole" -v n="$all" 'BEGIN { exit !(a >= 0.99 * n - 5 * sqrt(0.99 * 0.01 * n)) }' ||
		{ sort -rn rows | head -20; fail "stacks of callbacks"; }
}
check "Go called by C called by Go" callbacks

# The vDSO is in no file; its functions have no frame of their own in part. Of a process that runs it is known which libraries it has.
in_vdso() {
	command -v cc >/dev/null || skip "needs a C compiler"
	cc -O2 -fomit-frame-pointer -o clocks "$TOP/fixtures/native/clocks.c" || skip "cc cannot build it"
	./clocks 60 >out &
	local all rooted clocks=$!
	wait_for 60 grep -q libc "/proc/$clocks/maps"
	sleep 0.1
	gt sample -F 1999 -d 2 -o trace --pid $clocks
	kill $clocks
	paths trace >rows
	all=$(count '(^|;)__vdso_clock_gettime$' <rows)
	rooted=$(count '^_start;.*;main;outer;now;.*__vdso_clock_gettime$' <rows)
	echo "$rooted of $all of the vDSO begin at _start"
	[ "$all" -ge 300 ] || { sort -rn rows | head -20; skip "this kernel's clock is not read in the vDSO"; }
	awk -v a="$rooted" -v n="$all" 'BEGIN { exit !(a >= 0.99 * n - 5 * sqrt(0.99 * 0.01 * n)) }' ||
		{ sort -rn rows | head -20; fail "stacks without a root"; }
}
check "the vDSO, whose rows are in no file" in_vdso

# Once an exec has given up the old image, the thread's registers are still those of it, at execve's system call, and are
# nothing in the new one: there is no stack.
execs() {
	command -v cc >/dev/null || skip "needs a C compiler"
	cat >execs.c <<-'END'
		#include <stdint.h>
		#include <stdio.h>
		#include <sys/wait.h>
		#include <unistd.h>

		/* Where its system call goes on, within the page. */
		static unsigned place(void)
		{
			const unsigned char *p = (const unsigned char *)(uintptr_t)execve;

			while (p[0] != 0x0f || p[1] != 0x05)
				p++;
			return ((uintptr_t)p + 2) & 0xfff;
		}

		int main(void)
		{
			printf("%03x\n", place());
			fflush(stdout);
			for (int i = 0; i < 500; i++) {
				if (!fork()) {
					execl("/bin/true", "true", NULL);
					_exit(1);
				}
				wait(NULL);
			}
			return 0;
		}
	END
	cc -O2 -o execs execs.c || skip "cc cannot build it"
	gt sample -F 9999 -o trace -- ./execs >out
	paths trace >rows
	local wrong none
	wrong=$(count "[[]unknown[+]0x[0-9a-f]*$(cat out)\$" <rows)
	none=$(awk '$2 ~ /^(\[(execs|true)\];)?\[no$/ { n += $1 } END { print n + 0 }' rows) # below a root for each program
	echo "$none without a stack, $wrong at execve of the image before"
	[ "$none" -gt 20 ] && [ "$wrong" = 0 ] || { sort -rn rows | head -20; fail "samples of an exec"; }
}
check "execs: no stack of the image before" execs

# With neither frame pointers nor .eh_frame there is no way from a function to its caller: each such stack is counted
# and shown as unreadable, none ends as if its innermost function had no caller.
without_tables() {
	command -v cc >/dev/null && command -v objcopy >/dev/null || skip "needs a C compiler"
	cc -O2 -fomit-frame-pointer -fno-asynchronous-unwind-tables "$TOP/fixtures/native/shares.c" -o built || skip "cc cannot build it"
	objcopy -R .eh_frame -R .eh_frame_hdr built bare 2>err || skip "objcopy: $(cat err)"
	gt sample -F 499 -o trace -- ./bare 1 >out
	paths trace >rows
	gt info trace >info
	gt report trace >text
	local all unreadable
	all=$(awk '$1 == "end.samples" { print $2 }' info)
	unreadable=$(awk '$1 == "end.samples_unreadable" { print $2 }' info)
	[ "$(count . <rows)" = "$all" ] || fail "$(count . <rows) samples in rows, $all in all"
	[ "$(count '^.unreadable.(;|$)' <rows)" = "$unreadable" ] || fail "$unreadable unreadable: $(head -20 rows)"
	[ "$unreadable" -gt $((all / 2)) ] || fail "only $unreadable of $all are unreadable"
	expect_grep "the stack of $unreadable samples is unreadable from some frame on" text
	expect_grep "^$((100 * unreadable / all))% of the samples have callers that are missing|^$((100 * unreadable / all + 1))% of" text
}
check "C with nothing to walk its stacks by: they are counted" without_tables
# Code made at run time is in no file: /tmp/perf-PID.map names it.
made_at_run_time() {
	command -v cc >/dev/null || skip "needs a C compiler"
	cc -O1 -fno-omit-frame-pointer -o made "$TOP/fixtures/native/made.c" || skip "cc cannot build it"
	gt sample -F 999 -o trace -- ./made >out
	rm -f "$(cat out)"
	gt report trace --by=function --format=csv >report.csv
	local n
	n=$(awk -F, '$1 == "made at run time" { print $(NF - 1) }' report.csv)
	[ "${n:-0}" -gt 200 ] || { cat report.csv; fail "${n:-no} samples of it"; }
}
check "code made at run time has the names of its perf map" made_at_run_time
# sum_us TRACE: the time that its samples stand for.
sum_us() { gt export "$1" -F folded | awk '{ n += $NF } END { printf "%.0f\n", n / 1000 }'; }

# Processes that end before one interval between samples. Together they have the samples of their time: with a clock for
# each thread they had 0.72 of it. Each process begins and ends in the kernel, which is a part of that time.
short_lived() { # [exec]
	command -v cc >/dev/null || skip "needs a C compiler"
	cc -O1 -fno-omit-frame-pointer -o brief "$TOP/fixtures/native/brief.c" || skip "cc cannot build it"
	local before after
	before=$(stolen)
	gt sample -F 997 -o trace -- "$PWD/brief" 2000 3000000 "$@" >out
	after=$(stolen)
	# 6,500 samples and more: one standard deviation is 1.3 %. Samples stand for what is stolen, too.
	awk -v us="$(sum_us trace)" -v stolen=$(((after - before) / 1000)) '{
		print us " us of " $1 " us, " stolen " us stolen"
		exit !(us > 0.92 * $1 && us < 1.08 * $1 + stolen) }' out || fail "not the time of the processes"
}
check "2,000 processes of 3 ms have the samples of their time" short_lived
check "2,000 processes of 3 ms that execute a program have the samples of their time" short_lived exec

# A process that its parent has left is sampled, and one that another program has started is not.
members() {
	command -v cc >/dev/null || skip "needs a C compiler"
	cc -O1 -fno-omit-frame-pointer -o brief "$TOP/fixtures/native/brief.c" || skip "cc cannot build it"
	cp brief other
	cp brief orphan
	./other 0 3600000000000 &
	other=$!
	trap 'kill $other' EXIT
	gt sample -F 997 -o trace -- sh -c '(./orphan 0 500000000 && : >ended &) && while [ ! -e ended ]; do sleep 0.1; done'
	gt report trace --by=program -F csv -n 0 >programs.csv
	cat programs.csv
	expect_grep '/orphan,' programs.csv
	! grep -q '/other,' programs.csv || fail "a process that nobody asked for"
	gt sample -F 997 -d 1 -o trace --pid $other
	gt report trace --by=program -F csv -n 0 >programs.csv
	expect_grep '/other,' programs.csv
	[ "$(wc -l <programs.csv)" = 2 ] || { cat programs.csv; fail "more than one program"; }
}
check "the processes of a command are sampled, and no others" members
done_testing
