#!/bin/bash
# Tests of the regression table's own scripts, with a kernel, a VM and programs that are made up; needs no root.
# The last line is "N passed, N failed, N skipped"; status 1 when one failed.
# Tests are called by name, through check.
# shellcheck disable=SC2317,SC2016 # what stubs do is quoted
set -u
# In a git hook these name the repository that the hook is of.
# shellcheck disable=SC2046 # a list of names
unset $(git rev-parse --local-env-vars)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck source=../totals.sh
. "$here/../totals.sh"
check() { # NAME FUNCTION: run in a copy of the scripts that has one committed row
	local status
	rm -rf "$work/cwd" && mkdir "$work/cwd"
	(
		set -e
		cd "$work/cwd"
		table
		"$2"
	) >"$work/said" 2>&1
	status=$? # not in an if, where set -e would do nothing
	if [ $status = 0 ]; then ok "$1"; else not_ok "$1" "$work/said"; fi
}
fail() { echo "$*"; return 1; }

# $top: the scripts; the VM runs $top/vm-does with the log's name, and $top/asked holds the cells it was asked for.
table() {
	top=$work/top
	rm -rf "$top"
	mkdir -p "$top"/{ci/vm,bpf,core/{base,binary,plan,attach,trace,model,cli},fixtures/{programs,traces},results/regress}
	cp -r "$here" "$here"/../{regress.sh,toolchain.sh,kernels,go-versions} "$top/ci/"
	: >"$top/core/cli/record.c"
	: >"$top/fixtures/traces/counts.sh"
	{
		printf 'kernel\tgo\tbuild\tprobe\trelease\tresult\texact_programs\tdetail\tsources\n'
		printf '6.1\t1.22.0\tnormal\tthesis\t6.1.1-test\texact\t29\t\told\n'
	} >"$top/results/regress/cells.tsv"
	git -C "$top" init -q
	git -C "$top" add results
	git -C "$top" -c user.name=test -c user.email=test -c commit.gpgsign=false commit -qm rows
	release 6.1.1-test
	stub ci/vm/kernel.sh 'echo "${0%/*}/vmlinuz"'
	stub ci/vm/initramfs.sh 'if [ "$1" = --folder ]; then cp "$2/cells" "${0%/*}/../../asked"; : >"$3"; else : >"$1"; fi'
	stub ci/vm/boot.sh '. "${0%/*}/../../vm-does" "$3.log"'
	stub ci/regress/build.sh 'mkdir -p "$1"'
	stub ci/regress/cell.sh 'printf "exact\t29\t\n"'
	says_all exact
}
stub() { printf '#!/bin/bash\n%s\n' "$2" >"$top/$1"; chmod +x "$top/$1"; }
release() { # the name of a kernel where vmlinuz has it
	{ head -c 526 /dev/zero; printf '\0\1'; head -c 240 /dev/zero; printf '%s (test)\0' "$1"; } >"$top/ci/vm/vmlinuz"
}
up='echo "vm: 6.1.1-test, up after 1.00 s" >"$1"'
says_all() { # RESULT
	printf '%s\nwhile read -r b p; do printf "cell %%s %%s %s\\t29\\t\\n" "$b" "$p"; done <"${0%%/*}/../../asked" >>"$1"\n' "$up" "$1" >"$top/vm-does"
}
regress() { # VARIABLE=VALUE...
	rm -f "$top/asked"
	env GOTRACE=/bin/true O="$top/build" KERNEL=6.1 GO=1.22.0 BUILD=normal PROBE='thesis perf' "$@" "$top/ci/regress.sh"
}
row() { awk -F '\t' -v cell="$1" '$1 " " $2 " " $3 " " $4 == cell { print $5, $6, $7, $8 }' "$top/results/regress/cells.tsv"; }
expect_row() { # CELL TEXT
	[ "$(row "$1")" = "$2" ] || fail "$1 is '$(row "$1")', not '$2'"
}

gone() { # PATTERN: no such process, or soon none
	for _ in $(seq 200); do
		pgrep -f "$1" >/dev/null || return 0
		sleep 0.1
	done
	return 1
}

measured() {
	regress || fail "status $?"
	expect_row '6.1 1.22.0 normal thesis' '6.1.1-test exact 29 '
	expect_row '6.1 1.22.0 normal perf' '6.1.1-test exact 29 '
	regress || fail "status $?"
	[ ! -e "$top/asked" ] || fail "measured again"
}
check "what was measured is not measured again" measured

new_kernel() {
	regress
	release 6.1.2-test
	regress
	[ "$(wc -l <"$top/asked")" = 2 ] || fail "a new kernel is not measured"
	expect_row '6.1 1.22.0 normal perf' '6.1.2-test exact 29 '
}
check "a new kernel of that name is measured" new_kernel

other_programs() {
	regress
	echo "more 0 19" >>"$top/ci/regress/programs"
	regress
	[ "$(wc -l <"$top/asked")" = 2 ] || fail "other programs are not measured"
}
check "other programs are measured" other_programs

complaint() { # after the last cell
	echo 'echo "vm: the kernel complained: BUG: test"; exit 2' >>"$top/vm-does"
	! regress || fail "status 0"
	expect_row '6.1 1.22.0 normal perf' '6.1.1-test crash 0 vm: the kernel complained: BUG: test'
	expect_row '6.1 1.22.0 normal thesis' '6.1.1-test exact 29 '
}
check "a kernel that complains after the last cell has crashed in it" complaint

died() {
	printf '%s\n' "$up" 'printf "cell normal thesis exact\t29\t\n" >>"$1"' 'echo "vm: the kernel complained: Oops: test"; exit 2' >"$top/vm-does"
	! regress || fail "status 0"
	expect_row '6.1 1.22.0 normal thesis' '6.1.1-test exact 29 '
	expect_row '6.1 1.22.0 normal perf' '6.1.1-test crash 0 vm: the kernel complained: Oops: test'
}
check "the cell in which a VM dies has crashed" died

never_up() {
	echo "echo 'vm: the VM ended without a verdict: Cannot allocate memory'; exit 2" >"$top/vm-does"
	! regress >out 2>&1 || fail "status 0"
	grep -q 'Cannot allocate memory' out || fail "not said"
	expect_row '6.1 1.22.0 normal thesis' '6.1.1-test exact 29 '
	says_all exact
	regress || fail "status $?"
	[ "$(wc -l <"$top/asked")" = 2 ] || fail "asked for: $(cat "$top/asked")"
}
check "a VM that was never up says nothing of any cell" never_up

time_up() {
	printf '%s\n' "$up" 'printf "cell normal thesis exact\t29\t\n" >>"$1"' 'echo "vm: not done after 3000 s"; exit 2' >"$top/vm-does"
	! regress || fail "status 0"
	expect_row '6.1 1.22.0 normal perf' ''
	says_all exact
	regress || fail "status $?"
	[ "$(cat "$top/asked")" = 'normal perf' ] || fail "asked for: $(cat "$top/asked")"
}
check "what a VM had no time for is left to the next start" time_up

interrupted() {
	printf '%s\n' "$up" 'printf "cell normal thesis exact\t29\t\n" >>"$1"' 'trap "exit 1" TERM; sleep 60 & wait; exit 2' >"$top/vm-does"
	regress & # a subshell, so:
	for _ in $(seq 100); do
		if ls "$top"/build/regress/cells/* >/dev/null 2>&1; then break; fi
		sleep 0.1
	done
	pkill -TERM -f "$top/ci/regress.sh"
	! wait $! || fail "status 0"
	gone "$top/ci/vm/boot.sh" || fail "the VM goes on"
	says_all exact
	regress || fail "status $?"
	[ "$(cat "$top/asked")" = 'normal perf' ] || fail "asked for: $(cat "$top/asked")"
}
check "an interrupted start keeps the cells that were done and leaves no VM behind" interrupted

boots() { # SCRIPT: the real boot.sh with a QEMU that runs this; out.console and out.log are what it wrote
	mkdir -p bin
	printf '#!/bin/sh\n[ "$1" != --version ] || exit\n%s\n' "$1" >bin/qemu-system-x86_64
	chmod +x bin/qemu-system-x86_64
	VM_ACCEL=tcg PATH=$PWD/bin:$PATH exec "$here/../vm/boot.sh" "$top/ci/vm/vmlinuz" "$top/ci/vm/vmlinuz" out 100 2>&1
}
verdict='echo "vm: verdict 0 after 1 s" >>out.log'
good_end() { (boots "$verdict") || fail "status $?"; }
check "a VM whose tests passed" good_end
stall() {
	! (boots "$verdict"'; echo "rcu: INFO: rcu_sched self-detected stall on CPU" >>out.console') >said || fail "status 0"
	grep -q '^vm: the kernel complained: .*self-detected stall' said
}
check "a processor that stalls is a complaint of the kernel's" stall
killed() {
	! (boots 'kill -9 $$') >said || fail "status 0"
	grep -q "^vm: the VM ended without a verdict, qemu's status 137" said
}
check "a QEMU that is killed did not run out of time" killed

vm_ends() {
	boots "exec sleep 6$$" &
	for _ in $(seq 100); do
		if pgrep -f "sleep 6$$" >/dev/null; then break; fi
		sleep 0.1
	done
	kill $!
	! wait $! || fail "status 0"
	gone "sleep 6$$" || fail "QEMU goes on"
}
check "a VM ends with the script that booted it" vm_ends

nothing_said() {
	stub ci/regress/cell.sh 'exit 2'
	! regress KERNEL=running || fail "status 0"
	[[ $(row 'running 1.22.0 normal perf') = *' crash 0 '* ]] || fail "it is '$(row 'running 1.22.0 normal perf')'"
}
if [ "$(id -u)" = 0 ]; then check "a cell that says nothing has crashed" nothing_said; fi

names() {
	! regress PROBE=typo || fail "status 0"
	! regress BUILD=typo || fail "status 0"
	! regress PROBE=normal || fail "a build is taken for a probe"
	[ ! -e "$top/asked" ] || fail "measured"
	[ "$(wc -l <"$top/results/regress/cells.tsv")" = 2 ] || fail "there are new rows"
}
check "an unknown probe or build is refused" names

edited() { # while a VM measures
	echo 'echo "int x;" >>"${0%/*}/../../core/cli/record.c"' >>"$top/vm-does"
	! regress GO='1.22.0 1.23.12' >out 2>&1 || fail "status 0"
	grep -q 'changed while' out || fail "not said"
	expect_row '6.1 1.22.0 normal thesis' '6.1.1-test exact 29 '
	expect_row '6.1 1.23.12 normal thesis' ''
}
check "sources that change in between end it" edited

same_binary() {
	printf '#!/bin/sh\necho old\n' >"$top/gotrace"
	chmod +x "$top/gotrace"
	stub ci/vm/initramfs.sh '
		top=${0%/*}/../..
		if [ "$1" = --folder ]; then cp "$2/cells" "$top/asked"; : >"$3"; else "$2" >>"$top/binaries"; : >"$1"; fi'
	printf '%s\n' 'printf "#!/bin/sh\necho new\n" >"${0%/*}/../../gotrace"' >>"$top/vm-does"
	regress GOTRACE="$top/gotrace" GO='1.22.0 1.23.12' || fail "status $?"
	printf 'old\nold\n' | diff - "$top/binaries"
}
check "all cells are of the gotrace that was there at the start" same_binary

worse() {
	says_all wrong
	! regress >out || fail "status 0"
	grep -q '^worse: wrong, was exact' out || fail "not said"
}
check "a cell that got worse is named" worse

fewer() {
	cp "$top/results/regress/cells.tsv" before
	sed 's/\t29\t/\t28\t/' before >after
	! "$here/worse.sh" before after >out || fail "status 0"
	grep -q 'fewer programs' out || fail "not said"
	sed 's/\texact\t/\t\t/' before >after
	! "$here/worse.sh" before after || fail "no result is not worse"
	"$here/worse.sh" before before || fail "the same is worse"
}
check "a cell of fewer programs is worse, and one without a result" fewer

gone_row() {
	cp "$top/results/regress/cells.tsv" before
	head -n 1 before >after
	! "$here/worse.sh" before after >out || fail "status 0"
	grep -q '^gone: 6.1 go1.22.0 normal thesis' out || fail "not said"
}
check "a cell that is gone is named" gone_row

new_refused() {
	cp "$top/results/regress/cells.tsv" before
	{ cat before; printf '6.1\t1.28.0\tstripped\tperf\t6.1.1-test\trefused\t0\tplain: unknown, run ci/go-layout.sh 1.28.0\tnew\n'; } >after
	"$here/worse.sh" before after || fail "without DWARF a new Go is refused"
	sed 's/stripped/normal/' after >normal
	! "$here/worse.sh" before normal || fail "status 0"
	sed 's/go-layout/other/' after >other
	! "$here/worse.sh" before other || fail "status 0"
}
check "a new cell may be refused only for want of a layout" new_refused

no_baseline() {
	rm -rf "$top/.git"
	! regress >out 2>&1 || fail "status 0"
	grep -q 'nothing to compare with' out || fail "not said"
	[ ! -e "$top/asked" ] || fail "measured for nothing"
}
check "without the committed rows that is said" no_baseline

stale() {
	regress
	sed -i 's/^[0-9a-f]*/other/' "$top"/build/regress/cells/6.1,1.22.0,normal,thesis
	sed -i 's/\(normal\tthesis\t.*\)exact\t29/\1wrong\t28/' "$top/results/regress/cells.tsv"
	GOTRACE=/bin/true O="$top/build" "$top/ci/regress.sh" --table >/dev/null || true
	expect_row '6.1 1.22.0 normal thesis' '6.1.1-test wrong 28 '
}
check "a committed row is not replaced by what other sources measured" stale

stale_programs() {
	regress
	echo "more 0 19" >>"$top/ci/regress/programs"
	sed -i 's/\texact\t29/\texact\t30/' "$top/results/regress/cells.tsv"
	GOTRACE=/bin/true O="$top/build" "$top/ci/regress.sh" --table >/dev/null || fail "status $?"
	expect_row '6.1 1.22.0 normal thesis' '6.1.1-test exact 30 '
}
check "nor by what other programs measured" stale_programs

unwritable() {
	regress
	rm -rf "$top/build/regress/cells" && : >"$top/build/regress/cells" # cells cannot be kept there
	says_all wrong
	! regress AGAIN=1 || fail "status 0"
}
check "a cell that cannot be kept is a failure" unwritable

absent() {
	mkdir folder
	echo 'plain 0' >folder/programs
	printf 'crash\t0\tplain: it was not built\n' >expected
	GOTRACE=/bin/true "$here/cell.sh" folder thesis | diff expected -
}
check "a program that was not built is a crash" absent

sampled() { # a gotrace whose samples are made up: shares, leafs and preempt
	mkdir folder
	printf 'leafs 3999\nshares 999\n' >folder/sampled
	printf '#!/bin/sh\n' | tee folder/leafs >folder/shares
	chmod +x folder/leafs folder/shares
	stub gotrace '
		case "$*" in
		sample*) : >trace ;;
		*--by=goroutine*) for i in $(seq "$SEEN"); do echo "goroutine $i,3,0.1"; done ;;
		*)
			echo path,samples,share_pct,self_samples,self_pct
			echo "runtime.goexit;main.two;main.leaf,$TWO,1,$TWO,1"
			echo "runtime.goexit;main.one;main.leaf,1000,1,1000,1"
			echo "runtime.goexit;main.deep;main.once,3000,1,3000,1"
			echo "main.lost,$LOST,1,$LOST,1" ;;
		esac'
	cell() { GOTRACE=$top/gotrace SEEN=$1 TWO=$2 LOST=$3 "$here/cell.sh" folder sample; }
	[ "$(cell 950 2000 30)" = $'exact\t2\t' ] || fail "it is $(cell 950 2000 30)"
	cell 850 2000 30 >out
	grep -q $'^wrong\t1\tshares: 850 goroutines of 1000$' out || fail "$(cat out)"
	cell 950 1500 30 >out
	grep -q $'^wrong\t1\tleafs: 1500 and 1000 samples, not 2:1$' out || fail "$(cat out)"
	cell 950 2000 300 >out
	grep -q $'^wrong\t0\t.*stacks have a root, one that has none: 300 main.lost' out || fail "$(cat out)"
}
check "a cell of samples is wrong by shares, goroutines or roots" sampled

toolchains() {
	printf '#!/bin/sh\n[ "${GOTOOLCHAIN:-local}" = local ] || [ "$GOTOOLCHAIN" = go1.30.1 ] || exit 1\necho ${GOTOOLCHAIN#local}\n' >go
	mkdir -p lib/go-1.31/bin
	printf '#!/bin/sh\necho go1.31.2\n' >lib/go-1.31/bin/go
	chmod +x go lib/go-1.31/bin/go
	# shellcheck disable=SC2034,SC1091 # used there
	asks() { (PATH=$PWD:$PATH; . "$here/../toolchain.sh"; packaged=$PWD/lib/go-; use_go "$1" && go env GOVERSION); }
	[ "$(asks 1.30.1)" = go1.30.1 ] || fail "not the proxy's"
	[ "$(asks 1.31.2)" = go1.31.2 ] || fail "not the package's"
	! asks 1.31.1 2>said || fail "another version is taken"
	grep -q 'golang-1.31-go' said
}
check "a Go version is the proxy's, or a package's" toolchains

newest() {
	stub go '[ "$1" != list ] || echo 1.31.2'
	regress GO='1.22.0 newest' PATH="$top:$PATH" || fail "status $?"
	expect_row '6.1 1.31.2 normal perf' '6.1.1-test exact 29 '
}
check "GO=newest is what the module proxy has" newest

by_sudo() { # gotrace as root gives a trace to the one who called sudo, who may not write here
	mkdir folder
	echo 'plain 0' >folder/programs
	: >folder/plain
	chmod +x folder/plain
	stub gotrace '[ -z "${SUDO_UID:-}${SUDO_GID:-}" ] || { echo "gotrace: trace: cannot be written" >&2; exit 125; }'
	SUDO_UID=65534 SUDO_GID=65534 GOTRACE=$top/gotrace "$here/cell.sh" folder thesis >out
	! grep refused out
}
check "sudo's caller is none of a cell's business" by_sudo

path() {
	regress KERNEL="$top/ci/vm/vmlinuz" >out || fail "status $?"
	grep -q 'normal *perf *exact 29' out || fail "not printed"
	! grep vmlinuz "$top/results/regress/cells.tsv" || fail "a path is in the table"
	says_all wrong
	! regress KERNEL="$top/ci/vm/vmlinuz" || fail "status 0"
}
check "cells of a kernel given by its path are printed, and are not in the table" path

every_name() {
	echo 'new10-x --probe=new10-x' >>"$top/ci/regress/probes"
	local topic
	# shellcheck disable=SC2016 # the topic's
	echo '. "$LIB"; echo $strategies; echo $pid_strategies' | tee counts.sh >topic.sh
	for topic in counts topic; do
		LIVE_ALL='' LIVE=$PWD GOTRACE=/bin/true TOP=$top LIB=$here/../live/lib.sh bash $topic.sh >$topic
	done
	[ "$(grep -c new10-x counts)" = 2 ] || fail "not in the topics that have all on each push"
	[ "$(paste -sd, topic)" = 'inline,inline emulated' ] || fail "others have on a push: $(cat topic)"
	LIVE_ALL='' LIVE_SLOW=1 LIVE=$PWD GOTRACE=/bin/true TOP=$top LIB=$here/../live/lib.sh bash counts.sh >counts
	[ "$(paste -sd, counts)" = 'inline,inline emulated' ] || fail "in a VM: $(cat counts)"
	LIVE_ALL=1 LIVE_SLOW=1 LIVE=$PWD GOTRACE=/bin/true TOP=$top LIB=$here/../live/lib.sh bash topic.sh >topic
	[ "$(grep -c new10-x topic)" = 2 ] || fail "not in all topics with LIVE_ALL=1"
}
check "a new way of probing is in the live tests too" every_name

totals
