#!/bin/bash
# record --max-cost: functions are released while the program runs, and all counts stay exact.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
costly=$LIVE/programs/default/costly
# Inline stubs are cheap, so their share is above a limit only with a hundredth of the work between events.
dense=$LIVE/dense
sed 's/i < 30000000;/i < 300000;/' "$TOP/fixtures/programs/costly/main.go" >"$LIVE/dense.go"
CGO_ENABLED=0 go build -o "$dense" "$LIVE/dense.go"
# runs STRATEGY: the program, and its rounds for a second of processor time or half
runs() {
	case $1 in inline) echo "$dense" 1500 ;; *) echo "$costly" 15 ;; esac
}

# calls_told FUNCTION: as the program printed them
calls_told() { awk -v f="main.$1" '$1 == "count" && $2 == f { print $3 }' out; }

# The trace as text: no event of a function follows its release; whoever was entered has returned,
# and in every whole call of caller before the release there are 100 calls of hot.
check_events() {
	gt dump trace >events
	awk '
	$2 == "released" && $1 !~ /^@/ { if ($3 in gone) { print "released twice: " $0; bad = 1 } gone[$3] = 1; next }
	$1 ~ /^[0-9]+$/ && $3 in gone { print "after its release: " $0; bad = 1; exit }
	$2 == "entry" && $3 == "main.caller" { n[$1] = 0; whole[$1] = !("main.hot" in gone) }
	$2 == "entry" && $3 == "main.hot" { n[$1]++; hot++ }
	$2 == "morestack" && $3 == "main.hot" { n[$1]-- } # thesis: it is entered again
	$2 == "exit" && $3 == "main.caller" && whole[$1] && !("main.hot" in gone) {
		if (n[$1] != 100) { print n[$1] " calls of hot before: " $0; bad = 1 }
		checked++
	}
	END { print checked + 0 " calls of caller checked, " hot + 0 " of hot"; exit bad }' events || fail "events"
}

# What was released has the calls of its events, all others those that the program made.
check_counts() {
	local f released
	for f in main main.func1 rounds caller work hot inner leaf; do
		released=$(awk -v f="main.$f" '$2 == "released" && $3 == f' events)
		if [ -z "$released" ]; then
			[ "$(csv_calls trace "main.$f")" = "$(calls_told "$f")" ] ||
				fail "main.$f: $(csv_calls trace "main.$f") calls, not $(calls_told "$f")"
			continue
		fi
		[ "$(csv_calls trace "main.$f")" = \
			"$(awk -v f="main.$f" '$3 != f || /^@/ { next } $2 ~ /^entry/ { n++ } $2 == "morestack" { n-- }
				END { print n + 0 }' events)" ] ||
			fail "main.$f: its calls are not those of its events"
		[ "$(csv_calls trace "main.$f")" -le "$(calls_told "$f")" ] || fail "main.$f: too many calls"
	done
	[ "$(grep -Ec ' released main.(hot|leaf|inner) ' events)" -gt 0 ] || fail "nothing was released"
	for f in caller work rounds; do
		if grep -q " released main.$f " events; then fail "main.$f was released"; fi
	done
	[ "$(awk -F, 'NR > 1 { n += $11 } END { print n + 0 }' <(gt report trace --format=csv))" = 0 ] ||
		fail "calls are suspect"
	gt report trace >text
	expect_grep 'main.(hot|leaf|inner) .*released after [0-9]+ calls?\)' text
	expect_grep '^released while recording, .*main.(hot|leaf|inner) after [0-9]+ call' text
	expect_grep 'no event was lost' text
}

launched() { # STRATEGY ARG...
	local share program rounds times
	read -r program rounds < <(runs "$1")
	share=$(share_of "$program" $((rounds / 3)) --probe "$@")
	for times in 1 4 16; do # on a busy machine the program may end before gotrace looks
		gt record --probe "$@" --max-cost="$share" -o trace -- "$program" $((rounds * times)) >out 2>err
		gt dump trace >events
		if grep -Eq ' released main.(hot|leaf|inner) ' events; then break; fi
	done
	check_events
	check_counts
	expect_grep 'main.caller .*self includes ' text
}
# share_of PROGRAM ROUNDS ARG...: a share of the processor time between what the probes of hot, leaf and inner take and what
# those of all others do: their geometric mean. gotrace's own estimate of all counts, since it keeps that below the share. It is
# divided by the calls: for two of others there are 225 of these.
share_of() {
	gt record --trial 60s --max-cost=95% "${@:3}" -- "$1" "$2" >out.whole 2>err.whole
	awk '/^probing took about [0-9.]+% of / { all = $4 + 0 }
		END { if (all <= 0) exit 1; printf "%.5f%%", all * sqrt(2 / 227) }' err.whole ||
		fail "what the probes take is not known" >&2
}
for strategy in $strategies; do
	check "functions are released, $strategy" launched "$strategy"
done
check "... with a link for each probe" launched emulated --attach=perf
check "... with a link for each probe, in stubs" launched springboard --attach=perf

running() { # STRATEGY
	local share target program rounds job
	read -r program rounds < <(runs "$1")
	share=$(share_of "$program" $((rounds / 3)) --probe="$1")
	"$program" "$rounds" told >out 2>err.target &
	target=$!
	wait_for 60 grep -q ready out
	"$GOTRACE" record --probe="$1" --traps --max-cost="$share" -o trace --pid "$target" 2>err &
	job=$!
	wait_for 60 begun "$job"
	kill -USR1 "$target"
	wait "$target" || fail "the target ended with status $?"
	wait "$job" || fail "status $?: $(cat err)"
	sed -i '/ main.main 1$/s/1$/0/' out # it began before
	check_events
	check_counts
}
for strategy in $pid_strategies; do
	check "... of a process that runs, $strategy" running "$strategy"
done

# hits_of TRACE FUNCTIONS: events of these functions, and hits after their release
hits_of() {
	gt dump "$1" | awk -v all="$2" 'BEGIN { for (n = split(all, f, " "); n; n--) is[f[n]] }
		$1 ~ /^[0-9]+$/ && $2 != "released" && $3 in is { hits++ } END { print hits + 0 }'
}
# What is released costs no more, in a run so many times as long. Detaching takes the kernel a while, on a busy machine longer than the
# program runs: then it runs longer. Hits that went on would stay the same share of all.
cheaper() { # STRATEGY SHARE TIMES
	local all some released program rounds times
	read -r program rounds < <(runs "$1")
	gt record --probe="$1" -o whole -- "$program" "$rounds" >out
	for times in "$3" $(($3 * 4)) $(($3 * 16)); do
		gt record --probe="$1" --max-cost="$2" -o trace -- "$program" $((rounds * times)) >out 2>err
		if grep -q 'stubs of released' err; then fail "stubs stay: $(cat err)"; fi
		released=$(gt dump trace | awk '$2 == "released" { print $3 }' | tr '\n' ' ')
		all=$(($(hits_of whole "$released") * times)) # as many in each round
		some=$(($(hits_of trace "$released") + $(gt info trace | awk '$1 == "end.released_hits" { print $2 }')))
		echo "$some of $all hits of $released were still there"
		[ -z "$released" ] || [ "$some" -ge $((all / 2)) ] || return 0
	done
	fail "none were released, or they cost what they did"
}
check "its probes are detached" cheaper emulated 0.3% 1
check "its inline stubs record nothing" cheaper inline 0.3% 4

enough() { # nothing is released where nothing is costly
	gt record --max-cost=95% -x main.hot -x main.leaf -x main.inner -o trace -- "$costly" 5 >out
	gt dump trace >events
	if grep -q ' released ' events; then fail "released: $(grep ' released ' events)"; fi
	gt report trace >text
	if grep -q released text; then fail "the report says so"; fi
}
check "nothing is released below the share" enough

way_of() { gt info trace | awk '$1 == "probe.strategy" { print $2 }'; }
as_ever() { # what is off costs nothing, so it is no reason to probe otherwise
	gt record -o trace -- "$costly" 2 >out 2>err
	local way
	way=$(way_of)
	gt record --max-cost=95% -o trace -- "$costly" 2 >out 2>err
	[ "$(way_of)" = "$way" ] || fail "auto takes $(way_of), not $way"
	grep warning err | grep -v 'than it does untraced' >warned || true # of a run this short, beside others
	[ ! -s warned ] || fail "warned: $(cat err)"
}
check "auto takes what it does without it" as_ever

# What --trial proposes can be pasted; the program goes on.
trial_launched() {
	local seconds share
	share=$(share_of "$costly" 10 --probe=emulated)
	for seconds in 1 4 16; do # on a busy machine it does less in a second
		expect_status 0 gt record --trial ${seconds}s --max-cost="$share" --probe=emulated -- "$costly" $((seconds * 200)) >out 2>err
		! grep -q ' main.\(hot\|leaf\)  (released)$' err || break
	done
	[ "$(calls_told caller)" = $((seconds * 400)) ] || fail "the command did not go on to its end"
	expect_grep '^trial of .* no trace was written; the command goes on, without probes$' err
	expect_grep ' main.(hot|leaf)  \(released\)$' err
	expect_grep '^to keep probing below [0-9.]+% of the processor time:.* -x main.(hot|leaf)' err
	[ ! -e gotrace.out ] || fail "a trace was written"
	# shellcheck disable=SC2046 # options
	gt record --probe=emulated $(sed -n 's/^to keep .* time://p' err) -o trace -- "$costly" 3 >out
	[ "$(csv_calls trace main.caller)" = 6 ] || fail "the selection has $(csv_calls trace main.caller) calls"
	[ "$(csv_calls trace main.hot)$(csv_calls trace main.leaf)" != 300600 ] || fail "nothing was left out"
}
check "--trial proposes what to leave out; the command goes on" trial_launched

trial_running() {
	"$costly" 40 told >out 2>err.target &
	local target=$! job
	wait_for 60 grep -q ready out
	"$GOTRACE" record --trial 60s --max-cost=0.3% --probe=emulated --pid "$target" 2>err &
	job=$!
	wait_for 60 begun "$job"
	kill -USR1 "$target"
	expect_status 0 wait "$job"
	wait "$target" || fail "the target ended with status $?"
	expect_grep 'no trace was written; the (process goes on, without probes|program has ended)$' err
	expect_grep '^to keep probing below 0.3% of the processor time:.* -x main.(hot|leaf)' err
}
check "... with --pid" trial_running

trial_ends() { # with the program, and its status
	expect_status 0 gt record --trial 60s -x main.hot -x main.leaf -x main.inner -- "$costly" 2 >out 2>err
	expect_grep '^trial of .*; the program has ended$' err
	expect_grep 'nothing has to be left out$' err
	expect_status 2 gt record --trial 1s -o trace -- "$costly" 2>err
	expect_status 2 gt record --trial 0 -- "$costly" 2>err
}
check "... ends with the program" trial_ends

# A process that runs is not to be hurt: a tenth is the default, and gotrace leaves it alone where that cannot be kept.
cat >"$LIVE/crowded.go" <<-'EOF'
	package main

	import "os"

	//go:noinline
	func work(n int) int {
		for i := 0; i < 60; i++ {
			n = n*7 + i
		}
		return n
	}

	//go:noinline
	func hot(n int) int { return work(n) + work(n + 1) }

	//go:noinline
	func calls(n int) {
		for i := 0; i < 1000; i++ {
			n = hot(n)
		}
	}

	//go:noinline
	func starts(n int) {
		done := make(chan bool)
		go func() { done <- true }()
		<-done
	}

	//go:noinline
	func workLittle(n int) int { return n*7 + 1 }

	//go:noinline
	func part0(n int) int { return workLittle(n) + 0 }

	//go:noinline
	func part1(n int) int { return workLittle(n) + 1 }

	//go:noinline
	func part2(n int) int { return workLittle(n) + 2 }

	//go:noinline
	func part3(n int) int { return workLittle(n) + 3 }

	//go:noinline
	func part4(n int) int { return workLittle(n) + 4 }

	//go:noinline
	func part5(n int) int { return workLittle(n) + 5 }

	//go:noinline
	func part6(n int) int { return workLittle(n) + 6 }

	//go:noinline
	func part7(n int) int { return workLittle(n) + 7 }

	// No part has most of what probes take.
	//
	//go:noinline
	func parts(n int) {
		for i := 0; i < 1000; i++ {
			n = part0(part1(part2(part3(part4(part5(part6(part7(n))))))))
		}
	}

	func main() {
		os.WriteFile("ready", nil, 0o600)
		for i := 0; ; i++ {
			switch os.Args[1] {
			case "calls":
				calls(i)
			case "parts":
				parts(i)
			default:
				starts(i)
			}
		}
	}
EOF
CGO_ENABLED=0 go build -o "$LIVE/crowded" "$LIVE/crowded.go"
crowded() { # WHAT ARG...: it runs while it is recorded
	local status=0
	"$LIVE/crowded" "$1" &
	local target=$!
	wait_for 60 test -e ready
	gt record --pid "$target" -f 'main.*' -x 'main.work*' "${@:2}" -o trace 2>err || status=$?
	kill "$target" || fail "the target has ended"
	wait "$target" || true
	return $status
}
spared() {
	crowded calls -d 3 || fail "status $?: $(cat err)"
	expect_grep '^gotrace: released main.hot; its probes took about [0-9]+% of the processor time .--max-cost=10%.; calls from here on are not recorded$' err
	gt dump trace >events
	expect_grep ' released main.hot ' events
	[ "$(gt info trace | awk '$1 == "end.reason" { print $2 }')" = duration ] || fail "tracing ended early: $(cat err)"
	crowded calls -d 1 --max-cost=off || fail "status $?: $(cat err)"
	gt dump trace >events
	if grep -q ' released ' events; then fail "released with --max-cost=off"; fi
	crowded parts -d 3 --max-cost=off || fail "status $?: $(cat err)"
	expect_grep 'warning: probes take about [0-9]+% of the program.s processor time' err
}
check "a process that runs is spared by default" spared
left_alone() {
	crowded starts || fail "status $?: $(cat err)"
	expect_grep 'tracing ended: probing takes about [0-9]+% of the processor time, no function is left to release, and --max-cost=10% is allowed' err
	[ "$(gt info trace | awk '$1 == "end.reason" { print $2 }')" = cost ] || fail "the trace does not say why it ended"
	gt report trace >text
	expect_grep 'recording was ended before the program ended, because probing took more than --max-cost allows' text
}
check "... and left alone where that cannot be kept" left_alone

# Nobody has set a share: what traps all the time is released, and only that. Functions of package syscall have no inline stub,
# around had none for its RET when this was written.
cat >"$LIVE/traps.go" <<-'EOF'
	package main

	import (
		"fmt"
		"os"
		"strconv"
		"syscall"
	)

	//go:noinline
	func work(n, turns int) int {
		for i := 0; i < turns; i++ {
			n = n*7 + i
		}
		return n
	}

	//go:noinline
	func nothing() {}

	//go:noinline
	func around() {
		nothing()
		nothing()
	}

	//go:noinline
	func caller(n, turns int) int {
		around()
		return len(syscall.Errno(n%100).Error()) + work(n, turns)
	}

	func main() {
		n, _ := strconv.Atoi(os.Args[1])
		turns, _ := strconv.Atoi(os.Args[2])
		sum := 0
		for i := 0; i < n; i++ {
			sum += caller(i, turns)
		}
		fmt.Println("sum", sum)
		fmt.Println("count main.main 1")
		for _, f := range []string{"main.caller", "main.around", "main.work", "syscall.Errno.Error"} {
			fmt.Println("count", f, n)
		}
		fmt.Println("count main.nothing", 2*n)
	}
EOF
CGO_ENABLED=0 go build -o "$LIVE/traps" "$LIVE/traps.go"
traps() { # CALLS TURNS ARG...: recorded; what was not released has all its calls
	gt record -p main -f syscall.Errno.Error "${@:3}" -o trace -- "$LIVE/traps" "$1" "$2" >out 2>err
	gt dump trace >events
	gt report trace >text
	local word f n
	while read -r word f n; do
		[ "$word" = count ] || continue
		if grep -q " $f .*released after $(csv_calls trace "$f") call" text; then
			[ "$(csv_calls trace "$f")" -lt "$n" ] || fail "$f was released, and has all its calls"
		else
			[ "$(csv_calls trace "$f")" = "$n" ] || fail "$f: $(csv_calls trace "$f") calls, not $n"
		fi
	done <out
	awk '$2 == "released" && $1 !~ /^@/ { gone[$3] = 1; next }
		$1 ~ /^[0-9]+$/ && $3 in gone { print "after its release: " $0; exit 1 }' events || fail "events"
	expect_grep 'no event was lost' text
}
let_go() {
	traps 400000 200
	grep -q ' released syscall.Errno.Error ' events || fail "not released: $(grep ' released ' events)"
	if grep -Eq ' released main.(main|caller|work|nothing) ' events; then fail "$(grep ' released ' events)"; fi
	[ "$(head -n 1 text | grep -c '^released while recording, because .* traps slowed the program down (record --max-cost=off keeps .*syscall.Errno.Error after [0-9]* call')" = 1 ] ||
		fail "the first line is: $(head -n 1 text)"
	expect_grep 'main.caller .*self includes ' text
	[ "$(gt info trace | awk '$1 == "max_cost.traps" { print $2 }')" = 0.05 ] || fail "the trace does not say by which rule"
	gt export --format=folded trace 2>warned >folded
	expect_grep 'released while recording, because .* traps slowed the program down' warned
	traps 400000 200 --summary
	grep -q 'syscall.Errno.Error .*released after' text || fail "not released with --summary"
}
check "functions that trap all the time are released by default" let_go
kept() { # CALLS TURNS ARG...
	traps "$@"
	if grep -q ' released ' events; then fail "released: $(grep ' released ' events)"; fi
	if grep -q 'released' text; then fail "the report says so"; fi
}
check "... not with --max-cost=off" kept 40000 200 --max-cost=off
check "... nor where they trap rarely" kept 1500 1000000
check "... nor where traps were asked for" kept 40000 200 --probe=emulated
check "... nor where RETs were to be stepped" kept 40000 200 --rets=step
valued() {
	traps 40000 200 --ret 'syscall.Errno.Error'
	if grep -q ' released syscall.Errno.Error ' events; then fail "$(grep ' released ' events)"; fi
}
check "... nor of a function whose results were asked for" valued

bad_share() {
	for share in 0 100% 20x '' -1% nan; do
		expect_status 2 gt record --max-cost="$share" -- "$costly" 2>err
		expect_grep "max-cost: '$share' is not off or a share" err
	done
}
check "a share that is none is refused" bad_share

done_testing
