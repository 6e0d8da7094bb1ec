#!/bin/bash
# What gotrace sample and perf record take from a program, and what they take themselves, at 99 and 999 Hz.
#
#   sudo experiments/sample-cost/run.sh      ROUNDS=40, QUICK=1, GOTRACE=build/gotrace
#
# Each run writes results/sample-cost/<run-id>/: rows.csv (never edited), environment.txt, summary.md. In a round
# each variant runs once, in an order drawn anew. QUICK=1: two rounds, into a folder that is thrown away. WORK=DIR
# keeps the built programs there.
set -euo pipefail
unset SUDO_UID SUDO_GID # traces are written to a folder of root's own, whoever called sudo
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
quick=${QUICK:-}
rounds=${ROUNDS:-$([ -n "$quick" ] && echo 2 || echo 40)}
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
die() { echo "sample-cost: $*" >&2; exit 1; }
[ -x "$GOTRACE" ] || die "$GOTRACE is missing; run: make"
[ "$(id -u)" = 0 ] || die "sampling needs root; run: sudo make experiment-sample-cost"
command -v perf >/dev/null || die "perf is missing; run: ci/deps.sh experiment"
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
may_measure sample-cost
scratch=$(mktemp -d "${TMPDIR:-/tmp}/gotrace-cost.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
work=${WORK:-$scratch/work}
mkdir -p "$work/bin"
work=$(cd "$work" && pwd)
# shellcheck source=../real-programs/programs.sh
. "$top/experiments/real-programs/programs.sh"
"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror "$here/timed.c" -o "$scratch/timed"
"$top/fixtures/programs/build.sh" "$work/programs" shares
[ -e "$work/nethttp" ] || cp -r "$(go env GOROOT)/src/net/http" "$work/nethttp"
[ -x "$work/bin/gofumpt" ] || prepare_gofumpt

command_of() { # PROGRAM; sets target
	case $1 in
	shares) target=("$work/programs/default/shares" "$([ -n "$quick" ] && echo 2 || echo 8)") ;;
	*) "command_$1" "$scratch/out" ;;
	esac
}

[ -z "$quick" ] || RESULTS=$scratch/results
begin_run
note perf "$(perf --version)"
note gofumpt "$GOFUMPT"
note rounds "$rounds"
echo "round,program,variant,hz,target_wall_ns,target_user_ns,target_system_ns,tool_cpu_ns,report_cpu_ns,samples" >"$out/rows.csv"

cpu_of() { awk '{ printf "%.0f", $2 + $3 }' "$1"; }
once() { # ROUND PROGRAM VARIANT HZ
	local tool_ns=0 report_ns=0 samples=0 run=()
	command_of "$2"
	rm -f "$scratch"/{own,all,after,trace,perf.data}
	case $3 in
	gotrace) run=("$GOTRACE" sample -F "$4" -o "$scratch/trace" --) ;;
	perf) run=(perf record -q -e cpu-clock -F "$4" --call-graph fp -o "$scratch/perf.data" --) ;;
	esac
	"$scratch/timed" "$scratch/all" "${run[@]}" "$scratch/timed" "$scratch/own" "${target[@]}" >/dev/null 2>"$scratch/said" ||
		die "$3: $(cat "$scratch/said")"
	case $3 in
	gotrace)
		"$scratch/timed" "$scratch/after" "$GOTRACE" report "$scratch/trace" >/dev/null 2>&1
		samples=$("$GOTRACE" report "$scratch/trace" --format=csv | awk -F, 'NR > 1 { n += $(NF - 1) } END { print n + 0 }') ;;
	perf)
		"$scratch/timed" "$scratch/after" perf report --stdio --no-children -g none -i "$scratch/perf.data" >"$scratch/report" 2>/dev/null
		samples=$(perf script -F ip -G -i "$scratch/perf.data" 2>/dev/null | grep -c .) ;;
	esac
	[ "$3" = gotrace ] || [ "$3" = perf ] && {
		tool_ns=$(($(cpu_of "$scratch/all") - $(cpu_of "$scratch/own")))
		report_ns=$(cpu_of "$scratch/after")
	}
	echo "$1,$2,$3,$4,$(tr ' ' , <"$scratch/own"),$tool_ns,$report_ns,$samples" >>"$out/rows.csv"
}

for round in $(seq "$rounds"); do
	echo "sample-cost: round $round of $rounds" >&2
	for program in shares gofumpt; do
		while read -r variant hz; do
			once "$round" $program "$variant" "$hz"
		done < <(printf '%s\n' 'untraced 0' 'untraced_again 0' 'gotrace 99' 'perf 99' 'gotrace 999' 'perf 999' | shuf)
	done
done
end_run
"$here/summary.sh" "$out" >"$out/summary.md"
cat "$out/summary.md"
[ -n "$quick" ] || echo "rows: $out/rows.csv"
