#!/bin/sh
# Makes summary.csv and summary.md of the raw rows of a run.
#   experiments/throughput/derive.sh FOLDER
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
begin_derive "$@"
compare_rows read events/cpu_ns cpu_ns/events wall_ns/events events paths peak_kib
{
	echo "# Events a second that one core reads and pairs"
	echo
	echo "*read* decodes each event and does no more; *report* makes calls, a tree of paths and statistics of them. *tenth* has a tenth of the"
	echo "events. *times*: processor time against *read*; *read-again* is the same once more."
	echo
	table 'trace|what' 'events|M events|1e6|%.1f;paths|paths|1|%.0f;events/cpu_ns|M events/s of processor time|1e-3|%.1f;cpu_ns/events|processor time, ns an event|1|%.1f;wall_ns/events|by the clock, ns|1|%.1f;peak_kib|peak, MiB|1024|%.1f' cpu_ns/events
} >"$out/summary.md"
