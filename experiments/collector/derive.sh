#!/bin/sh
# Makes summary.csv and summary.md of the raw rows of a run.
#   experiments/collector/derive.sh FOLDER
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
begin_derive "$@"
compare_rows write ns_per_event pack_ns_per_event wall_ns/events bytes/events
{
	echo "# What the collector takes for an event of inline stubs"
	echo
	echo "Processor time an event, up to each stage: of the collector's thread, and of the second thread that packs and writes, which only"
	echo "*threads* has (what \`record\` does). The slower of the two bounds the events a second. *times*: the collector's thread against *write*,"
	echo "all by one thread; *write-again* is the same once more."
	echo
	table 'rings|writers|stage' 'ns_per_event|collector, ns|1|%.1f;pack_ns_per_event|second thread, ns|1|%.1f;wall_ns/events|by the clock, ns|1|%.1f;bytes/events|bytes|1|%.2f' ns_per_event
} >"$out/summary.md"
