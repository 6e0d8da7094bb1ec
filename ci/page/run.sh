#!/bin/sh
# In headless Chromium: the page (html_test writes pages, test.mjs uses them), and speedscope, which opens our exports for
# it. Skipped, and said so, where Chromium and Node cannot be had as packages (Ubuntu has Chromium as a snap only).
set -eu
cd "$(dirname "$0")/../.."
build=${O:-build}
chromium=${CHROMIUM:-chromium-headless-shell}
# shellcheck source=../totals.sh
. ci/totals.sh

skip_all() { # WHY
	skip 'the page in a browser' "$1"
	totals
	exit
}
[ -n "${NODEPS:-}" ] || ci/deps.sh page >/dev/null 2>&1 || true
for tool in node "$chromium"; do
	command -v "$tool" >/dev/null 2>&1 || skip_all "there is no $tool (ci/deps.sh page)"
done
PLAYWRIGHT=$(ci/page/npm.sh playwright-core "$build") || skip_all "playwright-core cannot be had from the npm registry"
export PLAYWRIGHT
pages=$build/pages
rm -rf "$pages"
mkdir -p "$pages"
GOTRACE_PAGES=$pages "$build/test/export/html/html_test" >/dev/null

run() { # SCRIPT ARG...
	status=0
	node "ci/page/$1" "$2" "$3" >"$pages/log" || status=$?
	sed '/^[0-9]* passed/d' "$pages/log"
	add_script "$pages/log" $status
}
AXE=$(ci/page/npm.sh axe-core "$build") || AXE=
export AXE
[ -n "$AXE" ] || skip 'who uses a keyboard or a screen reader' "axe-core cannot be had from the npm registry"
run test.mjs "$pages" ''
if SPEEDSCOPE=$(ci/page/npm.sh speedscope "$build"); then
	export SPEEDSCOPE
	[ -x "${GOTRACE:-$build/gotrace}" ] || make -s "O=$build" "$build/gotrace" >&2
	for t in fixtures/traces/branches.go1.27.emulated fixtures/samples/leafs fixtures/formats/1.2.summary; do
		"${GOTRACE:-$build/gotrace}" export --format=speedscope -o "$pages/${t##*/}.speedscope.json" $t.gotrace
	done
	run speedscope.mjs "$pages" ''
else
	skip 'exports in speedscope' "it cannot be had from the npm registry"
fi
totals
