#!/bin/bash
# The states of goroutines (record --states).
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# lawful EVENTS: each goroutine goes through states as Go's scheduler has them, with a wake between
# waiting and running but for what a goroutine does inside the garbage collector and for coroutines.
lawful() {
	awk '
	function bad(why) { if (wrong++ < 10) print NR ": " why ": " $0 }
	/^@set states.reason/ { n = substr($2, 15); reason[n] = $0; sub(/^@set [^ ]* /, "", reason[n]); next }
	/^@/ { next }
	{ sub(/ site=[0-9]+/, "") }
	$2 == "image" { delete is; next }
	$2 == "create" { split($0, a, "arg0="); is[a[2] + 0] = 2; created++; next }
	$2 == "end" { if (is[$1] != 1 && $1 in is) bad("ends while in state " is[$1]); delete is[$1]; next }
	$2 == "wake" {
		wakes++
		if ($4 in is && is[$4] != 3) bad("wakes one in state " is[$4])
		if ($1 && $1 in is && is[$1] != 1 && is[$1] != 3) bad("woken by one in state " is[$1])
		is[$4] = 2; next
	}
	# the kernel tells whether a thread has a processor: off (6) and on again, whatever states say
	$2 == "state" && ($4 % 256 == 6 || $4 == 257 || $4 == 260) {
		off = $4 % 256 == 6
		if (off && int($4 / 256) > 2) bad("off the processor for no known reason")
		if (!off && $1 in is_off && !is_off[$1]) bad("comes to a processor and has one")
		# on some machines the kernel does not tell all; gotrace says of how many
		if (off && is_off[$1] && missed-- <= 0) bad("leaves the processor and has none")
		is_off[$1] = off; switches++; next
	}
	$2 == "state" {
		now = $4 % 256; why = int($4 / 256); was = ($1 in is) ? is[$1] : 0
		states++
		if (now < 1 || now > 4 || $4 > 65535 || (now != 3 && why)) bad("no such state")
		if (now == 3 && !(why in reason)) bad("no such reason")
		if (now == 3) waits++
		if (was == 2 && now != 1 && !(now == 3 && reason[why] == "coroutine")) bad("runnable becomes " now)
		if (was == 3 && now == 1 && reason[was_why[$1]] !~ /GC|garbage|stopping|heap|coroutine|trace|preempted|flushing/ && !old)
			bad("runs without a wake after waiting for " reason[was_why[$1]])
		if (was == 3 && now != 1) bad("waiting becomes " now)
		if (was == 4 && now == 3) bad("in a system call becomes waiting")
		is[$1] = now; was_why[$1] = why
	}
	END { print states + 0 " states, " waits + 0 " waits, " wakes + 0 " wakes, " created + 0 " created"
		exit wrong > 0 || states < 1000 || wakes < 500 }' old="$([ "$go_minor" -lt 20 ] && echo 1)" \
		missed="$(gt info trace | awk '$1 == "end.off_cpu_missed" { print $2 }')" "$1"
}
# waits EVENTS: reason (or state) and nanoseconds of goroutine 1, summed.
waits() {
	awk '
	/^@set states.reason/ { n = substr($2, 15); reason[n] = $0; sub(/^@set [^ ]* /, "", reason[n]); next }
	/^@/ { next }
	{ sub(/ site=[0-9]+/, "") }
	$2 == "wake" && $4 == 1 || $2 == "state" && $1 == 1 && $4 % 256 != 6 && $4 != 257 && $4 != 260 {
		t = $5
		if (is == 3) sum[why] += t - since; else if (is == 4) sum["syscall"] += t - since
		is = $2 == "wake" ? 2 : $4 % 256; why = is == 3 ? reason[int($4 / 256)] : ""; since = t
	}
	END { for (w in sum) printf "%s\t%.0f\n", w, sum[w] }' "$1"
}

# The program's clock around each wait, and half of what was asked for: the wait lies between.
known_waits() { # EVENTS OUT
	local reason asked measured name got
	waits "$1" >waits
	while read -r name; do
		case $name in wait\ *) ;; *) continue ;; esac
		measured=${name##* } name=${name% *} asked=${name##* } name=${name% *} name=${name#wait }
		reason=$name
		case $name in
		mutex) reason='sync.Mutex.Lock|semacquire' ;;
		'wait group') reason='sync.WaitGroup.Wait|semacquire' ;;
		esac
		got=$(grep -E "^($reason)	" waits | awk -F'\t' '$2 > m { m = $2 } END { printf "%.0f", m }')
		# semacquire and system calls are also others
		[ "$got" -ge $((asked * 500000)) ] || fail "$name: waited $got ns, asked for $asked ms: $(cat waits)"
		case $name in chan*|select|sleep|IO*)
			[ "$got" -le $((measured * 3)) ] || fail "$name: waited $got ns, the program measured $measured" ;;
		esac
	done <"$2"
}
# Waits of known length: what the trace has of each, and of being runnable after it, is what the program's clock says, within 1 % or
# 1 ms. Where others took the processor as the program looked at its clock it says more: so the best of three.
spans() { # EVENTS: reason, nanoseconds of goroutine 1's longest wait for it, and of that and what it was runnable afterwards
	awk '
	/^@set states.reason/ { n = substr($2, 15); reason[n] = $0; sub(/^@set [^ ]* /, "", reason[n]); next }
	/^@/ { next }
	{ sub(/ site=[0-9]+/, "") }
	$2 == "wake" && $4 == 1 || $2 == "state" && $1 == 1 && $4 % 256 != 6 && $4 != 257 && $4 != 260 {
		now = $2 == "wake" ? 2 : $4 % 256
		if (is == 3) { waited = $5 - since; from = since }
		if (now == 1 && waited && waited > most[why]) { most[why] = waited; until_run[why] = $5 - from }
		if (now == 1) waited = 0
		if (now == 3) why = reason[int($4 / 256)]
		is = now; since = $5
	}
	END { for (w in most) printf "%s\t%.0f\t%.0f\n", w, most[w], until_run[w] }' "$1"
}
known_to_a_millisecond() { # VARIANT
	local try
	for try in 1 2 3; do
		expect_status 0 gt record --states -o trace -- "$LIVE/programs/$1/states" 20 >out
		spans <(gt dump trace) >spans
		awk '
		FNR == NR { n = split($0, a, "\t"); waited[a[1]] = a[2]; until_run[a[1]] = a[3]; next }
		/^wait / {
			asked = $(NF - 1) * 1e6; measured = $NF; name = $0
			sub(/^wait /, "", name); sub(/ [0-9]+ [0-9]+$/, "", name)
			if (name == "mutex" || name == "wait group" || name == "syscall") next # their reasons are of others, too
			seen++
			off = until_run[name] - measured; room = measured / 100 > 1e6 ? measured / 100 : 1e6
			printf "%s: asked for %d, waited %d, until it ran %d, by the clock %d\n", name, asked, waited[name], until_run[name], measured
			if (waited[name] < asked || off > room || off < -room) bad = 1
		}
		END { exit bad || seen != 5 }' spans out >said && return
	done
	fail "three times not within 1 % or 1 ms: $(cat said)"
}
exact() { # STRATEGY VARIANT [OPTION...]
	local strategy=$1 program=$LIVE/programs/$2/states n=2000
	shift 2
	[ "$strategy" = inline ] || n=200
	expect_status 0 gt record --states --probe="$strategy" --max-cost=off "$@" -o trace -- "$program" $n >out
	gt dump trace >events
	gt info trace >info
	expect_grep '^states +1$' info
	expect_grep '^states.sites +runtime.casgstatus:' info
	expect_grep '^end.lost_events +0$' info
	lawful events
	known_waits events out
}
for strategy in $strategies; do
	check "states, $strategy" exact "$strategy" default
done
check "states of a stripped program" exact auto stripped
check "states of a position-independent program" exact auto pie
for variant in default stripped pie; do
	check "waits of known length to a millisecond, $variant" known_to_a_millisecond $variant
done

# Each call's parts add up to its duration and its reasons to its wait; main.known has its known waits, and who ended them is told.
single_calls() { # STRATEGY
	local n=2000
	[ "$1" = inline ] || n=200
	expect_status 0 gt record --states --probe="$1" --max-cost=off -o trace -- "$LIVE/programs/default/states" $n >out
	gt export --format=csv --calls trace >calls
	awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		function ns(name) { return $column[name] }
		{
			calls++; sum = 0; n = split(ns("waits"), a, ";")
			for (i = 1; i <= n; i++) { split(a[i], b, "="); sum += b[2]; if (ns("function") == "main.known") waited[b[1]] = b[2] }
			if (sum != ns("wait_ns")) { print "reasons: " $0; bad = 1 }
			if (ns("run_ns") + ns("runnable_ns") + ns("wait_ns") + ns("syscall_ns") + ns("unknown_ns") + ns("off_cpu_ns") != ns("duration_ns") + 0) {
				print "parts: " $0; bad = 1
			}
		}
		END {
			for (r in waited) printf "%s %.0f\n", r, waited[r]
			exit bad || calls < 1000 || waited["sleep"] < 120e6 || waited["chan receive"] < 100e6 || waited["chan send"] < 90e6 ||
				waited["select"] < 80e6
		}' calls >said || fail "waits of single calls: $(head -n 5 said)"
	gt report --by=reason -n 0 --format=csv trace >reasons
	expect_grep '^main\.known(\.func1)?,sleep,1,[0-9]+,[0-9]+,\[runtime\],' reasons
	expect_grep '^main\.known[.func0-9]*,chan receive,1,[0-9]+,[0-9]+,main\.(known|after)' reasons
	expect_grep '^main\.known[.func0-9]*,chan send,1,[0-9]+,[0-9]+,main\.(known|after)' reasons
}
for strategy in $strategies; do
	check "waits of single calls and who ended them, $strategy" single_calls "$strategy"
done

# Four loops for each processor, none for longer than 100 s, until quiet_machine. Sets jobs.
busy_machine() {
	local i
	jobs=
	for ((i = 4 * $(nproc); i > 0; i--)); do
		timeout 100 sh -c 'while :; do :; done' &
		jobs+=" $!"
	done
}
# shellcheck disable=SC2086 # numbers
quiet_machine() { kill $jobs; }
# The goroutines of the trace have run for no longer than the kernel says that the program had processors.
ran_within_processor_time() {
	gt report --by=goroutine -F csv trace >csv
	gt info trace | grep 'end.target_cpu_ns' >info
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } FILENAME == "csv" { ran += $at["run_ns"]; next }
		END { split($0, a, " "); print "all ran " ran " ns, processor time " a[2]; exit !(a[2] > 0 && ran > 0 && ran <= 1.1 * a[2]) }' csv info ||
		fail "goroutines ran for longer than the program had processors"
}
# Goroutines that end while their threads lose the processor end there: none runs on to the end of the trace. Their stacks are copied
# all the time, with a trap, and a thread that traps is one that loses its processor.
short_lives() {
	local jobs
	busy_machine
	expect_status 0 gt record --states -o trace -- "$LIVE/programs/default/storm" 1 10000 >out 2>err
	quiet_machine
	gt dump trace | awk '$2 == "end" { ended[$1] } $2 == "state" && $1 in ended { n++ } END { print n + 0 " switches behind the end of a goroutine" }'
	ran_within_processor_time
	[ -z "$(cut -d, -f1 csv | sort | uniq -d)" ] || fail "two goroutines have one number: $(cut -d, -f1 csv | sort | uniq -d | head -n 3)"
}
check "goroutines that end beside a busy machine" short_lives

# When a process dies each of its threads needs a processor once more. What these executed has ended before.
dies_busy() {
	local jobs recording status=0
	busy_machine
	GOMAXPROCS=8 "$GOTRACE" record --states -f main.round -o trace -- "$LIVE/programs/default/steady" 8 0 100s >out 2>err &
	recording=$!
	began() { grep -q '^[0-9]* entry main.round' < <(gt dump trace 2>/dev/null); }
	wait_for 60 began
	kill -KILL "$(gt info trace | awk '$1 == "pid" { print $2 }')"
	wait $recording || status=$?
	quiet_machine
	[ $status = 137 ] || fail "status $status: $(cat err)"
	ran_within_processor_time
}
check "goroutines of a process that dies beside a busy machine" dies_busy

running() { # STRATEGY
	"$LIVE/programs/default/states" 2000 "$PWD/begin" >out &
	local pid=$! job
	"$GOTRACE" record --max-cost=off --states --probe="$1" -o trace --pid $pid 2>err &
	job=$!
	attached() { "$GOTRACE" info trace 2>/dev/null | grep -q '^attach.time_ns'; }
	wait_for 60 attached
	touch begin
	wait $pid
	wait $job
	gt dump trace >events
	lawful events
}
for strategy in $pid_strategies; do
	check "states of a running process, $strategy" running "$strategy"
done

# A thread that shares a processor with a loop: what it runs is what the kernel says it executed.
# Stolen time is in neither, or in both.
shares_a_processor() { # STRATEGY
	local before job
	[ -e "$LIVE/programs/default/half" ] || skip "the program half was not built"
	timeout 100 taskset -c 0 sh -c 'while :; do :; done' &
	job=$!
	before=$(stolen)
	expect_status 0 gt record --states --probe="$1" -o trace -- "$LIVE/programs/default/half" 500 0 >out 2>err || {
		kill $job
		return 1
	}
	kill $job
	gt report -F csv trace >csv
	gt info trace >info
	expect_grep '^states.off_cpu +told$' info
	awk -F, -v stolen=$(($(stolen) - before)) '
		FNR == NR { split($0, a, " "); wall[a[1]] = a[2]; cpu[a[1]] = a[3]; next }
		FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
		$1 in wall {
			# Go preempts it, too: then it is runnable
			run = $column["total_run_ns"]; off = $column["total_off_cpu_ns"] + $column["total_runnable_ns"]; seen++
			room = 0.03 * wall[$1] + 5e6 + stolen
			print $1 ": ran " run ", off " off "; by the kernel " cpu[$1] " of " wall[$1] ", stolen " stolen
			if (run < cpu[$1] - room || run > cpu[$1] + room) bad = 1
			if (off < wall[$1] - cpu[$1] - room || off > wall[$1] - cpu[$1] + room) bad = 1
			if ($column["total_off_cpu_ns"] < wall[$1] / 10) bad = 1
		}
		END { exit bad || seen != 2 }' out csv || fail "OFF-CPU is not what the kernel says"
}
for strategy in $strategies; do
	check "a thread that shares its processor, $strategy" shares_a_processor "$strategy"
done

no_btf() {
	needs_hidden_btf
	without_btf "$GOTRACE" record --states -o trace -- "$LIVE/programs/default/half" 50 >out 2>err || fail "it ended with $?: $(cat err)"
	gt report trace >report
	expect_grep '^RUN includes time in which threads had no processor: ' report
	expect_grep '^states.off_cpu +this kernel does not allow it' <(gt info trace)
	if gt dump trace | awk '$2 == "state" && ($4 % 256 == 6 || $4 == 257 || $4 == 260) { n++ } END { exit !n }'; then fail "it was told"; fi
}
check "a thread without a processor, on a kernel without type information" no_btf

not_together() {
	expect_status 2 gt record --states --trial=1 -- "$LIVE/programs/default/states" 2>err
	expect_grep "trial keeps no states" err
}
check "what --states does not go with" not_together
done_testing
