#!/bin/sh
# Whether the unit tests notice when the sources are wrong: each patch in ci/mutation breaks them in one way that would give a user wrong
# numbers or harm a program, and says which tests must fail then. They are built and run in a copy; the tree is left alone.
#
#   ci/mutation.sh [NAME...]      all of them; needs the libraries of a build, no root
#
# A patch that no longer applies, or does not compile, is a failure, too: it has to be written anew.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 1
# shellcheck source=totals.sh
. ci/totals.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
git ls-files -z -co --exclude-standard -- . ':!results' ':!paper' ':!fixtures/fuzz' | tar -c --null -T - -f "$work/tree.tar" || exit 1
mkdir "$work/tree" && tar -xf "$work/tree.tar" -C "$work/tree" || exit 1
cd "$work/tree" || exit 1

command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
GOTRACE_TEST_BINARIES=$work/binaries
export GOTRACE_TEST_BINARIES

build() { make --no-print-directory NODEPS=1 O="$work/build" "-j$(nproc)" "$@" >"$work/made" 2>&1; }
# passes TESTS: all of these tests pass
passes() {
	for t in $1; do
		"$work/build/test/$t" >"$work/said" 2>&1 || return 1
	done
}
targets() { for t in $1; do echo "$work/build/test/$t"; done; }

# mutation PATCH
mutation() {
	tests=$(sed -n 's/^Tests: //p' "$1")
	# shellcheck disable=SC2046 # words
	if ! git apply "$1" >"$work/patched" 2>&1; then
		cat "$work/patched"
		echo "the patch does not apply"
		return 1
	elif ! build $(targets "$tests"); then
		tail -n 5 "$work/made"
		echo "it does not compile"
		return 1
	fi
	! passes "$tests" || { echo "it was not noticed by $tests"; return 1; }
}

[ $# -gt 0 ] || set -- $(ls "$top"/ci/mutation/*.patch | sed 's|.*/||; s|\.patch$||')
# Else a test that always fails would notice everything.
all=$(for name; do sed -n 's/^Tests: //p' "$top/ci/mutation/$name.patch"; done | tr ' ' '\n' | sort -u)
whole() {
	# shellcheck disable=SC2046
	build $(targets "$all") || { tail -n 5 "$work/made"; return 1; }
	passes "$all" || { cat "$work/said"; return 1; }
}
try "unbroken, these tests pass" whole
for name; do
	cp -p "$top/ci/mutation/$name.patch" "$work/patch"
	try "$name: $(head -n 1 "$work/patch")" mutation "$work/patch"
	git apply -R "$work/patch" >/dev/null 2>&1
done
totals
