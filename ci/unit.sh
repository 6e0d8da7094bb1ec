#!/bin/bash
# Runs cmocka programs, as many at once as there are processors ($JOBS), the longest first (ci/unit-longest); prints a line
# of each, the output of those that fail, and one closing line.
#   ci/unit.sh PROGRAM...
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=totals.sh
. "$here/totals.sh"
# shellcheck source=times.sh
. "$here/times.sh"

# one DIR PROGRAM: runs it; its report and its totals are files in DIR.
one() {
	local name=${2##*/test/} start=$SECONDS log report ok=0 p f s
	log=$1/${name//\//.}
	report=$log.report
	# cmocka's own lines: "[  PASSED  ] 7 test(s).", "[  FAILED  ] 1 test(s), listed below:"
	"$2" >"$log" 2>&1 && ok=1
	p=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | head -n 1)
	f=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) test.*/\1/p' "$log" | head -n 1)
	s=$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) test.*/\1/p' "$log" | head -n 1)
	[ "$ok" = 1 ] || [ "${f:-0}" -gt 0 ] || f=1 # it crashed, or a sanitizer ended it
	{
		printf '  %-8s %s (%s)\n' "$([ "${f:-0}" = 0 ] && echo ok || echo FAIL)" "$name" "${p:-0}"
		sed -n "s,^\[  SKIPPED \] \([a-z0-9_]*\)\$,ok - $name: \1 # SKIP a unit test that skips itself,p" "$log" | sort -u
		[ "${f:-0}" = 0 ] || cat "$log"
	} >"$report"
	children_time
	time_row "$name" $((SECONDS - start)) $((${p:-0} + ${f:-0} + ${s:-0})) "$children_seconds"
	echo "${p:-0} ${f:-0} ${s:-0}" >"$log.totals"
	flock "$1" cat "$report"
}
if [ "${1:-}" = --one ]; then
	one "$2" "$3"
	exit
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# The longest first: a long one that begins last runs alone.
printf '%s\n' "$@" | awk -v longest="$here/unit-longest" '
	BEGIN { while ((getline name < longest) > 0) if (name !~ /^#/) order[name] = ++n }
	{ name = $0; sub(/^.*\/test\//, "", name); print (name in order ? order[name] : n + 1) "\t" $0 }' |
	sort -s -n -k 1,1 | cut -f 2- | xargs -r -d '\n' -n 1 -P "${JOBS:-$(nproc)}" "$0" --one "$work"
for program in "$@"; do
	name=${program##*/test/}
	if read -r p f s 2>/dev/null <"$work/${name//\//.}.totals"; then add "$p" "$f" "$s"; else not_ok "$program: it did not end"; fi
done
totals
