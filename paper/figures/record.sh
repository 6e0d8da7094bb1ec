#!/bin/sh
# Records anew, as root: greet.gotrace and ants.gotrace with the functions that the thesis selected, of which alone the pictures are
# made (make.sh), so that they are the same on every machine; and readme-pid.gotrace, whose report the README shows
# (ci/check-examples.py --write puts it there).
#   sudo paper/figures/record.sh [NAME...]      all without one
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
readme_pid() {
	fixtures/programs/build.sh "$work" slow
	(cd "$work/default" && exec ./slow evict 10s) &
	sleep 2
	(cd "$work" && "$gotrace" record -o readme-pid.gotrace --pid "$!" -d 5 >/dev/null)
	wait "$!"
	install -m 644 "$work/readme-pid.gotrace" paper/figures/
}
[ $# -gt 0 ] || set -- greet ants readme-pid
for name; do
	case $name in
	greet) record greet main time ;;
	ants) record ants main github.com/panjf2000/ants/v2 ;;
	readme-pid) readme_pid ;;
	*) echo "record.sh: no recording is called '$name'" >&2; exit 2 ;;
	esac
done
