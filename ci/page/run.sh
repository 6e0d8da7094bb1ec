#!/bin/sh
# The page in headless Chromium: html_test writes pages, test.mjs uses them. Skipped, and said so, where
# Chromium and Node cannot be had as packages (Ubuntu has Chromium as a snap only).
set -eu
cd "$(dirname "$0")/../.."
build=${O:-build}
chromium=${CHROMIUM:-chromium}
[ -n "${NODEPS:-}" ] || ci/deps.sh page >/dev/null 2>&1 || true
for tool in node "$chromium"; do
	command -v "$tool" >/dev/null 2>&1 || {
		echo "the page in a browser: skipped, there is no $tool (ci/deps.sh page)"
		echo '0 passed, 0 failed, 1 skipped'
		exit 0
	}
done
if ! PLAYWRIGHT=$(ci/page/playwright.sh "$build"); then
	echo "the page in a browser: skipped, playwright-core cannot be had from the npm registry"
	echo '0 passed, 0 failed, 1 skipped'
	exit 0
fi
export PLAYWRIGHT
pages=$build/pages
rm -rf "$pages"
mkdir -p "$pages"
GOTRACE_PAGES=$pages "$build/test/export/html/html_test" >/dev/null
exec node ci/page/test.mjs "$pages"
