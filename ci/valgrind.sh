#!/bin/sh
# The report path reads and frees what it should: every kind of report, and a
# comparison, over recorded traces.
set -u
cd "$(dirname "$0")/.." || exit 1
failed=0 passed=0
emulated=fixtures/traces/recursion.emulated.gotrace thesis=fixtures/traces/recursion.thesis.gotrace

try() {
	if valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
		build/gotrace "$@" >/dev/null; then
		passed=$((passed + 1))
	else
		echo "valgrind finds fault with: gotrace $*"
		failed=$((failed + 1))
	fi
}
for trace in fixtures/traces/plain.emulated.gotrace $thesis; do
	try report --by=function "$trace"
	try report --by=path --format=json "$trace"
	try report --by=goroutine --fold --format=csv "$trace"
	try report --by=call "$trace"
	try info "$trace"
	for format in folded 'pprof --goroutines' perfetto chrome perun 'perun --perun-layout=legacy' csv 'csv --calls' sqlite; do
		# shellcheck disable=SC2086 # a format and its option
		try export --format=$format "$trace"
	done
done
try diff $emulated $thesis
try diff --by=path --format=json $emulated $thesis
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
