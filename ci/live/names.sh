#!/bin/bash
# Names that would speak to a terminal: of functions, files, arguments. No verb writes them as they are.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
strange=$'evil\e[7m\x07\n\x7f\xc2\x9b1m'
folder=$LIVE/$strange
mkdir -p "$folder"
# The names of the program's functions and of its source files, in their length.
sed 's/main\.outer/main.\x1b[7mX/g; s/main\.inner/=ain.i\x07\xc2\x9bX/g; s|plain/main\.go|plain/ma\x1b[7mo|g' \
	"$LIVE/programs/default/plain" >"$folder/program"
chmod 755 "$folder/program"
grep -q $'main.\e\[7mX' "$folder/program" || { echo "not ok - the program has no strange names"; exit 1; }

# clean FILE...: no control character but line ends. Not UTF-8 for grep: bytes.
clean() {
	local f
	for f; do
		[ -s "$f" ] || fail "$f is empty"
		if LC_ALL=C grep -qaP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$f"; then
			LC_ALL=C grep -aP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$f" | head -n 3 | cat -v
			fail "$f holds control characters"
		fi
	done
}

record_it() {
	gt record -o trace -p all -- "$folder/program" "$strange" >/dev/null 2>err || fail "status $?"
}
recorded() {
	[ -e "$LIVE/strange.trace" ] || { record_it && mv trace "$LIVE/strange.trace"; }
	cp "$LIVE/strange.trace" trace
}

plans() {
	gt plan --list "$folder/program" -p all >text
	gt plan --explain "$folder/program" -p all >sites
	gt plan -F json "$folder/program" -p all >json
	grep -q 'main\.\\x1b\[7mX' text || fail "the strange function is missing"
	clean text sites json
}
check "plan" plans

reports() {
	recorded
	local by format
	for by in function path goroutine call; do
		for format in text csv json; do
			gt report trace --by=$by -F $format -n 0 >"$by.$format" 2>err.$by.$format
			clean "$by.$format"
			[ ! -s err.$by.$format ] || clean err.$by.$format
		done
	done
	grep -q "^'=ain" function.csv || fail "a cell that begins with = is not marked: $(grep ain.i function.csv)"
	grep -q 'main\.\\x1b\[7mX' function.csv || fail "the strange function is missing"
}
check "report" reports

others() {
	recorded
	local format
	gt info trace >info && gt info -F json trace >info.json
	gt dump trace >dump
	gt diff trace trace >diff 2>diff.err
	gt diff -F csv trace trace >diff.csv 2>diff.csv.err
	gt diff -F json trace trace >diff.json
	for format in folded chrome perun csv html; do
		gt export -F $format trace >export.$format
	done
	gt export -F csv --calls trace >export.calls
	# The page's own source has tabs.
	grep '^<script id=data' export.html >page || grep -a 'main\.' export.html >page
	clean info info.json dump diff diff.csv diff.json export.folded export.chrome export.perun export.csv export.calls page
	for f in diff.err diff.csv.err; do [ ! -s $f ] || clean $f; done
}
check "info, dump, diff and export" others

errors() { # file names, and words of the command line that may be file names
	local verb
	printf 'no trace\n' >"$strange"
	for verb in report 'export -F folded' info dump 'diff x' view; do
		# shellcheck disable=SC2086
		expect_status 1 gt $verb "./$strange" >out 2>"err.${verb%% *}"
		clean "err.${verb%% *}"
	done
	expect_status 1 gt plan "./$strange" 2>err.plan
	expect_status 1 gt plan "./$strange.none" 2>err.plan.none
	chmod 755 "$strange"
	expect_status 125 gt record -- "./$strange" 2>err.record
	expect_status 127 gt record -- "./$strange.none" 2>err.record.none
	expect_status 125 gt record -o "$strange.none/x" -- "$LIVE/programs/default/plain" 2>err.output
	expect_status 125 gt record -f "$strange" -- "$LIVE/programs/default/plain" 2>err.function
	expect_status 2 gt "$strange" 2>err.verb
	expect_status 2 gt report --by="$strange" 2>err.by
	expect_status 2 gt report -n "$strange" 2>err.n
	expect_status 2 gt report "-$strange" 2>err.option
	expect_status 2 gt report "--$strange" 2>err.long
	expect_status 2 gt report $'-\x9bx' 2>err.byte
	! LC_ALL=C grep -q $'\x9b' err.byte || fail "a byte that is not UTF-8 reaches the terminal"
	expect_status 2 gt record -m "$strange" -- x 2>err.m
	clean err.*
	for f in err.*; do
		[[ $f == err.by || $f == err.n || $f == err.m || $(wc -l <"$f") = 1 ]] || { cat "$f"; fail "$f: not one line"; }
	done
}
check "errors" errors

# A line end, which the kernel's list of what a process has mapped writes as \012, and these four characters themselves.
for_attaching() { # FOLDER: with a program that is still there
	mkdir -p "$1" && cp "$LIVE/programs/default/ticker" "$LIVE/programs/default/leafs" "$1"
}
attached() { # FOLDER
	local how target method
	for_attaching "$1"
	# shellcheck disable=SC2154 # lib.sh's
	for how in $pid_strategies; do
		rm -f printed # what the one before printed is not this one's
		"$1/ticker" 600s >printed &
		target=$!
		wait_for 60 test -s printed
		gt record --probe="$how" --traps -d 1 -o trace --pid $target 2>err || { cat err; kill $target; fail "$how: status $?"; }
		kill $target
		[ "$(csv_calls trace main.tick)" -gt 0 ] || fail "$how: no call"
		! grep -q 'memory map' err || { cat err; fail "$how is not used"; }
	done
	# shellcheck disable=SC2154 # lib.sh's
	for how in $strategies; do
		for file in "$1/ticker" "$LIVE/programs/default/ticker"; do
			gt record --probe="$how" -o trace -- "$file" 300ms >printed 2>err || { cat err; fail "$how: status $?"; }
			! grep -q 'memory map' err || { cat err; fail "$how is not used"; }
			gt info trace | sed -n 's/^probe.strategy *//p' >>how
		done
		method=$(tail -n 1 how)
		[ "$(tail -n 2 how | head -n 1)" = "$method" ] || { cat how err; fail "$how: another way than in a plain path"; }
	done
}
check "a line end in the path of a program that is recorded" attached $'n\nl'
check "\\012 in the path of a program that is recorded" attached 'n\012l'
ended() { # FOLDER: its functions are named though it has ended
	local target
	for_attaching "$1"
	"$1/leafs" 4 >printed &
	target=$!
	sleep 0.5
	gt sample -F 499 -o trace --pid $target 2>err
	paths trace >rows
	[ "$(count '^runtime.goexit;.*;main.main;.*main.leaf$' <rows)" -gt 50 ] || { cat rows; fail "no whole stacks"; }
	gt sample -F 499 -o trace -- "$1/leafs" 1 >printed 2>err
	paths trace >rows
	[ "$(count '^runtime.goexit;.*;main.main;.*main.leaf$' <rows)" -gt 50 ] || { cat rows; fail "no whole stacks"; }
}
check "a line end in the path of a program that is sampled" ended $'n\nl'
check "\\012 in the path of a program that is sampled" ended 'n\012l'

# The kernel writes //toolong in place of a path of more than 4,096 bytes: that is no program's name.
too_long() {
	command -v python3 >/dev/null || skip "no python3 to make the folders"
	cat >make.py <<-'END'
		import os, shutil, subprocess, sys
		for i in range(30):
		    os.mkdir("d" * 200)
		    os.chdir("d" * 200)
		shutil.copy(sys.argv[1], "deepest")
		subprocess.run(["./deepest", "1"], stdout=subprocess.DEVNULL)
	END
	gt sample -F 499 -o trace -- python3 make.py "$LIVE/programs/default/leafs" 2>err
	gt report --by=program -n 0 trace >text
	expect_grep ' \[deepest\]$' text
	! grep -q toolong text || { cat text; fail "//toolong is a program"; }
	rm -r dddd*
}
check "a path of more than 4,096 bytes" too_long

done_testing
