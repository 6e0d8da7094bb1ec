#!/bin/sh
# Runs cmocka programs one by one; prints the output of those that fail and one closing line.
#   ci/unit.sh PROGRAM...
set -u
# shellcheck source=totals.sh
. "${0%/*}/totals.sh"
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
for t in "$@"; do
	# cmocka's own lines: "[  PASSED  ] 7 test(s).", "[  FAILED  ] 1 test(s), listed below:"
	if "$t" >"$log" 2>&1; then ok=1; else ok=0; fi
	p=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | head -n 1)
	f=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) test.*/\1/p' "$log" | head -n 1)
	s=$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) test.*/\1/p' "$log" | head -n 1)
	[ "$ok" = 1 ] || [ "${f:-0}" -gt 0 ] || f=1 # it crashed, or a sanitizer ended it
	add "${p:-0}" "${f:-0}" "${s:-0}"
	printf '  %-8s %s (%s)\n' "$([ "${f:-0}" = 0 ] && echo ok || echo FAIL)" "${t##*/test/}" "${p:-0}"
	sed -n "s,^\[  SKIPPED \] \([a-z0-9_]*\)\$,ok - ${t##*/test/}: \1 # SKIP a unit test that skips itself,p" "$log" | sort -u
	[ "${f:-0}" = 0 ] || cat "$log"
done
totals
