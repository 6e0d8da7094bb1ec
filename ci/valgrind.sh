#!/bin/sh
# The report path reads and frees what it should: every kind of report over a recorded trace.
set -u
cd "$(dirname "$0")/.." || exit 1
failed=0 passed=0
for trace in fixtures/traces/plain.emulated.gotrace fixtures/traces/recursion.thesis.gotrace; do
	for how in '--by=function' '--by=path --format=json' '--by=goroutine --format=csv' '--by=call'; do
		# shellcheck disable=SC2086 # words
		if valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
			build/gotrace report $how "$trace" >/dev/null; then
			passed=$((passed + 1))
		else
			echo "valgrind finds fault with: gotrace report $how $trace"
			failed=$((failed + 1))
		fi
	done
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
