#!/bin/bash
# gotrace sample -a and --cgroup: processes that ran before, begin later, and are gone at once.
# serial: samples every process of the machine
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

programs=$LIVE/programs/default

# begin ARG...: samples in the background, until `end`; sets sampler.
begin() {
	"$GOTRACE" sample "$@" -o trace >out 2>err &
	sampler=$!
	wait_for 60 sampling
}
# It has written what there was before.
sampling() { [ -s trace ] && grep -q sample < <("$GOTRACE" dump trace 2>/dev/null); }
end() {
	kill -INT "$sampler"
	wait "$sampler" || fail "gotrace ended with status $?: $(cat err)"
}
# share OPTION...: samples of what the options choose
samples() { gt report trace --by=program --format=csv -n 0 "$@" | awk -F, 'NR > 1 { n += $2 } END { print n + 0 }'; }

# Two that ran before and two that begin later, of which the functions are known.
all() {
	local before later
	"$programs/leafs" 100 >/dev/null &
	before=$!
	begin -a -F 999
	gt sample -F 49 -o inner -- "$programs/leafs" 2 >/dev/null # one gotrace beside another
	cp "$programs/leafs" ./later
	./later 2 >/dev/null
	end
	kill "$before"
	gt report trace --by=program --format=csv -n 0 >programs.csv
	cat programs.csv
	for later in leafs later; do
		[ "$(samples --process="$later")" -gt 300 ] || fail "$(samples --process="$later") samples of $later"
		gt report trace --by=path --format=csv -n 0 --process="$later" >rows.csv
		awk -F, 'NR > 1 && $(NF - 1) > 0 { sub(/^"/, "", $1); print $(NF - 1), $1 }' rows.csv >rows
		near "$(count 'main.two;main.leaf$' <rows)" "$(count 'main.one;main.leaf$' <rows)" 0.6667 200
	done
	gt report trace --by=process --format=csv -n 0 --process="$before" >one.csv
	[ "$(wc -l <one.csv)" = 2 ] || fail "not one process of that number: $(cat one.csv)"
	expect_grep "^leafs $before," one.csv
	expect_status 1 gt report trace --process=nobody 2>said
	expect_grep "no process of this trace matches 'nobody'" said
}
check "all processes of the host" all

# Samples stand for the processor time that was used; with two busy processors and more.
whole() {
	local stands cpu
	begin -a -F 499
	"$programs/leafs" 4 >/dev/null
	end
	stands=$(($(gt export trace -F folded | awk '{ n += $NF } END { printf "%.0f", n }') / 1000))
	cpu=$(gt info trace | awk '$1 == "end.sampled_cpu_ns" { print $2 }')
	echo "$stands us of $((cpu / 1000)) us"
	awk -v s="$stands" -v c="$((cpu / 1000))" 'BEGIN { exit !(c > 1e6 && s > 0.9 * c && s < 1.1 * c) }' || fail "not the processor time that was used"
}
check "samples stand for the processor time" whole

# So short that /proc has nothing of them any more when they are told of.
short() {
	local n=10000 named
	command -v cc >/dev/null || skip "needs a C compiler"
	printf '#include <stdlib.h>\nint main(int n, char **v)\n{\n\tvolatile unsigned x = 0;\n\tfor (int i = atoi(v[n - 1]); i; i--)\n\t\tx += i;\n\treturn 0;\n}\n' >short.c
	cc -O1 -Wl,--build-id=sha1 -o brief short.c
	begin -a -F 999
	local start=$SECONDS
	for ((i = 0; i < n; i++)); do ./brief 20000; done
	end
	named=$(gt info trace | awk '$1 == "processes" { print $2 }')
	echo "$named processes, $n of them brief, in $((SECONDS - start)) s"
	[ "$named" -ge "$n" ] || fail "processes are missing"
	[ "$(samples --process=brief)" -gt 100 ] || fail "$(samples --process=brief) samples"
	gt report trace --process=brief --format=csv -n 0 >rows.csv
	expect_grep '^main,' rows.csv
	gt info trace >info
	if grep -q 'end.maps_lost' info; then fail "$(grep maps_lost info)"; fi
}
check "processes that are gone at once" short

# A service that sleeps while many processes come and go. Its stacks are as whole afterwards as before.
quiet() {
	local service
	command -v cc >/dev/null || skip "needs a C compiler"
	cc -O2 -fomit-frame-pointer -o quiet "$TOP/fixtures/native/bursts.c"
	printf '#include <stdlib.h>\n#include <sys/wait.h>\n#include <unistd.h>\nint main(int n, char **v)\n{\n\tfor (int i = atoi(v[n - 1]); i; i--)\n\t\tfork() ? wait(NULL) : _exit(0);\n\treturn 0;\n}\n' >forks.c
	cc -O2 -o forks forks.c
	./quiet 2 >turns &
	service=$!
	wait_for 60 grep -q quiet turns
	begin -a -F 499
	./forks 5000
	kill -USR1 "$service"
	wait_for 120 eval '[ "$(wc -l <turns)" = 2 ]'
	end
	kill "$service"
	gt report trace --process=quiet --by=path -F csv -n 0 >rows.csv
	awk -F, 'NR > 1 && $(NF - 1) > 0 { sub(/^"/, "", $1); print $(NF - 1), $1 }' rows.csv >rows
	local all whole
	all=$(count . <rows)
	whole=$(count '^_start;.*;main(;|$)' <rows)
	echo "$whole of $all are whole"
	awk -v a="$whole" -v n="$all" 'BEGIN { exit !(n > 300 && a >= 0.99 * n - 5 * sqrt(0.99 * 0.01 * n)) }' ||
		{ sort -rn rows | head; fail "stacks without a root"; }
}
check "a quiet service among processes that come and go" quiet

group() {

	busy=
	for at in /sys/fs/cgroup /sys/fs/cgroup/unified; do
		[ -e $at/cgroup.procs ] && break
	done
	[ -e $at/cgroup.procs ] || skip "no control groups of version 2 are mounted"
	mkdir "$at/gotrace-test.$$" "$at/gotrace-test.$$/below" || skip "no control group can be made here"
	trap 'kill $busy 2>/dev/null; sleep 0.2; rmdir $at/gotrace-test.$$/below $at/gotrace-test.$$' EXIT
	"$programs/leafs" 100 >/dev/null & # outside
	busy=$!
	(echo "$BASHPID" >"$at/gotrace-test.$$/below/cgroup.procs" && exec "$programs/leafs" 100 >/dev/null) &
	busy="$busy $!"
	begin --cgroup "gotrace-test.$$" -F 999
	(echo "$BASHPID" >"$at/gotrace-test.$$/cgroup.procs" && exec "$programs/instep" 2 >/dev/null)
	end
	gt report trace --by=process --format=csv -n 0 >rows.csv
	cat rows.csv
	[ "$(grep -c '^leafs ' rows.csv)" = 1 ] || fail "not the one that is in it"
	[ "$(samples --process=leafs)" -gt 200 ] || fail "few samples of what ran before"
	[ "$(samples --process=instep)" -gt 200 ] || fail "few samples of what came later"
	expect_grep "gotrace-test" <(gt info trace | grep sample.host)
}
check "a control group and those below it" group
expect_refusal() {
	expect_status 125 gt sample --cgroup no/such/group 2>said
	expect_grep 'there is no such cgroup' said
	mkdir plain && touch plain/cgroup.procs
	expect_status 125 gt sample --cgroup "$PWD/plain" 2>said
	expect_grep 'there is no such cgroup' said
	expect_status 2 gt sample -a -- true 2>said
	expect_grep 'give one of' said
}
check "what there is not" expect_refusal

# A quarter of a processor does not keep up with two. gotrace read records for as long as there were new ones.
behind() {
	local cpu busy=() i
	command -v taskset >/dev/null || skip "taskset is not installed"
	cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
	for i in 1 2 3; do
		taskset -c "$cpu" "$programs/leafs" 600 >/dev/null &
		busy+=($!)
	done
	taskset -c "$cpu" "$GOTRACE" sample -a -F 20000 -o trace >out 2>err &
	sampler=$!
	wait_for 120 test -s trace
	sleep 3 # until the ring is full
	kill -INT "$sampler"
	wait_for 120 ended "$sampler"
	kill "${busy[@]}"
	wait "$sampler" || fail "gotrace ended with status $?: $(cat err)"
}
ended() { [ ! -e "/proc/$1" ] || grep -q '^State:.*Z' "/proc/$1/status"; }
check "a gotrace that cannot keep up ends when it should" behind
done_testing
