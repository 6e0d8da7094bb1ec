#!/bin/bash
# gotrace goroutines: what the goroutines of a process do now, beside Go's own profile of them.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

programs=$LIVE/programs

begin() { # VARIANT ARG...: `leaks` in the background, ready
	"$programs/$1/leaks" "${@:2}" >printed &
	job=$!
	wait_for 60 grep -q ready printed
}
end() {
	kill -TERM "$job"
	wait "$job" || true
}

# COUNT STACK, of Go's own profile; outermost first, as the CSV has it. What waits for a time is somewhere else by then.
profiled() {
	awk 'function put() { if (n && stack !~ /^main\.worker|^runtime\.main/) print n, stack }
		/^[0-9]+ @/ { put(); n = $1; stack = "" }
		/^#/ { sub(/\+0x[0-9a-f]+$/, "", $3); stack = stack == "" ? $3 : $3 ";" stack }
		END { put() }' printed | sort
}

same_as_the_profile() { # VARIANT
	begin "$1" 20000 1 told
	gt goroutines --pid "$job" -F csv >rows
	gt goroutines --pid "$job" -F json >json
	gt goroutines --pid "$job" >text
	end
	awk -F, 'NR > 1 && $NF !~ /^main\.worker|^runtime\.main/ { n[$NF] += $1 } END { for (s in n) print n[s], s }' rows | sort >seen
	profiled >want
	cmp seen want || fail "$(diff seen want)"
	total=$(sed -n 's/^goroutine profile: total //p' printed)
	[ "$(awk -F, 'NR > 1 { n += $1 } END { print n }' rows)" = "$total" ] || fail "not $total goroutines"
	expect_grep "\"goroutines\": $total," json
	expect_grep "^$total goroutines of leaks" text
	# the largest first; what for is known
	sed -n 2p rows | grep -q '^14286,waiting,chan receive,.*,main.leaksHere$' || fail "$(sed -n 2p rows)"
	sed -n 3p rows | grep -q '^5714,waiting,\(sync.Mutex.Lock\|semacquire\),' || fail "$(sed -n 3p rows)"
	expect_grep 'main.leaksHere  leaks/main.go:[0-9]*$' text
}
for variant in default stripped pie; do
	check "counts by stack are those of Go's own profile, $variant" same_as_the_profile $variant
done

growth() {
	begin default 2000 1 grows
	gt goroutines --pid "$job" --again 1 -F csv >rows
	gt goroutines --pid "$job" --again 0.5 >text
	end
	head -n 1 rows | grep -qx 'count,before,growth,state,reason,oldest_ns,aged,stack' || fail "$(head -n 1 rows)"
	awk -F, 'NR == 2 { exit !($NF == "main.leaksHere" && $3 > 0 && $1 - $2 == $3) }' rows || fail "$(sed -n 2p rows)"
	awk 'NR == 2 { exit !($2 ~ /^\+/) }' text || fail "$(cat text)"
	expect_grep '; [0-9]* were there .* before$' text
}
check "what grows between two looks comes first" growth

refused() {
	expect_status 2 gt goroutines 2>err
	expect_grep '[-][-]pid is needed' err
	expect_status 2 gt goroutines --pid 0 2>err
	sleep 60 &
	job=$!
	expect_status 125 gt goroutines --pid "$job" 2>err
	expect_grep 'not a Go program' err
	kill "$job"
	wait "$job" || true
	expect_status 125 gt goroutines --pid "$job" 2>err
	expect_grep 'there is no process' err
}
check "what is no running Go process is refused" refused

# Every verb that takes a process takes its name: that of its file, or the 15 bytes that the kernel knows.
named() {
	local name=leaks-by-name-$$
	cp "$programs/default/leaks" "$name"
	"./$name" 100 1 told >printed &
	job=$!
	wait_for 60 grep -q ready printed
	gt goroutines --pid "$name" -F json >json
	expect_grep "\"pid\": $job," json
	gt sample --pid "$name" -d 0.2 -o samples 2>err
	[ "$(gt info samples | awk '$1 == "sample.pids" { print $2 }')" = "$job" ] || fail "samples are of another process"
	gt record --max-cost=off --pid "$name" -d 0.2 -f main.rests -o trace 2>err
	[ "$(gt info trace | awk '$1 == "pid" { print $2 }')" = "$job" ] || fail "the trace is of another process"
	gt top --pid "$name" -f main.rests --times 1 >table 2>err
	expect_grep "process $job" table
	gt plan --pid "$name" -f main.rests >plan
	expect_grep "1 functions* selected" plan
	# of several it asks which, and says why each may be it
	"./$name" 200 1 told >other &
	second=$!
	wait_for 60 grep -q ready other
	for verb in goroutines sample record top plan; do
		expect_status 2 gt $verb --pid "$name" 2>err
		expect_grep "2 processes are called '$name'" err
		expect_grep "^ *$job  ./$name 100 1 told$" err
		expect_grep "^ *$second  ./$name 200 1 told$" err
	done
	kill -TERM "$second"
	wait "$second" || true
	end
	for verb in goroutines sample record top plan; do
		expect_status 2 gt $verb --pid "$name" 2>err
		expect_grep "no running process is called '$name'" err
	done
}
check "a process by its name" named

done_testing
