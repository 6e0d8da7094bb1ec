#!/bin/sh
# Makes summary.csv and summary.md of the raw rows of a run.
#   experiments/export-throughput/derive.sh FOLDER
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
begin_derive "$@"
compare_rows report events cpu_s cpu_s/events wall_s peak_kib bytes
{
	echo "# Time, memory and bytes of every export"
	echo
	echo "*report* is the report by function: what reading and pairing takes. *times*: processor time against it; *report-again* is the same once"
	echo "more. Memory is to be the same for both lengths."
	echo
	table 'trace|format' 'events|M events|1e6|%.2f;cpu_s|processor time, s|1|%.2f;cpu_s/events|ns an event|1e-9|%.0f;wall_s|by the clock, s|1|%.2f;peak_kib|peak, MiB|1024|%.1f;bytes|MB out|1e6|%.3f' cpu_s
} >"$out/summary.md"
