#!/bin/bash
# Everything that can happen to a call in a Go program: exact counts, unwound and
# unfinished calls, in both strategies. LIVE_REPEAT=10 does each ten times over.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# The status that a program ends with, if it is not 0.
programs='levels deferpanic goexits exits:4 uncaught:2 never:2 tails ends through moved deep
	chain branches signals callbacks reexecs storm rangefunc coroutines'

traced() { # STATUS STRATEGY BINARY [ARG...]; once
	local want=$1 strategy=$2
	shift 2
	expect_status "$want" gt record -o trace --probe="$strategy" --max-cost=off -- "$@" >printed 2>err
	gt report trace --by=function --format=csv >report.csv
	compare_counts printed report.csv symbols
}
exact() { # STATUS STRATEGY BINARY [ARG...]
	local i
	[ -e "$3" ] || skip "${3##*/} needs a C compiler or a newer Go"
	symbols_of "${3/stripped/default}"
	for ((i = 0; i < ${LIVE_REPEAT:-1}; i++)); do
		traced "$@"
	done
}
for strategy in $strategies; do
	for p in $programs; do
		status=0
		[ "${p#*:}" = "$p" ] || status=${p#*:}
		check "calls of ${p%:*}, $strategy" exact "$status" "$strategy" "$LIVE/programs/default/${p%:*}"
	done
	for p in levels goexits coroutines; do
		check "calls of $p without symbols and DWARF, $strategy" exact 0 "$strategy" "$LIVE/programs/stripped/$p"
	done
	# The first instruction, where thesis has its probe, is before the call there: its calls are marked as suspect.
	[ "$strategy" = thesis ] ||
		check "calls of moved, whose stack moves at each call, $strategy" exact 0 "$strategy" "$LIVE/programs/maymorestack/moved"
	for seed in 2 3 4; do
		check "calls of storm, seed $seed, $strategy" exact 0 "$strategy" "$LIVE/programs/noinline/storm" $seed
	done
done

# Its own CPU profile names the program, and has its build ID: stubs are not its first executable mapping.
own_profile() { # STRATEGY
	local program=$LIVE/programs/default/signals
	rm -f alone traced
	"$program" alone >printed
	gt record -o trace --probe="$1" -- "$program" traced >printed 2>err
	for p in alone traced; do
		go tool pprof -top $p 2>/dev/null | awk '/^(File|Build ID):/' >$p.head
	done
	grep -q '^File: signals' alone.head || fail "alone: $(cat alone.head)"
	diff alone.head traced.head || fail 'its profile names another file'
}
for strategy in $strategies; do
	check "a program's own CPU profile names it, $strategy" own_profile "$strategy"
done

wrappers() { # STRATEGY
	symbols_of "$LIVE/programs/default/tails"
	gt record --max-cost=off -o trace --probe="$1" --wrappers -- "$LIVE/programs/default/tails" >printed
	gt report trace --by=function --format=csv >report.csv
	sed -i 's/^wrapper /count /' printed
	ALLOW='^type[:.]' compare_counts printed report.csv symbols
}
for strategy in $strategies; do
	check "wrappers that jump to traced and untraced methods, $strategy" wrappers "$strategy"
done

# Functions of the runtime, many of them on system stacks: the program's own
# calls stay exact, and those of functions that always return have ends.
system_stack() { # STRATEGY
	gt record --max-cost=off -o trace --probe="$1" -p main -f 'runtime.mallocgc*' -f 'runtime.gcAssist*' \
		-f 'runtime.(*mcentral).*' -f 'runtime.(*mheap).*' -- "$LIVE/programs/noinline/preempt" >printed
	gt report trace --by=function --format=csv >report.csv
	ALLOW='^runtime\.' compare_counts printed report.csv
	awk -F, '/^runtime\./ {
			calls += $2
			if ($11 + $10 > 0) { print; wrong = 1 }
		}
		END { exit wrong || calls < 100 }' report.csv || fail "too few calls, or some without an end"
}
for strategy in $strategies; do
	check "work on system stacks leaves the program's calls alone, $strategy" system_stack "$strategy"
done

# The tracer comes and goes while calls are open.
in_the_middle() { # STRATEGY
	"$LIVE/programs/noinline/phases" >printed &
	local target=$! job
	wait_for 60 grep -q 'part 1 is next' printed
	set -m
	"$GOTRACE" record --pid "$target" --probe="$1" --traps -o trace 2>err &
	job=$!
	wait_for 60 begun "$job"
	kill -USR1 "$target"
	wait_for 60 grep -q 'part 2 is next' printed
	kill -USR1 "$target"
	wait_for 60 grep -q 'part 3 is next' printed
	kill -INT "$job"
	wait "$job"
	kill -USR1 "$target"
	wait "$target"
	gt report trace --by=function --format=csv >report.csv
	compare_counts printed report.csv
}
for strategy in $pid_strategies; do
	check "attached and detached in the middle of calls, $strategy" in_the_middle "$strategy"
done

# Probes that a program takes away with its text: what is missing from then on is said.
replaces_text() { # STRATEGY HOW
	gt record -o trace --probe="$1" -- "$LIVE/programs/default/newtext" "$2" >out 2>err
	expect_grep '^called main.f 600$' out
	said_to_be_missing "$2"
}
said_to_be_missing() { # HOW
	gt report trace >text
	gt info trace >info
	expect_grep '^end.text_looks +[1-9]' info
	if [ "$1" = leave ]; then
		[ "$(csv_calls trace main.f)" = 600 ] || fail "$(csv_calls trace main.f) calls"
		! grep -q "program's text" text err || { cat text err; fail "said without a cause"; }
		expect_grep '^no event was lost$' text
		return
	fi
	[ "$(csv_calls trace main.f)" = 300 ] || fail "$(csv_calls trace main.f) calls"
	[ "$(grep -c "program's text" err)" = 1 ] || { cat err; fail "not said once on stderr"; }
	expect_grep "probes (was|were).* program's text( any more)?\. .* missing" text
	# The call that writes over its own exit never ends: unfinished, or suspect when its goroutine is seen to go on without it.
	expect_grep '^(no event was lost of the recorded part|! no event was lost of the recorded part; 1 call is suspect, .*)$' text
	! grep 'suspect)' text | grep -v 'main.rewrite ' || fail "another call is suspect"
	expect_grep '^end.text_gone +[1-9]' info
}
replaces_text_attached() { # STRATEGY HOW
	local target job
	mkfifo line
	"$LIVE/programs/default/newtext" "$2" wait <line >out &
	target=$!
	exec 9>line
	wait_for 60 grep -q ready out
	"$GOTRACE" record --pid "$target" --probe="$1" --traps -o trace 2>err &
	job=$!
	wait_for 60 begun "$job"
	echo >&9
	wait "$target"
	wait "$job"
	expect_grep '^called main.f 600$' out
	said_to_be_missing "$2"
}
for how in leave drop write; do
	for strategy in $strategies; do
		check "a program that replaces its text: $how, $strategy" replaces_text "$strategy" $how
	done
	for strategy in $pid_strategies; do
		check "a running program that replaces its text: $how, $strategy" replaces_text_attached "$strategy" $how
	done
done

# A library for mocking copies a function, probe and all, and writes over it. Functions that it can come by are left out.
replaces_functions() { # STRATEGY WHO [pid]
	local target job
	if [ "${3:-}" = pid ]; then
		mkfifo line
		"$LIVE/programs/default/mocks" "$2" original wait <line >out &
		target=$!
		exec 9>line
		wait_for 60 grep -q ready out
		"$GOTRACE" record --pid "$target" --probe="$1" --traps -o trace 2>err &
		job=$!
		wait_for 60 begun "$job"
		echo >&9
		wait "$target" || fail "the program ended with status $?"
		wait "$job"
	else
		gt record -o trace --probe="$1" -- "$LIVE/programs/default/mocks" "$2" >out 2>err
	fi
	expect_grep '^gotrace: [1-9] of [0-9]+ selected functions are left out: main\.(write|overwrite) makes .* -f NAME' err
	expect_grep '^plan.fate.rewritten +[1-9]' <(gt info trace)
	expect_grep '^not traced: .*[1-9] rewritten' <(gt report trace)
	for f in help hook plain; do
		[ "$(csv_calls trace main.$f)" = "$(awk -v f=main.$f '$2 == f { print $3 }' out)" ] || fail "$(csv_calls trace main.$f) calls of main.$f"
	done
	[ "$(csv_calls trace main.target)" = 0 ] || fail "main.target was traced"
}
for who in assembly package; do
	for strategy in $strategies; do
		check "a program that replaces functions: $who, $strategy" replaces_functions "$strategy" $who
	done
	for strategy in $pid_strategies; do
		check "a running program that replaces functions: $who, $strategy" replaces_functions "$strategy" $who pid
	done
done

# A function that it replaces is probed where -f names it. A call that goes elsewhere is none of it, and not missing.
replaces_named() { # STRATEGY
	gt record -o trace --probe="$1" -p main -f main.target -- "$LIVE/programs/default/mocks" package alone >out 2>err
	for f in target help hook plain; do
		[ "$(csv_calls trace main.$f)" = "$(awk -v f=main.$f '$2 == f { print $3 }' out)" ] || fail "$(csv_calls trace main.$f) calls of main.$f"
	done
	gt report trace >text
	expect_grep 'the program had written other code over 1 of [0-9]+ probes\. Calls that .* are not counted .* main.target$' text
	expect_grep '^no event was lost$' text
	expect_grep '^end.text_replaced +1$' <(gt info trace)
	! grep 'missing' text err || fail "calls are said to be missing"
}
for strategy in $strategies; do
	check "calls that a replacement takes are not missing, $strategy" replaces_named "$strategy"
done

# A copy with a probe in it crashes, where it was asked for: then the function is named.
crash_is_explained() { # STRATEGY
	local status=0
	gt record -o trace --probe="$1" -p main -f main.target -- "$LIVE/programs/default/mocks" assembly >out 2>err || status=$?
	[ "$status" != 0 ] || fail "a copy of a probed function worked"
	expect_grep "^gotrace: warning: the program died, and main\.(write|overwrite) makes .* to leave out the one that it can copy: -x 'main.target'$" err
	expect_status 0 gt record -o trace --probe="$1" -p main -f main.target -x main.target -- "$LIVE/programs/default/mocks" assembly >out 2>err
	! grep 'died' err || fail "it did not die"
}
for strategy in $strategies; do
	check "a program that dies of a copied probe, $strategy" crash_is_explained "$strategy"
done

done_testing
