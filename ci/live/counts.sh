#!/bin/bash
# Reported counts against those the programs print, in every build and strategy.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# Programs that end by themselves, and the status they end with.
programs='plain recursion growth hop preempt loneret jumps methods wrapper goexit panics nilleaf straights
	osexit:3 reexec spawn cgo'

counts_agree() { # PROGRAM STATUS VARIANT STRATEGY
	local binary=$LIVE/programs/$3/$1 symbols=
	[ -e "$binary" ] || skip "$1 was not built: no C compiler"
	has_these_names "$1" "$3"
	for _ in 1 2 3; do
		expect_status "$2" gt record -o trace --probe="$4" --max-cost=off -- "$binary" >printed
		page_moved || break
	done
	gt report trace --by=function --format=csv >report.csv
	if [ "$3" != noinline ]; then # its functions are those of the default build
		symbols=symbols
		symbols_of "$LIVE/programs/default/$1"
	fi
	compare_counts printed report.csv "$symbols"
}
for strategy in $strategies; do
	for variant in default noinline stripped pie; do
		for p in $programs; do
			status=0
			[ "${p#*:}" = "$p" ] || status=${p#*:}
			check "counts of ${p%:*}, $variant build, $strategy" \
				counts_agree "${p%:*}" "$status" "$variant" "$strategy"
		done
	done
done

wrappers_counted() {
	gt record --max-cost=off -o trace --wrappers -- "$LIVE/programs/default/wrapper" >printed
	gt report trace --by=function --format=csv >report.csv
	sed -i 's/^wrapper /count /' printed
	ALLOW='^type[:.]' compare_counts printed report.csv
}
check "wrappers are counted when asked for" wrappers_counted

selection() { # what is left of plain, for each kind of option
	gt record --max-cost=off -o trace -f 'main.inn*' -- "$LIVE/programs/noinline/plain" >printed
	grep 'main.inner' printed >expected
	gt report trace --by=function --format=csv >report.csv
	compare_counts expected report.csv
	gt record --max-cost=off -o trace -p main -x '*.inner' -x main.tiny -- "$LIVE/programs/noinline/plain" >printed
	grep -v 'main.inner\|main.tiny' printed >expected
	gt report trace --by=function --format=csv >report.csv
	compare_counts expected report.csv
}
check "-f and -x choose" selection

go_test_binary() { # STRATEGY
	gt record --max-cost=off -o trace --probe="$1" -- "$LIVE/programs/default/mathx" >printed
	gt report trace --by=function --format=csv >report.csv
	compare_counts printed report.csv
}
for strategy in $strategies; do check "go test -c binary, $strategy" go_test_binary "$strategy"; done

ants_agrees() { # STRATEGY
	since 22 "a deferred call's wrapper is none of the program's functions"
	gt record --max-cost=off -o trace --probe="$1" -p main -p github.com/panjf2000/ants -- \
		"$LIVE/workloads/ants.counted" 2>printed >/dev/null
	gt report trace --by=function --format=csv >report.csv
	# No source line can count what initialises a package's variables: called once.
	awk -F, '$1 ~ /^github.com\/panjf2000\/ants\/v2\.(map\.)?init(\.[0-9]+)?$/ && $2 == 1 { print "count", $1, 1 }' \
		report.csv >>printed
	compare_counts printed report.csv
}
for strategy in $strategies; do check "ants counts its own calls, $strategy" ants_agrees "$strategy"; done

# Each goroutine's creation and end is recorded, whatever is selected, for one trap each.
goroutines() { # WAY
	local f start
	gt record --probe="$1" -f main.main -o trace -- "$LIVE/programs/default/chain" 4000 >printed
	gt dump trace >events
	for f in next left right; do
		# Its address, as create events spell it.
		start=$(printf %d "$(awk -v f="main.$f" '$1 == "@pc" && $3 == f { print $2 }' events | sort | head -n 1)")
		[ "$(grep -c "^[0-9]* create .* arg2=$start\$" events)" = "$(awk -v f="main.$f" '$2 == f { print $3 }' printed)" ] ||
			fail "goroutines that begin with main.$f"
	done
	# Those of the runtime itself do not end.
	[ "$(grep -c '^[0-9]* end ' events)" -ge "$(awk '$2 ~ /next|left|right/ { n += $3 } END { print n }' printed)" ] ||
		fail "not all were seen to end"
	if grep -E '^[0-9]+ (create|end) ' events | grep -Ev 'how=(emulated|inline|jump)$|how=(emulated|inline|jump) '; then
		fail "single-stepped"
	fi
	[ "$1" != inline ] || grep -q '^[0-9]* end .*how=inline' events || fail "the end of a goroutine traps"
}
for strategy in $strategies; do check "goroutines cost one trap each at most, $strategy" goroutines "$strategy"; done

all_views() { # the same calls whichever way they are listed
	gt record -o trace -- "$LIVE/programs/noinline/recursion" >printed
	by_function=$(gt report trace --by=function --format=csv | awk -F, 'NR > 1 { n += $2 } END { print n }')
	by_path=$(gt report trace --by=path --format=csv | awk -F, 'NR > 1 { n += $(2) } END { print n }')
	[ "$by_function" = "$(awk '/^count/ { n += $NF } END { print n }' printed)" ] || fail "by function: $by_function"
	[ "$by_path" = "$by_function" ] || fail "by path: $by_path, by function: $by_function"
}
check "calls add up the same by function and by path" all_views

done_testing
