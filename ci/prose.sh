#!/bin/sh
# No document, help text, message or header becomes harder to read: prose.py counts long sentences and bad habits of each file, and no
# count may be higher than its number in ci/prose.tsv. A file without a row there may have none.
#
#   ci/prose.sh               (make check-prose)
#   ci/prose.sh --write       puts the present counts into ci/prose.tsv, unless one of the sums would rise
#   ci/prose.sh --list FILE... prints the counted sentences of these files
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=totals.sh
. ci/totals.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

sums() { awk -F'\t' '!/^#/ { a += $2; b += $3; c += $4 } END { print a + 0, b + 0, c + 0 }' "$1"; }
# risen OLD NEW: lists the counts of NEW that are higher than in OLD.
risen() {
	awk -F'\t' '
		BEGIN { split("file,sentences over 30 words,sentences over 35 words,habits", name, ",") }
		/^#/ { next }
		FNR == NR { for (i = 2; i <= 4; i++) limit[$1, i] = $i; next }
		{ for (i = 2; i <= 4; i++) if ($i > limit[$1, i] + 0) print $1 ": " $i " " name[i] ", were " limit[$1, i] + 0 }' "$1" "$2"
}
none_risen() {
	risen ci/prose.tsv "$work/now" >"$work/risen"
	cat "$work/risen"
	for file in $(cut -d: -f1 "$work/risen" | sort -u); do ci/prose.py "$file"; done
	[ ! -s "$work/risen" ]
}
case ${1:-} in
--list) shift && exec ci/prose.py "$@" ;;
'' | --write) ;;
*) sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
ci/prose.py >"$work/now" || exit 1
if [ "${1:-}" = --write ]; then
	[ -e ci/prose.tsv ] || cp "$work/now" ci/prose.tsv
	for column in 1 2 3; do
		[ "$(sums "$work/now" | cut -d' ' -f$column)" -le "$(sums ci/prose.tsv | cut -d' ' -f$column)" ] && continue
		risen ci/prose.tsv "$work/now"
		echo "not written: a sum would rise ($(sums ci/prose.tsv), now $(sums "$work/now"))" >&2
		exit 1
	done
	{ echo '# file	sentences over 30 words	over 35 words	habits (ci/prose.py)' && cat "$work/now"; } >"$work/new" && cp "$work/new" ci/prose.tsv
	exit
fi
try "no file has more long sentences or bad habits than ci/prose.tsv" none_risen
totals
