#!/bin/sh
# Builds the workloads from the pinned modules.
#
#   build.sh OUTDIR [NAME...]      NAME: greet, ants, oto; all of them without one
#
# For each NAME:  OUTDIR/NAME          as `go build` makes it
#                 OUTDIR/NAME.noinline with -gcflags=-l, as the thesis built it
# and for ants:   OUTDIR/ants.counted  counts the calls of its own functions and
#                                      of ants' and prints them as it ends
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- greet ants oto
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
command -v go >/dev/null || { echo "build.sh: no Go toolchain; run: ci/deps.sh go" >&2; exit 1; }
export GOFLAGS="-buildvcs=false -trimpath"

build_counted() (
	cd "$here/counter"
	go build -o "$out/.counter" .
	"$out/.counter" -out "$out/.counted" -module github.com/panjf2000/ants/v2 "$here/ants"
	cd "$out/.counted/main"
	go build -mod=mod -tags counted -gcflags=all=-l -o "$out/ants.counted" .
	rm -rf "$out/.counter" "$out/.counted"
)

for name in "$@"; do
	[ -f "$here/$name/go.mod" ] || { echo "build.sh: no workload is called '$name'" >&2; exit 2; }
	if [ "$name" = oto ] && ! pkg-config --exists alsa 2>/dev/null; then
		echo "build.sh: oto needs the ALSA headers; run: ci/deps.sh experiment" >&2
		exit 1
	fi
	cd "$here/$name"
	go build -o "$out/$name" .
	go build -gcflags=-l -o "$out/$name.noinline" .
	[ "$name" != ants ] || build_counted
done
