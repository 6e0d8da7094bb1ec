#!/bin/bash
# Springboard changes a program's code: what must not come of it. The longer
# version of these tests is experiments/springboard-safety.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=../../experiments/springboard-safety/compare.sh
. "$TOP/experiments/springboard-safety/compare.sh"
hazards=$LIVE/programs/default/hazards
"${CC:-cc}" -O2 -D_GNU_SOURCE -o "$LIVE/strike" "$TOP/experiments/springboard-safety/strike.c" 2>"$LIVE/strike.log" || true

# springboard KIND COMMAND...: traced so, and really so.
springboard() {
	local kind=$1
	shift
	gt record -o trace --probe=springboard --stub="$kind" "${SELECT[@]}" -- "$@"
}
SELECT=()
stubs_used() { # TRACE
	gt info "$1" >told
	[ "$(awk '$1 == "end.stubs" { print $2 }' told)" -gt 0 ] || fail "no stub was used"
	[ "$(awk '$1 == "end.stubs_left" { print $2 }' told)" = 0 ] || fail "a stub was not entered"
}
exact() { # KIND BINARY ARG...
	springboard "$@" >printed 2>err
	stubs_used trace
	gt report trace --by=function --format=csv >report.csv
	compare_counts printed report.csv
}

# A program that a signal cannot stop in time hangs: the limit is all that this needs.
for kind in jump nop; do
	check "a loop of functions without a stack check lets others run, $kind" exact $kind "$hazards" flag 20
	check "the collector runs beside such loops, $kind" exact $kind "$hazards" collect 100
	check "8 goroutines with moving stacks, $kind" exact $kind "$hazards" crowd 8 6000
	check "signals at 1 kHz and a CPU profile, $kind" exact $kind "$hazards" signals 4 6000
	check "a system call filter that kills, $kind" exact $kind "$hazards" seccomp
done
check "64 goroutines" exact jump "$hazards" crowd 64 6000
check "64 goroutines, PIE" exact jump "$LIVE/programs/pie/hazards" crowd 64 6000
check "8 goroutines, no symbols" exact jump "$LIVE/programs/stripped/hazards" crowd 8 6000
GODEBUG=asyncpreemptoff=1 check "without asynchronous preemption" exact jump "$hazards" crowd 8 6000

everything() {
	"$hazards" hash 200 | grep '^sum' >plain
	SELECT=(-p all)
	GODEBUG=fips140=on ALLOW='^([^m]|m[^a]|ma[^i])' exact jump "$hazards" hash 200
	grep '^sum' printed | cmp plain -
}
check "every package, and code that checks itself (fips140=on)" everything

same_counts() { # in every strategy
	local p
	for p in $strategies; do
		gt record -o trace --probe="$p" -- "$hazards" crowd 4 600 >printed 2>err
		gt report trace --by=function --format=csv >report.csv
		compare_counts printed report.csv
		cut -d, -f1,2 report.csv | sort >"counts.$p"
		cmp "counts.${strategies%%$'\n'*}" "counts.$p"
	done
}
check "the same counts in every strategy" same_counts

tracebacks() { # KIND
	local how
	for how in 0 1 2 4; do
		expect_status 2 "$hazards" crash "$how" 2>plain
		expect_status 2 springboard "$1" "$hazards" crash "$how" 2>traced
		frames <plain >plain.frames
		frames <traced >traced.frames
		grep -q 'main.through' plain.frames || fail "there is no traceback"
		diff plain.frames traced.frames || fail "another traceback"
	done
}
for kind in jump nop; do check "a panic shows the same frames, $kind" tracebacks $kind; done

quits() {
	local i
	for i in 1 2 3 4 5; do
		expect_status 134 env GOTRACEBACK=crash bash -c 'ulimit -c 0; exec "$@"' sh \
			timeout 60 "$GOTRACE" record -o trace --probe=springboard -- "$hazards" quit $((i * 7)) 2>traced
		quit_frames traced >judged || { cat traced; fail "$(cat judged)"; }
	done
}
check "SIGQUIT shows every goroutine's frames" quits

same_state() { # KIND
	"$hazards" state 2>err | grep -v '^count' >plain
	springboard "$1" "$hazards" state 2>err | grep -v '^count' >traced
	stubs_used trace
	diff plain traced || fail "the program sees a difference"
}
for kind in jump nop; do check "descriptors, signals and privileges are the same, $kind" same_state $kind; done

with_children() {
	exact jump "$hazards" children 3
	[ "$(grep -c '^from child [0-9-]* <nil>$' err)" = 3 ] || { cat err; fail "a child of the same binary went wrong"; }
	[ "$(grep -c '^from sh <nil>$' err)" = 3 ] || { cat err; fail "a child went wrong"; }
}
check "children of the same binary and others" with_children

executes_itself() {
	springboard jump "$LIVE/programs/default/reexec" >printed 2>err
	expect_grep 'springboard is not used.*execute itself' err
	gt report trace --by=function --format=csv >report.csv
	compare_counts printed report.csv
}
check "a program that can execute itself is not patched" executes_itself

raw_exec() {
	springboard jump "$hazards" rawexec >printed 2>err
	grep -q '^from again 2164614088$' printed || { cat printed err; fail "the new image went wrong"; }
	gt report trace >text 2>&1
	gt info trace >>text 2>&1
	expect_grep 'executed itself anew' text
}
check "a new image behind the library's back is said" raw_exec

set_uid() {
	cp "$hazards" raised
	chmod 6755 raised
	exact_anyhow 'springboard is not used.*gains privileges' ./raised state
}
exact_anyhow() { # WARNING BINARY ARG...; not by springboard
	local warning=$1
	shift
	springboard jump "$@" >printed 2>err
	expect_grep "$warning" err
	[ "$(gt info trace | awk '$1 == "probe.strategy" { print $2 }')" = emulated ] || fail "emulated is not what the trace says"
	gt report trace --by=function --format=csv >report.csv
	compare_counts printed report.csv
}
check "a set-uid program is not patched" set_uid

traced_already() {
	command -v strace >/dev/null || skip "strace is not installed"
	strace -f -o /dev/null timeout 60 "$GOTRACE" record -o trace --probe=springboard -- "$hazards" crowd 2 600 >printed 2>err
	expect_grep 'springboard is not used.*ptrace' err
	gt report trace --by=function --format=csv >report.csv
	compare_counts printed report.csv
}
check "where something else traces it, it is not patched" traced_already

no_executable_memory_files() {
	[ -e /proc/sys/vm/memfd_noexec ] || skip "this kernel has no vm.memfd_noexec"
	# shellcheck disable=SC2016 # expanded by the inner shell
	unshare --pid --fork --mount-proc bash -c 'echo 2 >/proc/sys/vm/memfd_noexec && exec "$@"' sh \
		timeout 60 "$GOTRACE" record -o trace --probe=springboard -- "$hazards" crowd 2 600 >printed 2>err
	stubs_used trace
	gt report trace --by=function --format=csv >report.csv
	compare_counts printed report.csv
}
check "where files in memory may not be executed" no_executable_memory_files

# Probes of the kernel's own, in every process, on what springboard leaves in place.
tracefs=/sys/kernel/tracing group=gotrace_live_$$
switch() { echo "$1" >"$tracefs/events/$group/enable"; }
remove_probes() {
	switch 0
	sed -n "s|^p:\($group/[^ ]*\).*|-:\1|p" "$tracefs/uprobe_events" | while read -r line; do
		echo "$line" >>"$tracefs/uprobe_events"
	done
}
others_probes() { # before | during
	local off job i
	[ -w "$tracefs/uprobe_events" ] || skip "no tracefs"
	probed_by_others "$hazards" leaf framed either checked dive work >sites
	[ "$(wc -l <sites)" -ge 12 ] || fail "few sites: $(cat sites)"
	trap remove_probes EXIT
	while read -r off; do
		echo "p:$group/at_$off $hazards:$off" >>"$tracefs/uprobe_events" || fail "no probe at $off"
	done <sites
	if [ "$1" = before ]; then
		switch 1
		exact jump "$hazards" crowd 4 2000
	else
		exact jump "$hazards" crowd 4 40000 &
		job=$!
		for i in 1 2 3; do
			switch 1
			sleep "0.$i"
			switch 0
		done
		wait "$job" || fail "it went wrong"
	fi
	awk '$2 ~ /^at_/ { hits += $3 } END { exit hits == 0 }' "$tracefs/uprobe_profile" || fail "the other probes were not hit"
}
check "another tool's probes were there before" others_probes before
check "another tool's probes come and go" others_probes during

# ---- gotrace and the program are hit by signals at the worst moments

struck() { # STATUS WHEN WHOM SIGNALS: both end, with this status; nothing hangs
	[ -x "$LIVE/strike" ] || skip "strike was not built: $(tail -n 1 "$LIVE/strike.log")"
	local tries
	for tries in $(seq 20); do
		status=0
		"$LIVE/strike" "$2" "$3" "$4" "$GOTRACE" record -o trace --probe=springboard -- "$hazards" crowd 2 6000 >printed 2>err || status=$?
		! grep -q 'strike: hangs' err || fail "it hangs"
		if grep -q 'strike: hit' err; then break; fi
	done
	grep -q 'strike: hit' err || skip "the moment was not hit in $tries tries"
	[ "$status" = "$1" ] || { cat err; fail "status $status"; }
}
goes_on() { # WHEN WHOM SIGNALS
	struck 0 "$@"
	gt report trace --by=function --format=csv >report.csv
	compare_counts printed report.csv
}
for when in held exec; do
	for whom in target group; do
		check "SIGCONT to the $whom, $when" goes_on $when $whom 18
		check "SIGSTOP and SIGCONT to the $whom, $when" goes_on $when $whom 19,18
		check "SIGTERM and SIGCONT to the $whom, $when" struck 143 $when $whom 15,18
	done
	check "SIGINT to the group, $when" struck 130 $when group 2
	check "SIGKILL to the program, $when" struck 137 $when target 9
done
orphaned() { # WHEN
	struck 137 "$1" tracer 9
	sleep 0.5
	[ ! -s printed ] || fail "the program has run"
	! pgrep -f "^$hazards" >/dev/null || fail "the program is left"
}
for when in held exec; do check "SIGKILL to gotrace, $when" orphaned $when; done
goes_on_alone() {
	struck 137 runs tracer 9
	wait_for 20 grep -q '^count main.work' printed
	"$hazards" crowd 2 6000 | sort >plain
	sort printed | cmp plain -
}
check "SIGKILL to gotrace while the program runs" goes_on_alone

done_testing
