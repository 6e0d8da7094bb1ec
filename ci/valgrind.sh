#!/bin/sh
# The report path reads and frees what it should: every kind of report, and a
# comparison, over recorded traces.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=totals.sh
. ci/totals.sh
emulated=fixtures/traces/recursion.emulated.gotrace thesis=fixtures/traces/recursion.thesis.gotrace

# The command's own output is of no interest.
quietly() { "$@" >/dev/null; }
clean() { # ARG... of gotrace
	try "valgrind finds nothing: gotrace $*" quietly valgrind -q --error-exitcode=99 --leak-check=full \
		--errors-for-leak-kinds=definite build/gotrace "$@"
}
for trace in fixtures/traces/plain.emulated.gotrace $thesis; do
	clean report --by=function "$trace"
	clean report --by=path --format=json "$trace"
	clean report --by=goroutine --fold --format=csv "$trace"
	clean report --by=call "$trace"
	clean info "$trace"
	for format in folded 'pprof --goroutines' perfetto speedscope chrome perun 'perun --perun-layout=legacy' csv 'csv --calls' sqlite; do
		# shellcheck disable=SC2086 # a format and its option
		clean export --format=$format "$trace"
	done
done
clean diff $emulated $thesis
clean diff --by=path --format=json $emulated $thesis
totals
