#!/bin/bash
# Ten thousand functions at once: all of the go command.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
goroot=$(go env GOROOT)

identical() { # BINARY ARG...; sets functions
	"$@" >plain.out 2>plain.err
	gt record -p all -o trace -- "$@" >traced.out 2>traced.err
	cmp plain.out traced.out
	gt info trace >header
}

quick() { # KEY: less than a second
	local ns
	ns=$(awk -v k="$1" '$1 == k { print $2 }' header)
	[ -n "$ns" ] || { cat header; fail "there is no $1"; }
	[ "$ns" -lt 1000000000 ] || fail "$1 is $ns"
}

go_command() {
	identical "$goroot/bin/go" env GOOS GOARCH GOVERSION
	functions=$(gt plan -p all --format=json "$goroot/bin/go" |
		python3 -c 'import json, sys; print(sum(1 for f in json.load(sys.stdin)["functions"]))')
	[ "$functions" -ge 10000 ] || fail "only $functions functions"
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
