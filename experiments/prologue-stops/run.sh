#!/bin/bash
# How much of what the thesis counted as stack growth was growth: prologues that
# were stopped, by what the runtime did about them.
#
#   sudo experiments/prologue-stops/run.sh      RUNS=5, GOTRACE=build/gotrace, O=build
#
# Each run writes results/prologue-stops/<run-id>/: rows.csv (never edited),
# environment.txt, summary.md.
set -eu
unset SUDO_UID SUDO_GID # traces are written to a folder of root's own, whoever called sudo
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
runs=${RUNS:-5} build=${O:-$top/build}
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
cd "$top"
[ -x "$GOTRACE" ] || { echo "prologue-stops: $GOTRACE is missing; run: make" >&2; exit 1; }
[ "$(id -u)" = 0 ] || { echo "prologue-stops: tracing needs root" >&2; exit 1; }
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
may_measure prologue-stops
make -s O="$build" "$build/libgotrace.a"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Icore -I. \
	experiments/prologue-stops/stops.c "$build/libgotrace.a" -lzstd -lz -o "$work/stops"
fixtures/programs/build.sh "$work/programs" growth preempt >/dev/null
experiments/workloads/build.sh "$work/workloads" ants >/dev/null

begin_run
note runs "$runs, --probe=thesis, built with -gcflags=-l"
echo "program,run,lost_events,where,class,count,ns" >"$out/rows.csv"

row() { # PROGRAM RUN BINARY SELECTION...
	local program=$1 run=$2 binary=$3 lost
	shift 3
	"$GOTRACE" record -o "$work/trace" --probe=thesis "$@" -- "$binary" >/dev/null 2>"$work/log" ||
		{ cat "$work/log" >&2; exit 1; }
	lost=$("$GOTRACE" info "$work/trace" | awk '$1 == "end.lost_events" { print $2 }')
	"$work/stops" "$work/trace" | sed "s/^/$program,$run,${lost:-0},/" >>"$out/rows.csv"
}
for run in $(seq "$runs"); do
	row ants "$run" "$work/workloads/ants.noinline" -p main -p github.com/panjf2000/ants/v2
	row growth "$run" "$work/programs/noinline/growth"
	row preempt "$run" "$work/programs/noinline/preempt"
done

end_run
# Sums of all runs; the time that the thesis would call growth is that of all traced stops.
awk -F, '
NR > 1 {
	if (!($1 in seen)) { seen[$1]; program[++n] = $1 }
	count[$1, $4, $5] += $6
	all[$1, $4] += $6
	ns[$1, $5] += $7
	time[$1] += $7
}
function pct(a, b) { return b ? sprintf("%.1f %%", 100 * a / b) : "-" }
END {
	split("growth yield gc declined", class, " ")
	print "| program | what became of it | stops of traced functions | share | their time, ms | share | stops of other functions |"
	print "|---|---|---|---|---|---|---|"
	for (i = 1; i <= n; i++)
		for (c = 1; c <= 4; c++)
			printf "| %s | %s | %d | %s | %.3f | %s | %d |\n", program[i], class[c],
				count[program[i], "traced", class[c]],
				pct(count[program[i], "traced", class[c]], all[program[i], "traced"]),
				ns[program[i], class[c]] / 1e6, pct(ns[program[i], class[c]], time[program[i]]),
				count[program[i], "others", class[c]]
}' "$out/rows.csv" >"$out/summary.md"
cat "$out/summary.md"
echo "rows: $out/rows.csv"
