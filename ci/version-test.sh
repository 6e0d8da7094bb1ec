# Tests of the version, by Makefile and ci/version.sh; sourced by scripts-test.sh.
# shellcheck shell=bash disable=SC2154,SC2015 # what is set and not here is that script's

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
	# Where git says nothing any more, the commit that is known stays, but for another version.
	remake 0.5-12-gabc && remake 0.5 && [ "$("$work/build/gotrace" --version)" = 'gotrace 0.5-12-gabc' ] || fail "the commit is forgotten"
	remake 0.6 && [ "$("$work/build/gotrace" --version)" = 'gotrace 0.6' ] || fail "not another version"
}
# The number is that of CHANGELOG.md, git has the rest.
numbers() {
	local tree=$work/numbered number
	number() { [ "$("$tree/ci/version.sh")" = "$1" ] || fail "$("$tree/ci/version.sh"), not $1"; }
	mkdir -p "$tree/ci" && cp "$top/ci/version.sh" "$tree/ci" && cd "$tree" || exit
	printf '# Changelog\n\n## 0.2 (2026-01-02)\n\n## 0.1 (2026-01-01)\n' >CHANGELOG.md
	number 0.2
	git init -q . && commit_all
	number "0.2-0-g$(git rev-parse --short HEAD)"
	echo more >>CHANGELOG.md
	number "0.2-0-g$(git rev-parse --short HEAD)-dirty"
	commit_all && sed -i 's/^## 0.2 .*/## 0.2 (2026-01-03)/' CHANGELOG.md && commit_all
	number "0.2-2-g$(git rev-parse --short HEAD)"
	sed -i 's/^## 0.2 /## 0.3 (2026-01-04)\n\n&/' CHANGELOG.md && number "0.3-0-g$(git rev-parse --short HEAD)-dirty"
	cd "$top" && [ "$(ci/version.sh | sed 's/-.*//')" = "$(grep -o '^## [0-9.]*' CHANGELOG.md | sed '1!d; s/^## //')" ] || fail "not that of CHANGELOG.md"
}

try "the version is that of the sources, and one file is compiled for it" version
if command -v git >/dev/null; then try "the version has its number, and how many commits later it is" numbers
else skip "the version has its number, and how many commits later it is" 'no git'; fi
