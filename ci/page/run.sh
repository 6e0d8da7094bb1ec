#!/bin/sh
# The page in headless Chromium: html_test writes pages, test.mjs uses them. Skipped, and said so, where
# Chromium and Node cannot be had as packages (Ubuntu has Chromium as a snap only).
set -eu
cd "$(dirname "$0")/../.."
build=${O:-build}
chromium=${CHROMIUM:-chromium}
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
PLAYWRIGHT=$(ci/page/playwright.sh "$build") || skip_all "playwright-core cannot be had from the npm registry"
export PLAYWRIGHT
pages=$build/pages
rm -rf "$pages"
mkdir -p "$pages"
GOTRACE_PAGES=$pages "$build/test/export/html/html_test" >/dev/null
exec node ci/page/test.mjs "$pages"
