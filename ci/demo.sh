#!/bin/sh
# Builds greet, traces it, shows where its time went.
#   GOTRACE=... ci/demo.sh OUTDIR
set -eu
unset SUDO_UID SUDO_GID # under `sudo make` the folder is root's, and so is the trace
cd "$(dirname "$0")/.."
out=$1
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo

experiments/workloads/build.sh "$out" greet
show() {
	printf '\n$ %s\n' "$*"
	"$@"
}
gotrace() { "$GOTRACE" "$@"; }
show gotrace plan "$out/greet.noinline"
printf '\n$ %sgotrace record -o %s/greet.gotrace -- %s/greet.noinline\n' "${sudo:+$sudo }" "$out" "$out"
$sudo "$GOTRACE" record -o "$out/greet.gotrace" -- "$out/greet.noinline"
show gotrace report "$out/greet.gotrace"
show gotrace report --by=path "$out/greet.gotrace"
