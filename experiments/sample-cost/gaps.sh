#!/bin/bash
# What gotrace sample and perf record take from a thread that runs: the time in which it did nothing, since it was interrupted. It is seen by the
# thread itself, which does nothing but look at the clock, so that it does not matter how fast the machine is in that moment: two runs of a program
# differ by more than either tool takes. What caches that an interrupt left cold cost is not in it.
#
#   sudo experiments/sample-cost/gaps.sh      ROUNDS=40, THREADS=1, QUICK=1, GOTRACE=build/gotrace,
#                                             VARIANTS="gotrace-99 gotrace-wall-99 perf-99 gotrace-999 perf-999", beside untraced
#
# Each run writes results/sample-cost/<run-id>-gaps/: rows.csv (never edited), environment.txt, summary.md. In a round each variant is
# measured once, for 2 s after it has begun, in an order drawn anew; all of the same process.
set -euo pipefail
unset SUDO_UID SUDO_GID # traces are written to a folder of root's own, whoever called sudo
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
quick=${QUICK:-} threads=${THREADS:-1}
rounds=${ROUNDS:-$([ -n "$quick" ] && echo 2 || echo 40)}
read -r -a variants <<<"${VARIANTS:-gotrace-99 gotrace-wall-99 perf-99 gotrace-999 perf-999}"
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
die() { echo "sample-cost: $*" >&2; exit 1; }
for v in "${variants[@]}"; do
	[[ $v =~ ^(gotrace|gotrace-wall|perf)-[1-9][0-9]*$ ]] || die "no variant is called '$v'; one is gotrace-99"
done
[ -x "$GOTRACE" ] || die "$GOTRACE is missing; run: make"
[ "$(id -u)" = 0 ] || die "sampling needs root"
command -v perf >/dev/null || die "perf is missing; run: ci/deps.sh experiment"
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
may_measure sample-cost
scratch=$(mktemp -d "${TMPDIR:-/tmp}/gotrace-gaps.XXXXXX")
target=
trap '[ -z "$target" ] || kill "$target" 2>/dev/null || true; rm -rf "$scratch"' EXIT
cp "$here/gaps.go.in" "$scratch/gaps.go"
(cd "$scratch" && go build -o gaps gaps.go)
[ -z "$quick" ] || RESULTS=$scratch/results
begin_run gaps
note perf "$(perf --version)"
note rounds "$rounds"
note variants "${variants[*]}"
note threads "$threads, 30 calls deep"
echo "round,variant,hz,thread_ns,gap_ns,gaps,large_gap_ns" >"$out/rows.csv"

coproc target_io { "$scratch/gaps" "$threads" 30; }
# shellcheck disable=SC2154 # coproc sets it
target=$target_io_PID
ask() { # sets answer
	echo >&"${target_io[1]}"
	read -r answer <&"${target_io[0]}"
}
measure() { # ROUND VARIANT HZ
	local tool=
	case $2 in
	gotrace) "$GOTRACE" sample -F "$3" -d 3.5 -o "$scratch/trace" --pid "$target" >/dev/null 2>"$scratch/said" & tool=$! ;;
	gotrace-wall) "$GOTRACE" sample --wall -F "$3" -d 3.5 -o "$scratch/trace" --pid "$target" >/dev/null 2>"$scratch/said" & tool=$! ;;
	perf) perf record -q -e cpu-clock -F "$3" --call-graph fp -o "$scratch/perf.data" -p "$target" -- sleep 3.5 >/dev/null 2>"$scratch/said" & tool=$! ;;
	esac
	sleep 1
	ask
	sleep 2
	ask
	[ -z "$tool" ] || wait "$tool" || die "$2: $(cat "$scratch/said")"
	echo "$1,$2,$3,${answer// /,}" >>"$out/rows.csv"
}
for round in $(seq "$rounds"); do
	echo "sample-cost: round $round of $rounds" >&2
	while read -r variant hz <&3; do
		measure "$round" "$variant" "$hz"
	done 3< <(printf '%s\n' untraced-0 untraced_again-0 "${variants[@]}" | sed 's/-\([0-9]*\)$/ \1/' | shuf)
done
end_run
"$here/gaps-summary.sh" "$out" >"$out/summary.md"
cat "$out/summary.md"
[ -n "$quick" ] || echo "rows: $out/rows.csv"
