#!/bin/bash
# gotrace sample --wall: waits of known length. A snapshot stands for the time since the one before it, so
# what is seen of a wait is off by the longest time between two snapshots at most, whatever the load.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

programs=$LIVE/programs

key() { gt info "$1" | awk -v k="$2" '$1 == k { print $2 }'; }

# Of each function what the program measured is what was seen of it: within 10 % and the longest gap.
known_waits() { # TRACE
	gt report "$1" --format=csv -n 0 >functions
	gt report "$1" --by=reason --format=csv -n 0 >reasons
	gap=$(key "$1" end.snapshots_gap_ns)
	[ -n "$gap" ] || fail "no gap is known"
	[ "$(wc -l <out)" = 6 ] || fail "$(wc -l <out) waits"
	while read -r _ name reason ns; do
		seen=$(awk -F, -v f="$name" '$1 == f { print $(NF - 4) + $(NF - 3) + $(NF - 2) + $(NF - 1) + $NF }' functions)
		awk -v seen="${seen:-0}" -v ns="$ns" -v gap="$gap" 'BEGIN {
			off = seen > ns ? seen - ns : ns - seen
			exit off > ns / 10 + gap
		}' || fail "$name: $seen of $ns, gap $gap"
		text=${reason//_/ }
		[ "$text" != mutex ] || text='sync.Mutex.Lock'
		[ "$go_minor" -ge 20 ] || [ "$reason" != mutex ] || text=semacquire
		awk -F, -v f="$name" -v r="$text" '$1 == f { all += $NF; if ($2 == r) of += $NF } END { exit !(of && of > all / 2) }' reasons ||
			fail "$name does not wait for $text: $(grep "^$name," reasons)"
	done <out
}

whole() { # VARIANT
	gt sample --wall -o trace -- "$programs/$1/walls" >out
	known_waits trace
}
for variant in default stripped pie; do
	check "six waits of known length by reason, $variant" whole $variant
done

# The goroutine that hands signals on belongs to Go's runtime, though package os/signal starts it.
signals() {
	"$programs/default/leaks" 100 1 told >printed &
	job=$!
	wait_for 60 grep -q ready printed
	gt sample --wall --pid "$job" -d 2 -o trace
	kill -TERM "$job"
	wait "$job" || true
	gt report trace --parked --format=csv -n 0 >functions
	expect_grep '^main.leaksHere,' functions
	[ "$(count '^os/signal' <functions)" = 0 ] || fail "$(grep '^os/signal' functions)"
}
check "nobody waits for the goroutine that hands signals on" signals

# More goroutines than are looked at: they add up to as many as there are.
drawn() {
	gt sample --wall -o trace -- "$programs/default/walls" 3000 >out
	gt report trace --format=csv -n 0 >functions
	gt report trace >text
	expect_grep 'looked at [0-9.]+% of them' text
	listed=$(key trace end.snapshots_listed) seen=$(key trace end.snapshots_drawn) n=$(key trace end.snapshots)
	[ "$seen" -lt "$listed" ] && [ "$seen" -le $((256 * n)) ] || fail "$seen drawn of $listed"
	# each of 3,000 waits for as long as reads does, but for what it takes to start them
	awk -F, -v ns="$(awk '$2 == "main.reads" { print $4 }' out)" -v gap="$(key trace end.snapshots_gap_ns)" '
		$1 == "main.parks" { off = $(NF - 2) / 3000 - ns; seen = 1 }
		END { exit !(seen && (off < 0 ? -off : off) < ns / 5 + 2 * gap) }' functions ||
		fail "$(grep main.parks functions)"
}
check "goroutines that are drawn stand for all" drawn

# Parked goroutines hide no work. Each estimate holds within what it says of itself: four standard errors, and the
# longest gap for each goroutine at both ends. Each snapshot sees work, and the error shrinks with the root of their number: half
# of the estimate at 200 snapshots. A busy machine makes fewer.
leak() {
	gt sample --wall -o trace -- "$programs/default/leaks" 60000 5 >out
	gt report trace --format=csv -n 0 >functions
	gt report trace -n 0 >text
	expect_grep '^ +SELF +± +%' text
	awk -F, -v gap="$(key trace end.snapshots_gap_ns)" -v snapshots="$(key trace end.snapshots)" '
		NR == FNR { split($0, word, " "); if (word[1] == "spent") spent[word[2]] = word[3]; next }
		FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$1 in spent {
			n++
			seen = $(at["total_wait_ns"]) + $(at["total_runnable_ns"])
			off = seen > spent[$1] ? seen - spent[$1] : spent[$1] - seen
			few = $1 == "main.handles" || $1 == "main.rests"
			if (few && ($2 < snapshots || $(at["error_ns"]) > seen / 2 * sqrt(200 / snapshots)))
				print $1 ": " $2 " samples, " seen " +- " $(at["error_ns"])
			# of the parked ones nobody knows when each began
			if (off > 4 * $(at["error_ns"]) + (few ? 40 * 2 * gap : spent[$1] / 5))
				print $1 ": " seen " of " spent[$1] ", error " $(at["error_ns"])
		}
		END { if (n != 4) print n + 0 " functions" }' out functions >wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}
check "60,000 parked goroutines hide no work" leak

# One total to the nanosecond, in each kind of report and export.
totals() {
	gt sample --wall -F 999 -o trace -- "$@" >out
	for by in function path goroutine; do
		gt report trace --by=$by --format=csv -n 0 >$by
		awk -F, -v skip=$([ $by = goroutine ] || echo 5) 'NR == 1 { skip += $NF == "program" }
		NR > 1 {
			for (i = 0; i < 5; i++)
				n += $(NF - skip - i)
		} END { printf "%.0f\n", n }' $by
		gt report trace --by=$by --format=json -n 0 >$by.json
		sed -n "/^  \"trace\"/q; s/^ *\"$([ $by = goroutine ] && echo weight_ns || echo self_ns)\": \([0-9]*\),*$/\1/p" $by.json |
			awk '{ n += $1 } END { printf "%.0f\n", n }'
	done >sums
	gt export trace --format=folded -o folded
	awk '{ n += $NF } END { printf "%.0f\n", n }' folded >>sums
	for weight in run ready wait syscall; do
		gt export trace --format=folded --weight=$weight -o folded.$weight
		awk '{ n += $NF } END { printf "%.0f\n", n }' folded.$weight
	done >parts
	awk -F, 'NR > 1 { n += $NF } END { printf "%.0f\n", n }' goroutine >>parts
	awk '{ n += $1 } END { printf "%.0f\n", n }' parts >>sums
	gt export trace --format=pprof -o pprof
	[ -s pprof ] || fail "an empty profile"
	# a VM has no Go
	! go tool pprof -raw pprof >raw 2>/dev/null || awk '/^Samples:/ { on = 1; getline; next } /^Locations/ { on = 0 }
		on && /^ *[0-9]+ .*:/ { all += $1; for (i = 2; i <= 6; i++) parts += $i }
		END { printf "%.0f\n%.0f\n", all, parts }' raw >>sums
	[ "$(sort -u sums | wc -l)" = 1 ] && [ "$(head -n 1 sums)" -gt 0 ] || fail "$(cat sums)"
}
check "all formats have one total" totals "$programs/default/walls"
check "all formats have one total, threads" totals sh -c 'sleep 1; i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'

refusals() {
	expect_status 2 gt sample --wall -e page-faults -- true 2>err
	gt sample --wall -o trace -- "$programs/default/plain" >out
	for format in chrome perfetto; do
		expect_status 1 gt export trace --format=$format -o file 2>err
		expect_grep 'have no place in it' err
	done
	gt sample -o other -- "$programs/default/plain" >out
	expect_status 1 gt diff trace other 2>err
	expect_grep 'compared with another such recording only' err
	expect_status 1 gt report other --by=reason 2>err
	expect_grep 'sample with --wall' err
}
check "what snapshots do not say is refused" refusals

done_testing
