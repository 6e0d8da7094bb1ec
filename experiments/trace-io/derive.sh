#!/bin/sh
# Makes summary.csv and summary.md of the raw rows of a run.
#   experiments/trace-io/derive.sh FOLDER
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
begin_derive "$@"
compare_rows - events bytes_per_event write_ns_per_event read_ns_per_event
{
	echo "# Writing and reading traces"
	echo
	echo "A recorded trace is only read: 0 ns written."
	echo
	table 'asked for|trace' 'events|M events|1e6|%.2f;bytes_per_event|bytes an event|1|%.3f;write_ns_per_event|written, ns an event|1|%.2f;read_ns_per_event|read, ns an event|1|%.2f'
} >"$out/summary.md"
