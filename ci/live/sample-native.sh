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

# The vDSO is in no file; its functions have no frame of their own in part. Of a process that runs it is known which libraries it has.
in_vdso() {
	command -v cc >/dev/null || skip "needs a C compiler"
	cc -O2 -fomit-frame-pointer -o clocks "$TOP/fixtures/native/clocks.c" || skip "cc cannot build it"
	./clocks 60 >out &
	local all rooted clocks=$!
	wait_for 20 grep -q libc "/proc/$clocks/maps"
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
	none=$(awk '$2 == "[no" { n += $1 } END { print n + 0 }' rows)
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
	expect_grep "of $unreadable unreadable from some frame on" text
}
check "C with nothing to walk its stacks by: they are counted" without_tables
done_testing
