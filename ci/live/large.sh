#!/bin/bash
# Ten thousand functions at once: all of the go command.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
goroot=$(go env GOROOT)
export GOROOT=$goroot # its bin is all of it that a VM has

# Twenty thousand perf events take more descriptors than there are, and the kernel an hour to end.
"$GOTRACE" doctor | grep -q '^yes *uprobe_multi' || {
	check "ten thousand functions at once" skip "no uprobe_multi links"
	done_testing
}

identical() { # BINARY ARG...; leaves `header`
	"$@" >plain.out 2>plain.err
	gt record -p all --wrappers -o trace -- "$@" >traced.out 2>traced.err
	cmp plain.out traced.out
	gt info trace >header
}

quick() { # KEY: less than a second, where a processor is one
	local ns
	[ "${LIVE_SLOW:-}" != 1 ] || return 0
	ns=$(awk -v k="$1" '$1 == k { print $2 }' header)
	[ -n "$ns" ] || { cat header; fail "there is no $1"; }
	[ "$ns" -lt 1000000000 ] || fail "$1 is $ns"
}

go_command() {
	since 21 "the go command has fewer functions"
	identical "$goroot/bin/go" env GOOS GOARCH GOVERSION
	local probed
	probed=$(awk '$1 == "plan.probed" { print $2 }' header)
	[ "${probed:-0}" -ge 10000 ] || fail "only ${probed:-no} functions"
	quick attach.time_ns
	quick end.detach_ns
}
check "go env with 10,000 functions: output byte-identical, attached and detached within a second each" go_command

gofmt() {
	printf 'package x\nfunc  f( a int )(b   int){\nif a==1{return 2}\nreturn a+ 3}\n' >x.go
	identical "$goroot/bin/gofmt" x.go
	[ "$(csv_calls trace main.main)" = 1 ]
}
check "gofmt, all packages: output byte-identical" gofmt

done_testing
