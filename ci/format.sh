#!/bin/sh
# Whether all C is formatted as .clang-format says; with --write it is made so.
#
#   ci/format.sh [--write]
#
# Versions of clang-format differ: it must be 14 (Debian 12 and Ubuntu 24.04 have clang-format-14). Where
# there is none the check is skipped.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=totals.sh
. ci/totals.sh
files=$(find core bpf experiments ci fixtures -name '*.[ch]' | LC_ALL=C sort)
for tool in clang-format-14 clang-format ''; do
	case "$("$tool" --version 2>/dev/null)" in
	*' version 14.'*) break ;;
	esac
done
if [ "${1:-}" = --write ]; then
	[ -n "$tool" ] || { echo "format.sh: clang-format 14 is not installed" >&2; exit 1; }
	# shellcheck disable=SC2086 # a list of files
	exec "$tool" -i $files
fi
name='C is formatted as .clang-format says (if not: make format)'
if [ -n "$tool" ]; then
	# shellcheck disable=SC2086
	try "$name" "$tool" --dry-run -Werror $files
else
	skip "$name" 'there is no clang-format 14'
fi
totals
