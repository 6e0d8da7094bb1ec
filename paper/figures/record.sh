#!/bin/sh
# Records greet.gotrace and ants.gotrace anew, with the functions that the thesis selected; needs root. The pictures are made of
# these two alone (make.sh), so that they are the same on every machine.
#   sudo paper/figures/record.sh
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
gotrace=$(realpath -m "${GOTRACE:-build/gotrace}")
work=$(mktemp -d /tmp/gotrace-figures.XXXXXX)
trap 'rm -rf "$work"' EXIT
# shellcheck source=experiments/provenance.sh
. experiments/provenance.sh
may_measure figures
experiments/workloads/build.sh "$work" greet ants

record() { # NAME PACKAGE...
	name=$1
	shift
	options=$(printf -- '-p %s ' "$@")
	# shellcheck disable=SC2086 # words
	(cd "$work" && "$gotrace" record -o "$name.gotrace" $options -- "./$name.noinline" >/dev/null)
	"$gotrace" report "$work/$name.gotrace" | grep -qx 'no event was lost'
	install -m 644 "$work/$name.gotrace" paper/figures/
}
record greet main time
record ants main github.com/panjf2000/ants/v2
