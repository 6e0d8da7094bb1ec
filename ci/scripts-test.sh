#!/bin/bash
# Tests of the Makefile and of the scripts in ci. Needs no root, and the build ($O, build).
# shellcheck disable=SC2317,SC2015 # tests are called by name; they fail where anything before does
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
build=$(realpath "${O:-$top/build}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck source=totals.sh
. "$top/ci/totals.sh"
cd "$top" || exit 1
fail() { echo "$*"; exit 1; }

# A copy of what was built, so that the build itself is left alone.
copy() {
	mkdir "$work/build" && cp -a "$build"/{obj,proto,*.a,*.o,page.*,gotrace} "$work/build/" &&
		{ [ ! -e "$build/version.c" ] || cp -a "$build"/version.* "$work/build/"; }
}
remake() { # VERSION
	make --no-print-directory NODEPS=1 O="$work/build" VERSION="$1" all >"$work/made" || { cat "$work/made"; exit 1; }
}
version() {
	copy && remake one && [ "$("$work/build/gotrace" --version)" = 'gotrace one' ] || fail "not the first one"
	remake two && [ "$("$work/build/gotrace" --version)" = 'gotrace two' ] || fail "not the second one"
	[ "$(grep -c '^  CC' "$work/made")" = 1 ] || fail "more than one file is compiled: $(cat "$work/made")"
	remake two && [ ! -s "$work/made" ] || fail "the same version is made again: $(cat "$work/made")"
}

# ends LINE STATUS WANT: a script whose log ends with LINE, and status, adds these totals.
ends() {
	echo "$1" >"$work/log"
	[ "$(passed=0 failed=0 skipped=0; add_script "$work/log" "$2"; totals)" = "$3" ] || fail "'$1' with status $2"
}
adding() {
	ends '2 passed, 0 failed, 1 skipped' 0 '2 passed, 0 failed, 1 skipped'
	ends '2 passed, 3 failed, 1 skipped' 1 '2 passed, 3 failed, 1 skipped'
	ends '2 passed, 0 failed, 1 skipped' 1 '2 passed, 1 failed, 1 skipped'
	ends 'no totals' 0 '1 passed, 0 failed, 0 skipped'
	ends 'no totals' 1 '0 passed, 1 failed, 0 skipped'
}
statuses() {
	(passed=1 failed=0 skipped=0; totals) || fail "one passed"
	(passed=0 failed=0 skipped=1; totals) || fail "one skipped"
	! (passed=1 failed=1 skipped=0; totals) || fail "one failed"
	! (passed=0 failed=0 skipped=0; totals) || fail "there was none"
}
try "totals of a script are added, and one that fails counts" adding
try "the status is that of the totals" statuses
try "the version is that of the sources, and one file is compiled for it" version
totals
