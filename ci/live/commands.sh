#!/bin/bash
# Commands that are no traceable binary: what gotrace says and its status.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
programs=$LIVE/programs/default
real_go=$(go env GOROOT)/bin # in a VM the other go is a script

# refused STATUS PATTERN COMMAND...: nothing ran, and the message says PATTERN.
refused() {
	local want=$1 pattern=$2
	shift 2
	expect_status "$want" gt record -o trace -- "$@" >out 2>err
	[ ! -s out ] || { cat out; fail "something ran"; }
	expect_grep "$pattern" err
	[ ! -e trace ] || fail "a trace was left behind"
}

script() {
	printf '#!/bin/sh\necho ran\n' >script
	chmod +x script
	refused 125 'script' ./script
}
help() {
	"$GOTRACE" record --help >some
	"$GOTRACE" record --help=all >all
	"$GOTRACE" record --usage >usage
	options() { grep -oE -- '^.{6}--[a-z][a-z-]*' "$1" | grep -oE -- '--.*' | grep -vE -- '--(help|usage|quiet|verbose)$' | sort; }
	[ "$(options some | wc -l)" = 15 ] || fail "not fifteen options: $(options some)"
	[ -z "$(comm -23 <(options some) <(options all))" ] || fail "--help=all has fewer"
	for option in $(options all); do
		grep -qe "$option[]=[]" usage || fail "completion does not see $option"
	done
	expect_status 2 "$GOTRACE" record --help=some >out 2>err
	expect_grep "takes all, not 'some'" err
}
check "record --help has fifteen options, --help=all and --usage have every one" help
check "a script" script

go_run() {
	printf 'package main\n\nfunc main() { println("ran") }\n' >x.go
	PATH=$real_go:$PATH refused 125 'go build' go run x.go
}
check "go run x.go names the two commands to use instead" go_run
go_test() { PATH=$real_go:$PATH refused 125 'go test -c' go test ./...; }
check "go test names the two commands to use instead" go_test

check "a shell command" refused 125 'not .*go|no go' sh -c 'echo ran'
check "a C program" refused 125 'not .*go|no go' /bin/true
check "a command that does not exist" refused 127 'not found|no such file' ./nowhere
check "a command that is not in PATH" refused 127 'not found' no-such-command-anywhere

not_executable() {
	cp "$programs/plain" plain
	chmod -x plain
	refused 126 'permission denied|not executable' ./plain
}
check "a file that is not executable" not_executable
check "a directory" refused 126 'directory|permission denied' /tmp

truncated() {
	head -c 100000 "$programs/plain" >short
	chmod +x short
	refused 125 'truncated|cut off|corrupt' ./short
}
check "a truncated binary" truncated

# The header names a processor that neither this machine is nor gotrace reads.
other_processor() {
	cp "$programs/plain" other
	printf '\xf3' | dd of=other bs=1 seek=18 conv=notrunc status=none
	refused 125 'other: not for x86-64 or arm64 \(ELF machine 243\)' ./other
	expect_status 126 gt sample -o trace -- ./other 2>err
	expect_grep 'other: cannot be run: Exec format error. It may be built for another processor\. Build it for this one$' err
	[ ! -e trace ] || fail "a trace was left behind"
}
check "a program for another processor" other_processor

phases() {
	gt record -o trace -- "$programs/plain" >out
	gt info trace >info
	expect_grep '^end.phase.plan_ns +[1-9][0-9]*$' info
	expect_grep '^end.phase.detach_ns +[1-9][0-9]*$' info
	expect_grep '^set_up +[^ ]+: binary [^ ]+, .*plan [^ ]+, .*load [^ ]+, attach [^ ]+, start [^ ]+, patch [^ ,]+$' info
	expect_grep '^tear_down +[^ ]+: detach [^ ]+, collect [^ ]+, write [^ ,]+$' info
	awk '/^end.phase./ && !/detach|collect|write/ { parts += $2 } $1 == "end.set_up_ns" { all = $2 } END { exit !all || parts != all }' info ||
		fail "the parts do not make the whole"
}
check "info says how long each part of the set-up and of the end took" phases

no_match() {
	expect_status 125 gt record -o trace -f main.outre -- "$programs/plain" >out 2>err
	[ ! -s out ] || fail "something ran"
	expect_grep 'main\.outer' err
}
check "no function matches: near names, nothing runs" no_match

usage() {
	expect_status 2 gt record --no-such-option -- "$programs/plain"
	expect_status 2 gt record --probe=emulated --ring=64K -- "$programs/plain" # it is of inline stubs
	expect_status 2 gt no-such-verb
	expect_status 1 gt report ./nowhere
	head -c 1000 "$programs/plain" >notrace
	expect_status 1 gt report notrace
}
check "wrong usage is 2, bad input to report is 1" usage

path_lookup() { # a command without a slash is looked up in PATH
	PATH=$programs:$PATH gt record --max-cost=off -o trace -- plain >printed
	gt report trace --format=csv >report.csv
	symbols_of "$programs/plain"
	compare_counts printed report.csv symbols
}
check "PATH is searched" path_lookup

child_is_mentioned() { # children are not followed, and the report says that there was one
	gt record -o trace -- "$programs/spawn" >printed 2>err
	gt report trace >text
	expect_grep 'child' text
}
check "the report says that there was a child" child_is_mentioned

done_testing
