#!/bin/sh
# Makes what is derived from the raw rows of a run: summary.csv, summary.md.
#   experiments/thesis-original/derive.sh RESULTS/RUN-ID
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
begin_derive "$@"
compare_rows untraced wall_ns cpu_ns functions sites events calls mismatches
{
	echo 'Wall time:'
	echo
	table 'program|variant' 'wall_ns|ms|1e6|%.1f;functions|functions|1|%d;sites|sites|1|%d;events|events|1|%d;calls|calls|1|%d;mismatches|warnings of pairing|1|%d' wall_ns
	echo
	echo 'Processor time:'
	echo
	table 'program|variant' 'cpu_ns|ms|1e6|%.1f' cpu_ns
} >"$1/summary.md"
