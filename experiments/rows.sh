#!/bin/sh
# Row files of results/ where they are several or large: packed into rows.tar.zst of their folder. Rows are every .csv but summary.csv.
#
#   experiments/rows.sh FILE               prints a row file, packed or not
#   experiments/rows.sh --unpack FOLDER    puts what is packed beside the archive, and prints the names
#   experiments/rows.sh --pack FOLDER...   packs the rows of runs that have ended where there is more than one file or 100,000 bytes
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source-path=SCRIPTDIR source=provenance.sh
. "$top/experiments/provenance.sh"

wrong() { echo "rows.sh: $*" >&2; exit 1; }
pack_rows() { # FOLDER
	set -- "$1" "$(find "$1" -maxdepth 1 -name '*.csv' ! -name summary.csv -printf '%f\n' | LC_ALL=C sort)"
	[ -n "$2" ] || return 0
	[ ! -e "$1/rows.tar.zst" ] || wrong "$1 has rows.tar.zst and beside it $(echo "$2" | paste -sd' ')"
	# shellcheck disable=SC2086 # names without blanks
	if [ "$(cd "$1" && cat $2 | wc -c)" -gt 100000 ] || [ "$(echo "$2" | wc -l)" -gt 1 ]; then
		grep -q '^load_at_end:\{0,1\} ' "$1/environment.txt" || wrong "$1 is of a run that has not ended"
		archive "$1" rows.tar.zst $2
	fi
}

case ${1:-} in
--pack)
	shift
	for folder; do pack_rows "$folder"; done ;;
--unpack) [ ! -e "$2/rows.tar.zst" ] || tar -C "$2" -I zstd -xvf "$2/rows.tar.zst" ;;
'' | -*) sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
*) if [ -e "$1" ]; then cat "$1"; else tar -I zstd -xOf "$(dirname "$1")/rows.tar.zst" "$(basename "$1")"; fi ;;
esac
